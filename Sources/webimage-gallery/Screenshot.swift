import CWebImageGTK
import Foundation
import WebImageGTK

/// Saves the window as an image when every picture in the window has loaded or failed, at the latest after 20 s.
@MainActor struct Screenshot {
    let window: GalleryWindow
    let path: String
    private let deadline = ContinuousClock.now + .seconds(20)

    init(window: GalleryWindow, path: String) {
        self.window = window
        self.path = path
    }

    /// Saves the window and returns the exit code. The exit code is 2 if a picture has neither loaded nor failed at the
    /// deadline, if the grid shows no picture, or if the file cannot be written. Otherwise the exit code is 0.
    func take() async -> Int32 {
        var quietRounds = 0
        // GTK makes cards and rows only for the visible part and its surroundings. Only these load a picture. The page is
        // complete if all these loads have ended and no new load starts for 0.6 s. Other pages than the grid and the list do not
        // report their loads, so wait 1.6 s for these pages.
        let reports = window.shows(page: "grid") || window.shows(page: "list")
        while quietRounds < (reports ? 12 : 32), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(50))
            let isSettled = !reports || (!states.isEmpty && !states.contains(.missing))
            quietRounds = isSettled ? quietRounds + 1 : 0
        }
        let states = states
        func count(_ state: State) -> Int { states.count { $0 == state } }
        let isSaved = WidgetSnapshot.save(OpaquePointer(window.widget), toPNG: path)
        print("\(count(.shown)) shown, \(count(.failed)) failed, \(count(.missing)) missing")
        if !isSaved { FileHandle.standardError.write(Data("webimage-gallery: cannot write \(path)\n".utf8)) }
        return isSaved && count(.missing) == 0 && (!states.isEmpty || !window.shows(page: "grid")) ? 0 : 2
    }

    private enum State { case shown, failed, missing }

    /// The states of the pictures of the page: of the rows in sight, or of the cards that have loaded a picture.
    private var states: [State] {
        if window.shows(page: "list") {
            return window.list.list.visiblePositions.map { position in
                guard let image = window.list.list.row(at: position)?.imageView.image,
                    image !== Artwork.placeholder
                else { return .missing }
                return image === Artwork.broken ? .failed : .shown
            }
        }
        return window.model.visited.map { place in
            let item = window.model.items[place]
            if case .failed = item.state { return .failed }
            return item.isSettled ? .shown : .missing
        }
    }
}
