import CWebImageGTKShim
public import Foundation
public import WebImageCore

/// An ``ImageView`` with properties that control how animations play.
///
/// Like an ``ImageView``, this view is a handle of a widget: the settings and the playback position belong to the
/// widget. Main actor only.
@MainActor open class AnimatedImageView: ImageView {
    let animation: WidgetAnimation

    /// Makes a view with a new widget. The widget shows whole images and does not stretch them.
    public convenience override init() { self.init(displayLink: { GTKDisplayLink($0) }) }

    /// Makes a view for an existing `GtkPicture`, `GtkImage` or `AdwAvatar`; nil for any other widget.
    public required convenience init?(adopting widget: OpaquePointer) {
        Self.prepare()
        guard WidgetKind(of: widget) != .other else { return nil }
        self.init(widget) { GTKDisplayLink($0) }
    }

    convenience init(displayLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) {
        Self.prepare()
        self.init(webimage_view_new(), displayLink)
    }

    init(_ widget: OpaquePointer, _ displayLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) {
        animation = ImageWidgetState.of(widget, key: "AnimatedImageView").animate(displayLink)
        super.init(widget, key: "AnimatedImageView")
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
