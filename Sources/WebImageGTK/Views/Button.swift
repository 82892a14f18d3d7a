import CWebImageGTK
public import Foundation
public import WebImageCore

/// A `GtkButton` that shows pictures from URLs, one for each of its states, and one behind them.
///
/// The first picture takes the place of the button's label. A handle over the button, as ``ImageView`` is over its widget.
@MainActor open class Button: WidgetView {
    /// A button of its own.
    public init() {
        Self.prepare()
        guard let button = gtk_button_new() else { preconditionFailure("GTK makes no widgets: is there a display?") }
        super.init(OpaquePointer(button), key: "Button")
    }

    /// A handle over a `GtkButton` made elsewhere, or one of its kinds; nil for any other widget.
    public required convenience init?(adopting widget: OpaquePointer) {
        Self.prepare()
        guard UnsafeMutablePointer<GTypeInstance>(widget).isA(gtk_button_get_type()) else { return nil }
        self.init(widget, key: "Button")
    }

    override init(_ widget: OpaquePointer, key: String) { super.init(widget, key: key) }

    var face: ButtonFace { state.buttonFace }

    /// What the button is doing now.
    public var controlState: ControlState { face.state }

    /// The picture of a state; nil where it has none of its own.
    public func image(for state: ControlState) -> Image? { face.image(for: state) }
    /// Sets the picture of a state; a state without one shows that of the normal state.
    public func setImage(_ image: Image?, for state: ControlState) { face.setImage(image, for: state) }
    /// The picture shown now.
    public var currentImage: Image? { face.currentImage }

    /// The picture behind those of a state; nil where it has none of its own.
    public func backgroundImage(for state: ControlState) -> Image? { face.background(for: state) }
    /// Sets the picture behind those of a state, stretched to the button's shape.
    public func setBackgroundImage(_ image: Image?, for state: ControlState) { face.setBackground(image, for: state) }
    /// The picture behind the one shown now.
    public var currentBackgroundImage: Image? { face.currentBackground }
}

// From URLs; each state's load has a key of its own.
extension Button {
    /// Shows the placeholder, or nothing, and then the picture of a URL, for one state.
    ///
    /// Behaves as ``ImageView``'s.
    @discardableResult
    public func setImage(
        with url: URL?, for state: ControlState = .normal, placeholderImage: Image? = nil,
        options: WebImageOptions = [], context: WebImageContext? = nil, progress: ViewImageProgressBlock? = nil,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let picture = FurtherViewImage(
            get: { [weak face] in face?.image(for: state) }, set: { [weak face] in face?.setImage($0, for: state) })
        return load(
            url, imageOperationKey(for: state), placeholderImage, options, context, progress, completed, picture)
    }

    /// The same for the picture behind it.
    @discardableResult
    public func setBackgroundImage(
        with url: URL?, for state: ControlState = .normal, placeholderImage: Image? = nil,
        options: WebImageOptions = [], context: WebImageContext? = nil, progress: ViewImageProgressBlock? = nil,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let picture = FurtherViewImage(
            get: { [weak face] in face?.background(for: state) },
            set: { [weak face] in face?.setBackground($0, for: state) })
        let key = backgroundImageOperationKey(for: state)
        return load(url, key, placeholderImage, options, context, progress, completed, picture)
    }

    private func load(
        _ url: URL?, _ key: String, _ placeholder: Image?, _ options: WebImageOptions, _ context: WebImageContext?,
        _ progress: ViewImageProgressBlock?, _ completed: ViewImageCompletedBlock?, _ picture: FurtherViewImage
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        context[.setImageOperationKey] = key
        return state.binding.setImage(
            with: url, placeholderImage: placeholder, options: options, context: context,
            own: picture, progress: progress, completed: completed)
    }

    /// The operation key of a state's picture, spelled as the original does.
    public func imageOperationKey(for state: ControlState) -> String { "UIButtonImageOperation\(state.rawValue)" }
    /// The operation key of the picture behind a state's, spelled as the original does.
    public func backgroundImageOperationKey(for state: ControlState) -> String {
        "UIButtonBackgroundImageOperation\(state.rawValue)"
    }

    /// The URL last asked for as a state's picture.
    public func imageURL(for state: ControlState) -> URL? {
        self.state.binding.imageURL(forKey: imageOperationKey(for: state))
    }
    /// The URL last asked for as the picture behind a state's.
    public func backgroundImageURL(for state: ControlState) -> URL? {
        self.state.binding.imageURL(forKey: backgroundImageOperationKey(for: state))
    }
    /// The URL of the button's state now, or of the normal one.
    public var currentImageURL: URL? { imageURL(for: controlState) ?? imageURL(for: .normal) }
    /// The URL behind the button's state now, or behind the normal one.
    public var currentBackgroundImageURL: URL? {
        backgroundImageURL(for: controlState) ?? backgroundImageURL(for: .normal)
    }

    /// Cancels the load of a state's picture.
    public func cancelImageLoad(for state: ControlState) {
        self.state.binding.cancelImageLoad(forKey: imageOperationKey(for: state))
    }
    /// Cancels the load of the picture behind a state's.
    public func cancelBackgroundImageLoad(for state: ControlState) {
        self.state.binding.cancelImageLoad(forKey: backgroundImageOperationKey(for: state))
    }
}
