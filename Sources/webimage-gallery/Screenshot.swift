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
        // GTK makes cards only for the visible part of the grid and its surroundings. Only these cards load a picture.
        // The grid is complete if all these loads have ended and no new load starts for 0.6 s. Other pages do not
        // report their loads, so wait 1.6 s for these pages.
        let quiet = window.shows(page: "grid") ? 12 : 32
        while quietRounds < quiet, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(50))
            quietRounds = isSettled ? quietRounds + 1 : 0
        }
        let items = window.model.visited.map { window.model.items[$0] }
        let failed = items.count { if case .failed = $0.state { true } else { false } }
        let missing = items.count { !$0.isSettled }
        let isSaved = WidgetSnapshot.save(OpaquePointer(window.widget), toPNG: path)
        print("\(items.count - failed - missing) shown, \(failed) failed, \(missing) missing")
        if !isSaved { FileHandle.standardError.write(Data("webimage-gallery: cannot write \(path)\n".utf8)) }
        return isSaved && missing == 0 && (!items.isEmpty || !window.shows(page: "grid")) ? 0 : 2
    }

    private var isSettled: Bool {
        guard window.shows(page: "grid") else { return true }
        return !window.model.visited.isEmpty && window.model.visited.allSatisfy { window.model.items[$0].isSettled }
    }
}
