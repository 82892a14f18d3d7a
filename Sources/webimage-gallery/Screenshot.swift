import CWebImageGTK
import Foundation
import WebImageGTK

/// Saves the window as an image when every picture in it has arrived or failed.
@MainActor struct Screenshot {
    let window: GalleryWindow
    let path: String
    private let deadline = ContinuousClock.now + .seconds(20)

    init(window: GalleryWindow, path: String) {
        self.window = window
        self.path = path
    }

    /// Returns the exit code: 0, or 2 if pictures were missing at the deadline or the file could not be written.
    func take() async -> Int32 {
        var quietRounds = 0
        // Rows far outside the window are never bound. When all bound rows have had their result for a while, no more
        // follow. Other pages do not report when they are done, so they get one more second.
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
