import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore

/// A GTK widget that shows an image from a URL and plays animations.
///
/// An animation advances with the window's frames while the widget is visible: mapped, not transparent, and inside the
/// viewport of all enclosing scrolled windows. An invisible animation costs nothing. ``AnimatedImageView`` has the
/// settings of playback.
@MainActor open class ImageView: WidgetView {
    /// Makes a view with a new widget, which shows the whole image in its proportions.
    public init() {
        Self.prepare()
        super.init(webimage_view_new(), key: "ImageView")
    }

    /// Makes a view of an existing `GtkPicture`, `GtkImage` or `AdwAvatar`; nil for any other widget.
    ///
    /// The widget keeps its properties, such as its content fit.
    public required convenience init?(adopting widget: OpaquePointer) {
        Self.prepare()
        guard WidgetKind(of: widget) != .other else { return nil }
        self.init(widget, key: "ImageView")
    }

    override init(_ widget: OpaquePointer, key: String) { super.init(widget, key: key) }

    /// The image shown. Setting it does not cancel a running load.
    public var image: Image? {
        get { state.image }
        set { state.image = newValue }
    }

    /// How images are fitted; ``ImageContentMode/fit`` by default. An adopted widget uses its own properties instead.
    public var contentMode: ImageContentMode {
        get { state.drawing.mode }
        set { if !state.kind.fitsItself { state.drawing.mode = newValue } }
    }

    /// The radius of the corners of the drawn image, in points; 0 by default.
    public var cornerRadius: Double {
        get { state.drawing.cornerRadius }
        set { state.drawing.cornerRadius = max(newValue, 0) }
    }

    /// Shows the placeholder, or nothing, and then the image of a URL.
    ///
    /// An image in memory is shown before this returns. The view's previous load is cancelled and completes with
    /// `.cancelled`. If the view already shows or loads the same image with the same options, nothing changes. A nil
    /// URL completes with `.invalidURL` before this returns.
    /// - Parameters:
    ///   - progress: called on the main actor with the newest figures in bytes.
    ///   - completed: called on the main actor exactly once, after the image was set (with `.refreshCached` a second
    ///     time if the image changed).
    /// - Returns: the load, which can be cancelled; nil without a URL.
    @discardableResult
    open func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, progress: ViewImageProgressBlock?, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        state.binding.setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: progress,
            completed: completed)
    }

    /// Shows the placeholder, or nothing, and then the image of a URL, without reporting progress.
    @discardableResult
    public func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: nil,
            completed: completed)
    }

    /// Shows the image of a URL given as text; text that is no URL completes with `.invalidURL`.
    @discardableResult
    public func setImage(
        with text: String, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: URL(string: text), placeholderImage: placeholderImage, options: options, context: context,
            completed: completed)
    }

    /// The URL of the newest load of the view's image.
    public var currentImageURL: URL? { state.binding.imageURL(forKey: state.binding.ownOperationKey) }

    /// Cancels the view's load, which completes with `.cancelled` before this returns. The image shown stays.
    public func cancelCurrentImageLoad() {
        state.binding.cancelImageLoad(forKey: state.binding.ownOperationKey)
    }
}

// Playback of an animation.
extension ImageView {
    /// Whether the animation plays.
    public var isAnimating: Bool { state.animation?.isAnimating ?? false }
    /// Starts or continues the animation if the widget is visible; does nothing for a still image.
    public func startAnimating() { state.animation?.start() }
    /// Stops the animation at the frame shown, until it becomes visible again or is started.
    ///
    /// See ``AnimatedImageView/resetFrameIndexWhenStopped`` and ``AnimatedImageView/clearBufferWhenStopped``.
    public func stopAnimating() { state.animation?.stop() }
}

// The image of a highlighted view.
extension ImageView {
    /// Whether ``highlightedImage``, if there is one, is shown; ignored while an animation plays.
    public var isHighlighted: Bool {
        get { state.isHighlighted }
        set { if !newValue || state.animation?.player == nil { state.isHighlighted = newValue } }
    }

    /// Shown while ``isHighlighted``.
    public var highlightedImage: Image? {
        get { state.highlightedImage }
        set { state.highlightedImage = newValue }
    }

    /// The operation key of ``setHighlightedImage(with:options:context:progress:completed:)``.
    public static let highlightedImageOperationKey = "highlightedImage"

    /// Clears ``highlightedImage`` and then sets it to the image of a URL; independent of the view's own load.
    @discardableResult
    public func setHighlightedImage(
        with url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ViewImageProgressBlock? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        context[.setImageOperationKey] = Self.highlightedImageOperationKey
        return state.binding.setImage(
            with: url, options: options, context: context,
            own: FurtherViewImage(
                get: { [weak state] in state?.highlightedImage }, set: { [weak state] in state?.highlightedImage = $0 }),
            progress: progress, completed: completed)
    }

    /// The URL of the newest load of the highlighted image.
    public var currentHighlightedImageURL: URL? {
        state.binding.imageURL(forKey: Self.highlightedImageOperationKey)
    }

    /// Cancels the load of the highlighted image.
    public func cancelCurrentHighlightedImageLoad() {
        state.binding.cancelImageLoad(forKey: Self.highlightedImageOperationKey)
    }
}
