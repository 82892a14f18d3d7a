import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore
import WebImageViews

/// The state of one widget: the image that the widget shows, and the widget's loads. The widget owns this object and
/// releases this object when the widget is finalized.
@MainActor final class ImageWidgetState {
    /// The widget, which outlives this object.
    let widget: OpaquePointer
    let kind: WidgetKind
    let drawing = PictureDrawing()
    private(set) lazy var binding = ImageViewBinding(display: self, operationKey: operationKey)
    /// The operation key of the widget's own loads.
    private let operationKey: String

    private(set) var isDestroyed = false
    /// The object that plays animations; nil until it is needed.
    private(set) var animation: WidgetAnimation?
    private(set) lazy var visibility = WidgetVisibility(widget) { [weak self] in self?.visibilityChanged() }
    private(set) lazy var indicator = IndicatorHost(self)
    private(set) lazy var recovery = FailureRecovery(self)
    /// The text for screen readers; nil for none.
    var alternativeText: String?
    /// Whether the widget's own newest load failed.
    var hasFailed = false
    private(set) lazy var offscreenPolicy = OffscreenPolicy(self)
    /// The images of a button; nil until they are needed.
    private var face: ButtonFace?
    /// The images of a button; used only for buttons.
    var buttonFace: ButtonFace {
        if let face { return face }
        let face = ButtonFace(widget)
        self.face = face
        indicator.host = face.widget
        indicator.showHost = { [weak face] in face?.showAboveLabel() }
        return face
    }
    /// The state of the widget that draws the pictures: the view inside a button, otherwise this widget.
    var painter: ImageWidgetState { face?.child ?? self }

    var transition: WebImageTransition?
    var running: WidgetTransition?
    private var isCollecting = false
    private(set) var pose = ViewPose()

    var image: Image? { didSet { if !isDestroyed { display(replacing: oldValue) } } }
    var highlightedImage: Image? { didSet { if isHighlighted { refresh() } } }
    /// The size of the widget in points; a side of 0 is not fixed.
    var fixedSize = CGSize.zero {
        didSet {
            guard !isDestroyed else { return }
            let (width, height) = (WidgetView.side(fixedSize.width), WidgetView.side(fixedSize.height))
            fixedSize = CGSize(width: Int(width ?? 0), height: Int(height ?? 0))
            webimage_set_fixed_size(widget, width ?? 0, height ?? 0)
            if let side = [width, height].compactMap({ $0 }).min() { kind.setPictureSide(side, of: widget) }
        }
    }
    var isHighlighted = false { didSet { if isHighlighted != oldValue { refresh() } } }
    private var shown: Image?
    /// Whether the next image is another version of the shown image.
    var isRefining = false
    /// The side of the view that limits its pictures, in a ``FittingImageView``; nil for both sides.
    var fittingAxis: FittingImageView.Axis?
    private(set) lazy var sharpening = PictureSharpening(self)
    /// Whether a picture was decoded at the size of the view.
    var followsSize = false
    /// Whether the widget keeps its natural size while it shows nothing. True in list rows, so that a row that waits
    /// for its image does not cause a new layout of the list.
    var keepsSizeWhenEmpty = false

    /// Returns the state of a widget. Creates the state at the first call.
    static func of(_ widget: OpaquePointer, key: String) -> ImageWidgetState {
        let object = UnsafeMutablePointer<GObject>(widget)
        if let state = g_object_get_data(object, dataKey) {
            return Unmanaged<ImageWidgetState>.fromOpaque(state).takeUnretainedValue()
        }
        let state = ImageWidgetState(widget, key)
        g_object_set_data_full(object, dataKey, Unmanaged.passRetained(state).toOpaque()) { state in
            guard let state else { return }
            Unmanaged<ImageWidgetState>.fromOpaque(state).release()
        }
        Signal.connect(widget, "destroy") { [weak state] _ in state?.widgetWasDestroyed() }
        // Create the policy immediately, so that it receives memory warnings.
        _ = state.offscreenPolicy
        return state
    }

    private init(_ widget: OpaquePointer, _ key: String) {
        self.widget = widget
        operationKey = key
        kind = WidgetKind(of: widget)
        if kind.fitsItself { drawing.mode = .fill }
        drawing.drawn = { [weak self] size in
            if let self, followsSize, !isDestroyed { sharpening.wasDrawn(at: size) }
        }
        drawing.scaleFactor = { CGFloat(gtk_widget_get_scale_factor(UnsafeMutablePointer(widget))) }
        pose.alpha = gtk_widget_get_opacity(UnsafeMutablePointer(widget))
        HandleLedger.opened("widget state")
    }

    isolated deinit { HandleLedger.closed("widget state") }

    var isMapped: Bool { !isDestroyed && gtk_widget_get_mapped(UnsafeMutablePointer(widget)) != 0 }

    /// Cancels every load, so that each load completes. The widget is not used afterwards.
    private func widgetWasDestroyed() {
        guard !isDestroyed else { return }
        isDestroyed = true
        running?.end(finished: false)
        binding.end()
        image = nil
        highlightedImage = nil
        (drawing.picture, drawing.background) = (nil, nil)
        animation?.drop()
        indicator.widgetWasDestroyed()
    }

    // MARK: Image

    /// Returns the object that plays animations. Creates the object at the first call.
    func animate(_ makeLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) -> WidgetAnimation {
        if let animation { return animation }
        let animation = WidgetAnimation(self, makeLink: makeLink)
        self.animation = animation
        return animation
    }

    private func display(replacing old: Image?) {
        running?.endIfOvertaken()
        // Skip an image that is already shown, because it would cause a redraw. Compare the widget's paintable as well,
        // because other code may have replaced the paintable.
        if let image, image === shown, kind.paintable(of: widget) == drawing.pointer { return }
        if isHighlighted, image?.isAnimated == true { isHighlighted = false }
        refresh()
    }

    private func refresh() {
        guard !isDestroyed else { return }
        let image = (isHighlighted ? highlightedImage : nil) ?? image
        shown = image
        if followsSize { sharpening.pictureChanged() }
        if animation == nil, image?.isAnimated == true { _ = animate { GTKDisplayLink($0) } }
        if animation?.show(image, isRefined: isRefining) != true {
            show(image?.makeTexture(), size: image.map(naturalSize) ?? .zero)
        }
        attach()
    }

    /// How the view's own drawing fits pictures. No effect on a widget that fits pictures itself.
    var contentMode: ImageContentMode {
        get { drawing.mode }
        set {
            guard !kind.fitsItself else { return }
            if followsSize { sharpening.pictureChanged() }
            drawing.mode = newValue
        }
    }

    /// Returns the natural size of the view's picture, in points.
    func naturalSize(of image: Image) -> CGSize { followsSize ? binding.naturalSize(of: image) : image.size }

    /// Sets the texture to draw. A texture of the same size causes a redraw and no new layout.
    func show(_ texture: Texture?, size: CGSize) {
        if texture == nil, keepsSizeWhenEmpty, !isDestroyed { return drawing.clearKeepingSize() }
        drawing.picture = texture.map { PictureDrawing.Layer(texture: $0, size: size) }
    }

    /// Changes the natural size of the image.
    func changeSize(_ size: CGSize) {
        guard let picture = drawing.picture, picture.size != size else { return }
        drawing.picture = PictureDrawing.Layer(texture: picture.texture, size: size)
    }

    /// Draws another frame at the size of the image.
    func show(frame texture: Texture) {
        guard let picture = drawing.picture else { return }
        drawing.picture = PictureDrawing.Layer(texture: texture, size: picture.size, after: picture)
    }

    /// Sets the drawing as the widget's paintable, or removes it if there is nothing to draw.
    func attach() {
        let wanted = drawing.isEmpty ? nil : drawing.pointer
        if kind.paintable(of: widget) != wanted { kind.setPaintable(wanted, of: widget) }
    }

    private func visibilityChanged() { animation?.checkPlay() }

    // MARK: Pose

    /// Changes alpha or transform. Inside the `animations` block of a transition, the change is animated.
    func changePose(_ body: (inout ViewPose) -> Void) {
        readOpacity()
        body(&pose)
        if !isCollecting, running == nil { present(pose) }
    }

    /// Takes over an opacity that the program has set with GTK's functions. Otherwise the end of a transition would set the
    /// opacity that the view had before.
    func readOpacity() {
        guard !isDestroyed, !isCollecting, running == nil else { return }
        let opacity = gtk_widget_get_opacity(UnsafeMutablePointer(widget))
        // GTK stores the opacity in steps of 1/255.
        if abs(opacity - pose.alpha) > 1 / 500 { pose.alpha = opacity }
    }

    /// Shows a pose. The pose can be an intermediate step of a transition.
    func present(_ pose: ViewPose) {
        guard !isDestroyed else { return }
        if drawing.transform != pose.transform { drawing.transform = pose.transform }
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        if gtk_widget_get_opacity(own) != pose.alpha { gtk_widget_set_opacity(own, pose.alpha) }
    }

    func transitionEnded(_ transition: WidgetTransition) {
        guard running === transition else { return }
        running = nil
        let painter = painter
        painter.drawing.setTransition(nil, from: nil, outgoingMode: painter.drawing.mode)
        present(pose)
        if !isDestroyed, !painter.isDestroyed { painter.attach() }
    }

    /// Runs a closure and stores its changes of the pose without showing them.
    func collect(_ body: () -> Void) {
        isCollecting = true
        body()
        isCollecting = false
    }

    private static let dataKey = "swift-web-image-state"
}
