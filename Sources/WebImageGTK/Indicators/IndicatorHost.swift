import CWebImageGTK
import WebImageCore

/// Places a view's indicator above its image and forwards the events of its loads.
@MainActor final class IndicatorHost {
    private unowned let state: ImageWidgetState
    private var isPlaced = false
    private var isRunning = false

    init(_ state: ImageWidgetState) { self.state = state }

    var current: (any WebImageIndicator)? {
        willSet { remove() }
        didSet {
            guard let current else { return }
            current.indicatorView.isHidden = true
            place()
            if isRunning { current.startAnimatingIndicator() }
        }
    }

    /// The widget in which indicators are placed; nil is the view's own widget.
    var host: OpaquePointer?

    func update(_ indication: ViewIndication) {
        switch indication {
        case .start: isRunning = true
        case .stop: isRunning = false
        case .progress: break
        }
        guard let current else { return }
        place()
        switch indication {
        case .start: current.startAnimatingIndicator()
        case .progress(let fraction): current.updateIndicatorProgress(fraction)
        case .stop: current.stopAnimatingIndicator()
        }
    }

    /// Places the indicator. An adopted widget has no room for children; if it is inside a `GtkOverlay`, the indicator
    /// is added to that.
    private func place() {
        guard !isPlaced, !state.isDestroyed, let current else { return }
        let child = UnsafeMutablePointer<GtkWidget>(current.indicatorView.widget)
        if let host = host ?? (state.kind == .view ? state.widget : nil) {
            gtk_widget_set_parent(child, UnsafeMutablePointer(host))
            isPlaced = true
            return
        }
        guard let parent = gtk_widget_get_parent(UnsafeMutablePointer(state.widget)),
            UnsafeMutablePointer<GTypeInstance>(OpaquePointer(parent)).isA(gtk_overlay_get_type())
        else { return }
        gtk_overlay_add_overlay(OpaquePointer(parent), child)
        isPlaced = true
    }

    private func remove() {
        guard isPlaced, let current else { return }
        isPlaced = false
        let child = UnsafeMutablePointer<GtkWidget>(current.indicatorView.widget)
        guard let parent = gtk_widget_get_parent(child) else { return }
        if UnsafeMutablePointer<GTypeInstance>(OpaquePointer(parent)).isA(gtk_overlay_get_type()) {
            gtk_overlay_remove_overlay(OpaquePointer(parent), child)
        } else {
            gtk_widget_unparent(child)
        }
    }

    func widgetWasDestroyed() {
        remove()
        current = nil
    }
}

@MainActor extension UnsafeMutablePointer<GTypeInstance> {
    func isA(_ type: GType) -> Bool { g_type_check_instance_is_a(self, type) != 0 }
}
