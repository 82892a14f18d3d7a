import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore
public import WebImageLoading
public import WebImageViews

/// A GTK widget that shows an image from a URL, and plays it if it is animated.
///
/// A picture that is requested without a size is decoded at the size of the view in device pixels, and decoded again when
/// the view becomes larger. ``WebImageViews/ViewThumbnail/fullSize`` requests all its pixels, and has the exceptions. The
/// natural size of the view is the size of the whole picture in every case, so the layout does not change.
///
/// An animation plays in step with the window's frames while the widget is visible: mapped, not transparent, and inside
/// the viewport of the scrolled windows around it. An animation that is not visible costs no CPU time.
/// ``AnimatedImageView`` controls how animations play.
@MainActor open class ImageView: WidgetView {
    /// Makes a view for an existing `GtkPicture`, `GtkImage` or `AdwAvatar`; nil for any other widget.
    ///
    /// The properties of the widget, such as its content fit, are unchanged.
    public override class func adopting(_ widget: OpaquePointer) -> ImageView? { ImageView(adopting: widget) }

    /// Makes the widget of a new view. It shows whole images and does not stretch them.
    override class func makeWidget() -> OpaquePointer { webimage_view_new() }

    override class func canAdopt(_ widget: OpaquePointer) -> Bool { WidgetKind(of: widget) != .other }

    /// The image that the view shows. Setting this property does not cancel a running load.
    public var image: Image? {
        get { state.image }
        set {
            state.image = newValue
            state.binding.programSetImage()
        }
    }

    /// How images are fitted into the view; ``ImageContentMode/fit`` by default. Has no effect on an adopted widget
    /// that fits images itself.
    public var contentMode: ImageContentMode {
        get { state.contentMode }
        set { state.contentMode = newValue }
    }

    /// The corner radius of the drawn part of the image, in points; 0 by default.
    public var cornerRadius: Double {
        get { state.drawing.cornerRadius }
        set { state.drawing.cornerRadius = newValue > 0 ? newValue : 0 }
    }

    /// Shows the placeholder (nil shows nothing), then the image of a URL. Without a URL, the load completes
    /// immediately with `.invalidURL`.
    ///
    /// An image in memory is shown before this method returns. The view's previous load is cancelled and completes with
    /// `.cancelled`. If the view already shows or loads the same image with equal parameters, no load is cancelled.
    /// `completed` then receives the result of the existing load.
    /// - Parameters:
    ///   - context: `.thumbnail(.fullSize)` decodes all pixels of the picture; see ``ImageView``.
    ///   - progress: called on the main actor with the newest byte counts.
    ///   - completed: called on the main actor exactly once, after the image was set. With `.refreshCached`, it is
    ///     called a second time if the image changed.
    /// - Returns: the load, which the caller can cancel; nil without a URL.
    @discardableResult
    open func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, progress: ViewImageProgressBlock?, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        state.binding.setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: progress,
            completed: completed)
    }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, without reporting progress.
    @discardableResult
    public func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: nil,
            completed: completed)
    }

    /// Shows the image of the URL in `text`. If `text` is not a URL, the load completes with `.invalidURL`.
    @discardableResult
    public func setImage(
        with text: String, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: URL(webAddress: text), placeholderImage: placeholderImage, options: options, context: context,
            completed: completed)
    }

    /// The URL that was requested last for the view's own image.
    public var currentImageURL: URL? { state.binding.imageURL(forKey: state.binding.ownOperationKey) }

    /// Cancels the view's load. The load completes with `.cancelled` before this method returns. The shown image is
    /// unchanged.
    public func cancelCurrentImageLoad() {
        state.binding.cancelImageLoad(forKey: state.binding.ownOperationKey)
    }
}

// Animated images, which play while the widget is visible.
extension ImageView {
    /// Whether the animation plays now.
    public var isAnimating: Bool { state.animation?.isAnimating ?? false }
    /// Starts or resumes the animation; if the widget is not visible, as soon as it is. Does nothing for a still image.
    public func startAnimating() { state.animation?.start() }
    /// Stops the animation at the current frame until it becomes visible again or is started.
    ///
    /// See ``AnimatedImageView/resetFrameIndexWhenStopped`` and ``AnimatedImageView/clearBufferWhenStopped``.
    public func stopAnimating() { state.animation?.stop() }
}

// The image of a highlighted view.
extension ImageView {
    /// Whether ``highlightedImage`` is shown instead of ``image``. If ``highlightedImage`` is nil, ``image`` is shown
    /// in every case. Setting this property to true has no effect while the view shows an animation.
    public var isHighlighted: Bool {
        get { state.isHighlighted }
        set { if !newValue || state.animation?.player == nil { state.isHighlighted = newValue } }
    }

    /// The image shown while ``isHighlighted`` is true.
    public var highlightedImage: Image? {
        get { state.highlightedImage }
        set {
            state.highlightedImage = newValue
            state.binding.programSetImage(forKey: Self.highlightedImageOperationKey)
        }
    }

    /// The operation key of ``setHighlightedImage(with:options:context:progress:completed:)``.
    public static let highlightedImageOperationKey = "highlightedImage"

    /// Clears ``highlightedImage`` and then sets it to the image of a URL. This load is independent of the view's own
    /// load.
    @discardableResult
    public func setHighlightedImage(
        with url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ViewImageProgressBlock?, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        context[.setImageOperationKey] = Self.highlightedImageOperationKey
        return state.binding.setImage(
            with: url, options: options, context: context,
            own: FurtherViewImage(
                get: { [weak state] in state?.highlightedImage }, set: { [weak state] in state?.highlightedImage = $0 }),
            progress: progress, completed: completed)
    }

    /// Clears ``highlightedImage`` and then sets it to the image of a URL, without reporting progress.
    @discardableResult
    public func setHighlightedImage(
        with url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setHighlightedImage(with: url, options: options, context: context, progress: nil, completed: completed)
    }

    /// The URL that was requested last for the highlighted image.
    public var currentHighlightedImageURL: URL? {
        state.binding.imageURL(forKey: Self.highlightedImageOperationKey)
    }

    /// Cancels the load of the highlighted image.
    public func cancelCurrentHighlightedImageLoad() {
        state.binding.cancelImageLoad(forKey: Self.highlightedImageOperationKey)
    }
}
