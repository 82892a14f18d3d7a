import CGTK
import WebImageCore

/// What belongs to one widget: the picture it shows and the loads it waits for. Owned by the widget, ends with it.
@MainActor final class ImageWidgetState: ImageDisplaying {
    private enum Kind {
        case picture
        case image
    }

    /// The widget, which outlives this object.
    let widget: OpaquePointer
    private(set) lazy var binding = ImageViewBinding(display: self, operationKey: "ImageView")

    private let kind: Kind
    private var isDestroyed = false
    private var texture: Texture?
    /// Plays what is animated; nil for a view that shows stills.
    private(set) var animation: WidgetAnimation?

    /// Makes the widget play animations from now on.
    func animate(_ makeLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) -> WidgetAnimation {
        if let animation { return animation }
        let animation = WidgetAnimation(widget, makeLink: makeLink)
        self.animation = animation
        display(displayedImage, replacing: nil)
        return animation
    }

    var displayedImage: Image? {
        didSet { if !isDestroyed { display(displayedImage, replacing: oldValue) } }
    }

    /// The state of a `GtkPicture` or `GtkImage`, made at first use; nil for any other widget.
    static func of(_ widget: OpaquePointer) -> ImageWidgetState? {
        let object = UnsafeMutablePointer<GObject>(widget)
        if let state = g_object_get_data(object, dataKey) {
            return Unmanaged<ImageWidgetState>.fromOpaque(state).takeUnretainedValue()
        }
        guard let kind = kind(of: widget) else { return nil }
        let state = ImageWidgetState(widget, kind)
        g_object_set_data_full(object, dataKey, Unmanaged.passRetained(state).toOpaque()) { state in
            guard let state else { return }
            Unmanaged<ImageWidgetState>.fromOpaque(state).release()
        }
        Signal.connect(widget, "destroy") { [weak state] _ in state?.widgetWasDestroyed() }
        return state
    }

    private init(_ widget: OpaquePointer, _ kind: Kind) {
        self.widget = widget
        self.kind = kind
        HandleLedger.opened("widget state")
    }

    isolated deinit { HandleLedger.closed("widget state") }

    /// Ends every load, with its completion, and touches the widget no more.
    private func widgetWasDestroyed() {
        isDestroyed = true
        binding.cancelAll()
        displayedImage = nil
        texture = nil
        animation?.drop()
    }

    private func display(_ image: Image?, replacing old: Image?) {
        // The same picture again would cost a redraw; somebody else may have changed the widget's, so ask it.
        if let image, image === old, let texture, texture.withPointer({ $0 == paintable }) { return }
        if let image, image === old, let playing = animation?.paintable?.pointer, playing == paintable { return }
        if let playing = animation?.show(image) {
            texture = nil
            if playing != paintable { paintable = playing }
            return
        }
        texture = image?.makeTexture()
        if let texture { texture.withPointer { paintable = $0 } } else { paintable = nil }
    }

    private var paintable: OpaquePointer? {
        get {
            switch kind {
            case .picture: gtk_picture_get_paintable(widget)
            case .image: gtk_image_get_paintable(widget)
            }
        }
        set {
            switch kind {
            case .picture: gtk_picture_set_paintable(widget, newValue)
            case .image: gtk_image_set_from_paintable(widget, newValue)
            }
        }
    }

    private static func kind(of widget: OpaquePointer) -> Kind? {
        let instance = UnsafeMutablePointer<GTypeInstance>(widget)
        if g_type_check_instance_is_a(instance, gtk_picture_get_type()) != 0 { return .picture }
        if g_type_check_instance_is_a(instance, gtk_image_get_type()) != 0 { return .image }
        return nil
    }

    private static let dataKey = "swift-web-image-state"
}
