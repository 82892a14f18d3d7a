import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore

/// A GTK widget that shows a picture from a URL, and plays it if it is animated.
///
/// An animation plays in step with the window's frames while the widget can be seen: mapped, not transparent, and inside
/// the viewport of the scrolled windows around it; hidden, it costs nothing. ``AnimatedImageView`` controls how it plays.
@MainActor open class ImageView: WidgetView {
    /// A view over a widget of its own, which shows pictures whole and never stretched.
    public init() {
        Self.prepare()
        super.init(webimage_view_new(), key: "ImageView")
    }

    /// A view over a `GtkPicture`, a `GtkImage` or an `AdwAvatar` made elsewhere; nil for any other widget.
    ///
    /// The widget keeps the properties it has, such as its content fit.
    public required convenience init?(adopting widget: OpaquePointer) {
        Self.prepare()
        guard WidgetKind(of: widget) != .other else { return nil }
        self.init(widget, key: "ImageView")
    }

    override init(_ widget: OpaquePointer, key: String) { super.init(widget, key: key) }

    /// The picture shown; setting it leaves a running load alone.
    public var image: Image? {
        get { state.image }
        set { state.image = newValue }
    }

    /// How pictures are fitted; ``ImageContentMode/fit`` at first. An adopted widget fits them in its own way.
    public var contentMode: ImageContentMode {
        get { state.drawing.mode }
        set { if !state.kind.fitsItself { state.drawing.mode = newValue } }
    }

    /// The radius of the corners of what is drawn of the picture, in points; 0 at first.
    public var cornerRadius: Double {
        get { state.drawing.cornerRadius }
        set { state.drawing.cornerRadius = max(newValue, 0) }
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL.
    ///
    /// A picture in memory is shown before this returns. The view's previous load is cancelled, which completes it with
    /// `.cancelled`; what the view already shows or loads in just this way is left to be. Nil completes at once with
    /// `.invalidURL`.
    /// - Parameters:
    ///   - progress: called on the main actor with the newest figures in bytes.
    ///   - completed: called on the main actor exactly once, after the picture was set (`.refreshCached`: a second time
    ///     when the picture changed).
    /// - Returns: the load, to be cancelled alone; nil without a URL.
    @discardableResult
    open func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, progress: ViewImageProgressBlock?, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        state.binding.setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: progress,
            completed: completed)
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL, without telling of progress.
    @discardableResult
    public func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: nil,
            completed: completed)
    }

    /// Shows the picture of a URL given as text; text that is no URL completes with `.invalidURL`.
    @discardableResult
    public func setImage(
        with text: String, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: URL(string: text), placeholderImage: placeholderImage, options: options, context: context,
            completed: completed)
    }

    /// The URL last asked for as the view's own picture.
    public var currentImageURL: URL? { state.binding.imageURL(forKey: state.binding.ownOperationKey) }

    /// Cancels the view's load, which completes with `.cancelled` before this returns; the picture shown stays.
    public func cancelCurrentImageLoad() {
        state.binding.cancelImageLoad(forKey: state.binding.ownOperationKey)
    }
}

// An animated picture, which plays while the widget can be seen.
extension ImageView {
    /// Whether the animation plays now.
    public var isAnimating: Bool { state.animation?.isAnimating ?? false }
    /// Starts the animation, or goes on, if the widget can be seen; nothing for a still.
    public func startAnimating() { state.animation?.start() }
    /// Stops the animation at the frame shown, until it comes into view again or is started.
    ///
    /// See ``AnimatedImageView/resetFrameIndexWhenStopped`` and ``AnimatedImageView/clearBufferWhenStopped``.
    public func stopAnimating() { state.animation?.stop() }
}

// The picture of a view that is highlighted.
extension ImageView {
    /// Whether ``highlightedImage`` is shown, where there is one; ignored while an animation plays.
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

    /// Clears ``highlightedImage`` and then sets it to the picture of a URL; independent of the view's own load.
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

    /// The URL last asked for as highlighted picture.
    public var currentHighlightedImageURL: URL? {
        state.binding.imageURL(forKey: Self.highlightedImageOperationKey)
    }

    /// Cancels the load of the highlighted picture.
    public func cancelCurrentHighlightedImageLoad() {
        state.binding.cancelImageLoad(forKey: Self.highlightedImageOperationKey)
    }
}
