import CWebImageGTK
import Foundation
import WebImageCore
import WebImageViews

extension ImageWidgetState: ImageDisplaying {
    var displayedImage: Image? {
        get { image }
        set { image = newValue }
    }

    var hasTransition: Bool { transition != nil && !isDestroyed }

    /// Runs the transition's blocks in order and starts the animation. If the widget is not mapped, nothing is animated,
    /// and the transition ends after its duration unless another image is requested meanwhile. If animations are
    /// disabled, all blocks run immediately.
    func perform(_ change: ViewTransition) {
        guard let transition else {
            change.put()
            return change.ended()
        }
        running?.end(finished: nil)
        let view = WidgetView(widget)
        transition.prepares?(view, change.image, change.data, change.cacheType, change.url)
        guard change.isCurrent() else { return change.ended() }
        let (start, before) = (pose, drawing.picture)
        if !transition.avoidAutoSetImage { change.put() }
        collect { transition.animations?(view, change.image) }
        guard transition.duration > 0, Self.wantsAnimations, change.isCurrent() else {
            present(pose)
            if change.isCurrent() { transition.completion?(true) }
            return change.ended()
        }
        if isMapped {
            drawing.setTransition(
                transition.animationOptions.effect, from: before, outgoingMode: kind.fitsItself ? .fit : drawing.mode)
            attach()
        }
        let running = WidgetTransition(transition, change, from: isMapped ? start : pose, on: self)
        self.running = running
        running.begin()
    }

    func updateIndicator(_ indication: ViewIndication) { indicator.update(indication) }

    func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void) {
        if let size = pixelBox { return body(size) }
        guard !isDestroyed else { return body(nil) }
        SizeWait.begin(self, deadline, body)
    }

    /// The box in which the view's image must fit, in device pixels. Each side is rounded up to a multiple of 32. nil
    /// before the first layout.
    var pixelBox: CGSize? {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        guard !isDestroyed, gtk_widget_get_width(own) > 0, gtk_widget_get_height(own) > 0 else { return nil }
        let scale = CGFloat(gtk_widget_get_scale_factor(own))
        let points = CGSize(width: Int(gtk_widget_get_width(own)), height: Int(gtk_widget_get_height(own)))
        let mode =
            kind == .picture && gtk_picture_get_content_fit(widget) == GTK_CONTENT_FIT_COVER
            ? .cover : drawing.mode
        let box = mode.box(for: points)
        func stepped(_ side: CGFloat) -> CGFloat { (side * scale / 32).rounded(.up) * 32 }
        return CGSize(width: stepped(box.width), height: stepped(box.height))
    }

    func loadEnded(with error: WebImageError?) {
        // Do not create `recovery` for a view that never had a failure.
        if error != nil || hasFailed { recovery.loadEnded(with: error) }
        hasFailed = error != nil
    }

    /// Whether animations are enabled in the desktop's settings. People who are disturbed by motion disable animations
    /// there.
    static var wantsAnimations: Bool {
        guard let settings = gtk_settings_get_default() else { return true }
        var value = GValue()
        g_value_init(&value, GType(5 << 2))
        defer { g_value_unset(&value) }
        g_object_get_property(UnsafeMutablePointer<GObject>(settings), "gtk-enable-animations", &value)
        return g_value_get_boolean(&value) != 0
    }
}

/// Waits for a widget's first layout.
@MainActor private final class SizeWait {
    private var body: (@MainActor (CGSize?) -> Void)?
    private weak var state: ImageWidgetState?
    private let link: GTKDisplayLink

    static func begin(
        _ state: ImageWidgetState, _ deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void
    ) {
        let wait = SizeWait(state, body)
        wait.link.start { _ in
            // Tick callbacks run before the layout of their frame, so `pixelBox` is the size in the previous frame.
            if let size = wait.state?.pixelBox { wait.end(size) }
        }
        let seconds = Double(deadline.components.seconds) + Double(deadline.components.attoseconds) / 1e18
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
            MainActor.assumeIsolated { wait.end(wait.state?.pixelBox) }
        }
    }

    private init(_ state: ImageWidgetState, _ body: @escaping @MainActor (CGSize?) -> Void) {
        self.state = state
        self.body = body
        link = GTKDisplayLink(state.widget)
    }

    private func end(_ size: CGSize?) {
        guard let body else { return }
        self.body = nil
        link.stop()
        body(size)
    }
}
