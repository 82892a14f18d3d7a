import CWebImageGTK
import WebImageViews

/// Places a view's indicator above the view's image. Forwards the events of the view's loads to the indicator.
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
            if isRunning { start(current) }
        }
    }

    /// The widget in which indicators are placed; nil means the view's own widget.
    var host: OpaquePointer?
    /// Called before an indicator starts in `host`. A button makes `host` visible in this call.
    var showHost: (@MainActor () -> Void)?

    func update(_ indication: ViewIndication) {
        switch indication {
        case .start: isRunning = true
        case .stop: isRunning = false
        case .progress: break
        }
        guard let current else { return }
        place()
        switch indication {
        case .start: start(current)
        case .progress(let fraction): current.updateIndicatorProgress(fraction)
        case .stop: current.stopAnimatingIndicator()
        }
    }

    private func start(_ indicator: any WebImageIndicator) {
        if !state.isDestroyed { showHost?() }
        indicator.startAnimatingIndicator()
    }

    /// Places the indicator in `host` or in a view of this library. Any other widget cannot contain the indicator; if
    /// the parent of the widget is a `GtkOverlay`, the indicator is added to the overlay.
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
