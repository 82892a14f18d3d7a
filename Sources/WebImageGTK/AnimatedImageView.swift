public import Foundation
public import WebImageCore

/// A GTK widget that shows a picture from a URL and plays it if it is animated.
///
/// A still is shown as in ``ImageView``. An animation plays in step with the window's frames while the widget can be
/// seen: mapped, not transparent, and inside the viewport of the scrolled windows around it; hidden, it costs nothing.
/// A handle over the widget, as ``ImageView`` is: settings and position belong to the widget. Main actor only.
@MainActor public final class AnimatedImageView {
    private let view: ImageView
    let animation: WidgetAnimation

    /// A view over a `GtkPicture` of its own, which shows pictures whole and never stretched.
    public convenience init() { self.init(displayLink: { GTKDisplayLink($0) }) }

    /// A view over a `GtkPicture` or `GtkImage` made elsewhere; nil for any other widget.
    public static func adopting(_ widget: OpaquePointer) -> AnimatedImageView? {
        ImageView.adopting(widget).map { view in AnimatedImageView(view) { GTKDisplayLink($0) } }
    }

    convenience init(displayLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) {
        self.init(ImageView(), displayLink)
    }

    private init(_ view: ImageView, _ displayLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) {
        self.view = view
        animation = view.state.animate(displayLink)
    }

    /// The `GtkWidget`: put it into a container.
    public var widget: OpaquePointer { view.widget }

    /// The picture shown; an animation begins at its first frame. The same instance again changes nothing.
    public var image: Image? {
        get { view.image }
        set { view.image = newValue }
    }

    /// The URL last asked for.
    public var imageURL: URL? { view.imageURL }

    /// The newest load's progress in bytes, updated on the main actor.
    public var imageProgress: Progress {
        get { view.imageProgress }
        set { view.imageProgress = newValue }
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL, as ``ImageView`` does.
    ///
    /// Asks for ``AnimatedImage``, whatever class the context names, so that frames are decoded as they are needed.
    /// - Parameters:
    ///   - progress: called on the main actor with the newest figures in bytes.
    ///   - completed: called on the main actor exactly once, after the picture was set (`.refreshCached`: a second time
    ///     when the picture changed).
    /// - Returns: the load, to be cancelled alone; nil without a URL.
    @discardableResult
    public func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, progress: ViewImageProgressBlock?,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        context[.animatedImageClass] = AnimatedImage.self
        return view.setImage(
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

    /// Cancels the view's load, which completes with `.cancelled` before this returns; the picture shown stays.
    public func cancelCurrentImageLoad() { view.cancelCurrentImageLoad() }
}
