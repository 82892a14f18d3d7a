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
        followsSize = true
        if let size = pixelBox { return body(size) }
        guard !isDestroyed else { return body(nil) }
        SizeWait.begin(self, within: deadline, size: { $0.pixelBox.map { .box($0) } ?? .unknown }) { body($0.box) }
    }

    func whenGivenSize(
        expected: CGSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void
    ) {
        let size = givenSize
        guard size == .unknown, !isDestroyed else {
            followsSize = followsSize || size.box != nil
            return body(size)
        }
        if let expected {
            followsSize = true
            return body(.box(expected))
        }
        SizeWait.begin(self, within: deadline, endsWithoutWindow: true, size: { $0.givenSize }) { [weak self] size in
            if size.box != nil { self?.followsSize = true }
            body(size)
        }
    }

    /// False for a widget that does not show images itself.
    var decodesAtViewSize: Bool { kind != .other && !isDestroyed }

    var drawnSize: ViewSize {
        if drawing.mode == .center { return .full }
        return pixelBox.map { .box($0) } ?? .unknown
    }

    /// The box in which the view's image must fit, in device pixels. Each side is rounded up to a multiple of 32. A side
    /// that the layout has not given the view does not limit the image. nil before the first layout.
    var pixelBox: CGSize? {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        guard !isDestroyed else { return nil }
        return box(CGSize(width: Int(gtk_widget_get_width(own)), height: Int(gtk_widget_get_height(own)))).box
    }

    /// The size that the layout gives the view independently of its picture. For example, a view that expands in a window
    /// has such a size, and a view that is centred in a window has the size of its picture.
    var givenSize: ViewSize {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        guard !isDestroyed, gtk_widget_get_width(own) > 0 || gtk_widget_get_height(own) > 0 else { return .unknown }
        if drawing.mode == .center { return .full }
        var size = CGSize(width: Int(gtk_widget_get_width(own)), height: Int(gtk_widget_get_height(own)))
        switch kind {
        case .image, .avatar, .other: break  // The size of these widgets does not depend on their picture.
        case .picture where gtk_picture_get_can_shrink(widget) == 0: return .full
        case .picture, .view:
            if !isGiven(GTK_ORIENTATION_HORIZONTAL) { size.width = 0 }
            if !isGiven(GTK_ORIENTATION_VERTICAL) { size.height = 0 }
        }
        switch fittingAxis {
        case .heightForWidth: size.height = 0
        case .widthForHeight: size.width = 0
        case nil: break
        }
        let result = box(size)
        return result == .unknown ? .full : result
    }

    /// Returns whether the parent determines a side of the view. A side of exactly the natural length follows from the
    /// picture, unless it is the minimum, which does not depend on the picture.
    private func isGiven(_ orientation: GtkOrientation) -> Bool {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        var bounds = graphene_rect_t()
        // The measured lengths include the margins.
        guard gtk_widget_compute_bounds(own, own, &bounds) != 0 else { return false }
        let isHorizontal = orientation == GTK_ORIENTATION_HORIZONTAL
        let width = gint(bounds.size.width) + gtk_widget_get_margin_start(own) + gtk_widget_get_margin_end(own)
        let height = gint(bounds.size.height) + gtk_widget_get_margin_top(own) + gtk_widget_get_margin_bottom(own)
        var (minimum, natural): (gint, gint) = (0, 0)
        gtk_widget_measure(own, orientation, isHorizontal ? -1 : width, &minimum, &natural, nil, nil)
        let side = isHorizontal ? width : height
        return side != natural || side <= minimum
    }

    /// Returns the box in device pixels for a size in points. A side of 0 is unlimited.
    private func box(_ points: CGSize) -> ViewSize {
        guard points.width > 0 || points.height > 0 else { return .unknown }
        let scale = CGFloat(gtk_widget_get_scale_factor(UnsafeMutablePointer(widget)))
        func stepped(_ side: CGFloat) -> CGFloat {
            side > 0 ? min((side * scale / 32).rounded(.up) * 32, ViewSize.unlimitedSide) : ViewSize.unlimitedSide
        }
        guard points.width > 0, points.height > 0 else {
            return .box(CGSize(width: stepped(points.width), height: stepped(points.height)))
        }
        let isCovered =
            kind == .avatar || kind == .picture && gtk_picture_get_content_fit(widget) == GTK_CONTENT_FIT_COVER
        let box = (isCovered ? .cover : drawing.mode).box(for: points)
        return .box(CGSize(width: stepped(box.width), height: stepped(box.height)))
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
