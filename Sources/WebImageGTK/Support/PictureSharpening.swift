import CWebImageGTK
import Foundation
import WebImageViews

/// Decodes a widget's picture again after the size of the widget has changed.
@MainActor final class PictureSharpening {
    private unowned let state: ImageWidgetState
    /// The size of the last drawing; nil if the picture or the rule of its size has changed since then.
    private var drawn: (size: CGSize, scale: gint)?
    private var isWaiting = false
    /// The number of changes of the size.
    private var changes = 0
    /// While a window is resized, its widgets have another size in each frame. A picture is decoded only when its size has
    /// not changed for this time, in seconds.
    private static let delay = 0.1

    init(_ state: ImageWidgetState) { self.state = state }

    /// The next drawing shows another picture, or needs another size.
    func pictureChanged() { drawn = nil }

    /// Receives the size in points at which the picture was drawn.
    func wasDrawn(at size: CGSize) {
        let scale = gtk_widget_get_scale_factor(UnsafeMutablePointer(state.widget))
        guard drawn?.size != size || drawn?.scale != scale else { return }
        drawn = (size, scale)
        changes += 1
        if !isWaiting, state.binding.needsResizing { wait() }
    }

    /// A load has ended. A picture that was drawn while its load still refreshed it may need another size.
    func loadEnded() {
        if drawn != nil, !isWaiting, state.binding.needsResizing { wait() }
    }

    private func wait() {
        isWaiting = true
        let seen = changes
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.delay) { [weak self] in
            MainActor.assumeIsolated { self?.waitEnded(seen) }
        }
    }

    private func waitEnded(_ seen: Int) {
        guard seen == changes else { return wait() }
        isWaiting = false
        state.binding.resizePictures()
    }
}
