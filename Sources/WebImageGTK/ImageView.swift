import CGTK
public import Foundation
public import WebImageCore

/// A GTK widget that shows a picture from a URL.
///
/// A handle over the widget: what it shows and what it loads belongs to the widget and dies with it, so several
/// handles over one widget agree, and a handle may be dropped as soon as a container holds the widget.
/// Main actor only; the GLib loop is attached by the first view (see ``MainLoop/attach()``).
@MainActor public final class ImageView {
    /// The `GtkWidget`: put it into a container.
    public let widget: OpaquePointer

    let state: ImageWidgetState

    /// A view over a `GtkPicture` of its own, which shows pictures whole and never stretched.
    public convenience init() {
        Self.prepare()
        let picture = OpaquePointer(gtk_picture_new())
        guard let picture, let state = ImageWidgetState.of(picture) else {
            preconditionFailure("GTK cannot make a picture: is there a display?")
        }
        gtk_picture_set_content_fit(picture, GTK_CONTENT_FIT_CONTAIN)
        gtk_picture_set_can_shrink(picture, 1)
        self.init(state)
    }

    /// A view over a `GtkPicture` or `GtkImage` made elsewhere; nil for any other widget.
    ///
    /// The widget keeps the properties it has, such as its content fit.
    public static func adopting(_ widget: OpaquePointer) -> ImageView? {
        prepare()
        return ImageWidgetState.of(widget).map(ImageView.init)
    }

    private init(_ state: ImageWidgetState) {
        self.state = state
        widget = state.widget
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        HandleLedger.opened("GtkWidget")
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(widget))
        HandleLedger.closed("GtkWidget")
    }

    /// The picture shown; setting it leaves a running load alone.
    public var image: Image? {
        get { state.displayedImage }
        set { state.displayedImage = newValue }
    }

    /// The URL last asked for.
    public var imageURL: URL? { state.binding.imageURL() }

    /// The newest load's progress in bytes, updated on the main actor.
    public var imageProgress: Progress {
        get { state.binding.imageProgress }
        set { state.binding.imageProgress = newValue }
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL.
    ///
    /// A picture in memory is shown before this returns. The view's previous load is cancelled, which completes it with
    /// `.cancelled`. Nil completes at once with `.invalidURL`.
    /// - Parameters:
    ///   - progress: called on the main actor with the newest figures in bytes.
    ///   - completed: called on the main actor exactly once, after the picture was set (`.refreshCached`: a second time
    ///     when the picture changed).
    /// - Returns: the load, to be cancelled alone; nil without a URL.
    @discardableResult
    public func setImage(
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

    /// Cancels the view's load, which completes with `.cancelled` before this returns; the picture shown stays.
    public func cancelCurrentImageLoad() { state.binding.cancelImageLoad() }

    private static func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        MainLoop.attach()
        if gtk_is_initialized() == 0 { gtk_init_check() }
    }

    private static var isPrepared = false
}
