import CWebImageGTKShim
public import Foundation
public import WebImageCore
public import WebImageLoading
public import WebImageViews

/// An ``ImageView`` with properties that control how animations play.
///
/// Like an ``ImageView``, this view is a handle of a widget: the settings and the playback position belong to the
/// widget. Main actor only.
@MainActor open class AnimatedImageView: ImageView {
    /// The display link of the next view. Tests set it.
    private static var nextDisplayLink: (@MainActor (OpaquePointer) -> any DisplayLink)?

    var animation: WidgetAnimation { state.animate { GTKDisplayLink($0) } }

    /// Makes a view with a new widget and requests the frame's size for it, in points.
    public override init(frame: CGRect) {
        super.init(frame: frame)
        if let makeLink = Self.nextDisplayLink.take() { _ = state.animate(makeLink) } else { _ = animation }
    }

    convenience init(displayLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) {
        Self.nextDisplayLink = displayLink
        self.init(frame: .zero)
    }

    /// Makes a view for an existing `GtkPicture`, `GtkImage` or `AdwAvatar`; nil for any other widget.
    public override class func adopting(_ widget: OpaquePointer) -> AnimatedImageView? {
        AnimatedImageView(adopting: widget)
    }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, as ``ImageView`` does.
    ///
    /// Requests an ``AnimatedImage`` unless the context names another class, so that frames are decoded when they are
    /// needed.
    @discardableResult
    open override func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, progress: ViewImageProgressBlock?,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        if context[.animatedImageClass] == nil { context[.animatedImageClass] = AnimatedImage.self }
        return super.setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, progress: progress,
            completed: completed)
    }
}
