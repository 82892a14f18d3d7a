import CWebImageGTK
public import Foundation
public import WebImageCore
public import WebImageLoading
public import WebImageViews

/// A `GtkButton` that shows images from URLs. Each state of the button can have an image and a background image.
///
/// The first image replaces the button's label. Like an ``ImageView``, this view is a handle: the images and the loads
/// belong to the `GtkButton`.
@MainActor open class Button: WidgetView {
    /// Makes a view for an existing `GtkButton` or a subclass of it; nil for any other widget.
    public override class func adopting(_ widget: OpaquePointer) -> Button? { Button(adopting: widget) }

    /// Makes the widget of a new view.
    override class func makeWidget() -> OpaquePointer {
        guard let button = gtk_button_new() else { preconditionFailure("GTK cannot make widgets; is there a display?") }
        return OpaquePointer(button)
    }

    override class func canAdopt(_ widget: OpaquePointer) -> Bool {
        UnsafeMutablePointer<GTypeInstance>(widget).isA(gtk_button_get_type())
    }

    var face: ButtonFace { state.buttonFace }

    /// The button's current state.
    public var controlState: ControlState { face.state }

    /// Returns the image of a state; nil if the state has no image of its own.
    public func image(for state: ControlState) -> Image? { face.image(for: state) }
    /// Sets the image of a state. In a state without an image, the button shows the image of the normal state.
    public func setImage(_ image: Image?, for state: ControlState) {
        face.setImage(image, for: state)
        self.state.binding.programSetImage(forKey: imageOperationKey(for: state))
    }
    /// The image that the button shows now.
    public var currentImage: Image? { face.currentImage }

    /// Returns the background image of a state; nil if the state has no background image of its own.
    public func backgroundImage(for state: ControlState) -> Image? { face.background(for: state) }
    /// Sets the background image of a state. The button stretches the background image to its shape.
    public func setBackgroundImage(_ image: Image?, for state: ControlState) {
        face.setBackground(image, for: state)
        self.state.binding.programSetImage(forKey: backgroundImageOperationKey(for: state))
    }
    /// The background image that the button shows now.
    public var currentBackgroundImage: Image? { face.currentBackground }
}

// Loading from URLs; each state's load has its own operation key.
extension Button {
    /// Shows the placeholder (nil shows nothing), then the image of a URL, for one state.
    ///
    /// Behaves like ``ImageView/setImage(with:placeholderImage:options:context:progress:completed:)``.
    @discardableResult
    public func setImage(
        with url: URL?, for state: ControlState = .normal, placeholderImage: Image? = nil,
        options: WebImageOptions = [], context: WebImageContext? = nil, progress: ViewImageProgressBlock?,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let picture = FurtherViewImage(
            get: { [weak face] in face?.image(for: state) }, set: { [weak face] in face?.setImage($0, for: state) })
        return load(
            picture, from: url, key: imageOperationKey(for: state), placeholder: placeholderImage, options: options,
            context: context, progress: progress, completed: completed)
    }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, as the background of one state.
    @discardableResult
    public func setBackgroundImage(
        with url: URL?, for state: ControlState = .normal, placeholderImage: Image? = nil,
        options: WebImageOptions = [], context: WebImageContext? = nil, progress: ViewImageProgressBlock?,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let picture = FurtherViewImage(
            get: { [weak face] in face?.background(for: state) },
            set: { [weak face] in face?.setBackground($0, for: state) })
        let key = backgroundImageOperationKey(for: state)
        return load(
            picture, from: url, key: key, placeholder: placeholderImage, options: options, context: context,
            progress: progress, completed: completed)
    }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, for one state, without reporting progress.
    @discardableResult
    public func setImage(
        with url: URL?, for state: ControlState = .normal, placeholderImage: Image? = nil,
        options: WebImageOptions = [], context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: url, for: state, placeholderImage: placeholderImage, options: options, context: context,
            progress: nil, completed: completed)
    }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, as the background of one state, without
    /// reporting progress.
    @discardableResult
    public func setBackgroundImage(
        with url: URL?, for state: ControlState = .normal, placeholderImage: Image? = nil,
        options: WebImageOptions = [], context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setBackgroundImage(
            with: url, for: state, placeholderImage: placeholderImage, options: options, context: context,
            progress: nil, completed: completed)
    }

    private func load(
        _ picture: FurtherViewImage, from url: URL?, key: String, placeholder: Image?, options: WebImageOptions,
        context: WebImageContext?, progress: ViewImageProgressBlock?, completed: ViewImageCompletedBlock?
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        context[.setImageOperationKey] = key
        return state.binding.setImage(
            with: url, placeholderImage: placeholder, options: options, context: context,
            own: picture, progress: progress, completed: completed)
    }

    /// The operation key of a state's image, spelled as in SDWebImage.
    public func imageOperationKey(for state: ControlState) -> String { "UIButtonImageOperation\(state.rawValue)" }
    /// The operation key of a state's background image, spelled as in SDWebImage.
    public func backgroundImageOperationKey(for state: ControlState) -> String {
        "UIButtonBackgroundImageOperation\(state.rawValue)"
    }

    /// The URL that was requested last for the image of a state.
    public func imageURL(for state: ControlState) -> URL? {
        self.state.binding.imageURL(forKey: imageOperationKey(for: state))
    }
    /// The URL that was requested last for the background image of a state.
    public func backgroundImageURL(for state: ControlState) -> URL? {
        self.state.binding.imageURL(forKey: backgroundImageOperationKey(for: state))
    }
    /// The image URL of the current state. If there is none, the image URL of the normal state.
    public var currentImageURL: URL? { imageURL(for: controlState) ?? imageURL(for: .normal) }
    /// The background image URL of the current state. If there is none, the background image URL of the normal state.
    public var currentBackgroundImageURL: URL? {
        backgroundImageURL(for: controlState) ?? backgroundImageURL(for: .normal)
    }

    /// Cancels the load of a state's image.
    public func cancelImageLoad(for state: ControlState) {
        self.state.binding.cancelImageLoad(forKey: imageOperationKey(for: state))
    }
    /// Cancels the load of a state's background image.
    public func cancelBackgroundImageLoad(for state: ControlState) {
        self.state.binding.cancelImageLoad(forKey: backgroundImageOperationKey(for: state))
    }
}
