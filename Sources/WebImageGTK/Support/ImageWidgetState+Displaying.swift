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
        readOpacity()
        let (start, before) = (pose, painter.drawing.shownLayers)
        if !transition.avoidAutoSetImage { change.put() }
        collect { transition.animations?(view, change.image) }
        guard transition.duration > 0, Self.wantsAnimations, change.isCurrent() else {
            present(pose)
            if change.isCurrent() { transition.completion?(true) }
            return change.ended()
        }
        let painter = painter
        if isMapped, !painter.isDestroyed {
            painter.drawing.setTransition(
                transition.animationOptions.effect, from: before,
                outgoingMode: painter.kind.fitsItself ? .fit : painter.drawing.mode)
            painter.attach()
        }
        let running = WidgetTransition(transition, change, from: isMapped ? start : pose, on: self)
        self.running = running
        running.begin()
    }

    func updateIndicator(_ indication: ViewIndication) { indicator.update(indication) }

    func refine(_ image: Image) {
        isRefining = true
        self.image = image
        isRefining = false
    }

    func whenSized(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void
    ) {
        followsSize = true
        let size = allocatedSize
        guard size == .unknown, !isDestroyed else { return body(size) }
        if let expected { return body(expected) }
        SizeWait.begin(self, within: deadline, size: { $0.allocatedSize }, body)
    }

    func whenGivenSize(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void
    ) {
        let size = givenSize
        guard size == .unknown, !isDestroyed else {
            followsSize = true
            return body(size)
        }
        if let expected {
            followsSize = true
            return body(expected)
        }
        SizeWait.begin(self, within: deadline, endsWithoutWindow: true, size: { $0.givenSize }) { [weak self] size in
            self?.followsSize = true
            body(size)
        }
    }

    /// False for a widget that does not show images itself.
    var decodesAtViewSize: Bool { kind != .other && !isDestroyed }

    var drawnSize: ViewSize {
        drawing.mode == .center ? .full : allocatedSize
    }

    func followSize() { followsSize = true }

    /// The size of the widget. ``ViewSize/unknown`` before the first layout.
    var allocatedSize: ViewSize {
        guard !isDestroyed else { return .unknown }
        return size(limiting(layoutSize))
    }

    /// The size of the widget in points. Before the first layout, the size is known if both sides are fixed.
    private var layoutSize: CGSize {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        let size = CGSize(width: Int(gtk_widget_get_width(own)), height: Int(gtk_widget_get_height(own)))
        return size == .zero && fixedSize.width > 0 && fixedSize.height > 0 ? fixedSize : size
    }

    /// Returns a size without the side that a ``FittingImageView`` computes from its picture.
    private func limiting(_ size: CGSize) -> CGSize {
        switch fittingAxis {
        case .heightForWidth: CGSize(width: size.width, height: 0)
        case .widthForHeight: CGSize(width: 0, height: size.height)
        case nil: size
        }
    }

    /// The size that the layout gives the view independently of its picture. For example, a view that expands in a window
    /// has such a size, and a view that is centred in a window has the size of its picture.
    var givenSize: ViewSize {
        var size = layoutSize
        guard !isDestroyed, size != .zero else { return .unknown }
        if drawing.mode == .center { return .full }
        switch kind {
        case .image, .avatar, .other: break  // The size of these widgets does not depend on their picture.
        case .picture where gtk_picture_get_can_shrink(widget) == 0: return .full
        case .picture, .view:
            if fixedSize.width == 0, !isGiven(GTK_ORIENTATION_HORIZONTAL) { size.width = 0 }
            if fixedSize.height == 0, !isGiven(GTK_ORIENTATION_VERTICAL) { size.height = 0 }
        }
        let result = self.size(limiting(size))
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

    /// Returns the size for a size in points. A side of 0 does not limit the picture.
    private func size(_ points: CGSize) -> ViewSize {
        guard points.width > 0 || points.height > 0 else { return .unknown }
        let scale = CGFloat(gtk_widget_get_scale_factor(UnsafeMutablePointer(widget)))
        let area = CGSize(width: points.width * scale, height: points.height * scale)
        if points.width > 0, points.height > 0, coversItsArea { return .area(area) }
        func whole(_ side: CGFloat) -> CGFloat { side > 0 ? ViewSize.whole(side) : ViewSize.unlimitedSide }
        return .box(CGSize(width: whole(area.width), height: whole(area.height)))
    }

    /// Whether both sides of the drawn picture reach those of the widget, because the picture is stretched or cut off.
    private var coversItsArea: Bool {
        switch kind {
        case .avatar: true
        case .picture:
            [GTK_CONTENT_FIT_COVER, GTK_CONTENT_FIT_FILL].contains(gtk_picture_get_content_fit(widget))
        case .view: drawing.mode == .cover || drawing.mode == .fill
        case .image, .other: false
        }
    }

    func loadEnded(with error: WebImageError?) {
        if followsSize { sharpening.loadEnded() }
        // Do not create `recovery` for a view that never had a failure.
        if error != nil || hasFailed { recovery.loadEnded(with: error) }
        hasFailed = error != nil
    }

    func partialImageEnded(_ image: Image) { painter.animation?.framesEnded(of: image) }

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
