import CWebImageGTK
import Foundation
public import WebImageCore
public import WebImageLoading
import WebImageViews

/// A container that shows a different widget for each phase of a load. A closure makes the widgets.
///
/// ```swift
/// var request = ImageRequest(url: url)
/// request.viewThumbnail = .viewSize
/// let view = PhaseView(request) { phase in
///     switch phase {
///     case .empty, .loading: spinner
///     case .success(let image): ImageView(image)
///     case .failure(let error): label(error.localizedDescription)
///     }
/// }
/// view.fixedSize = CGSize(width: 96, height: 96)
/// ```
///
/// Without a size in the request, the image is decoded at full size, because the widgets that the closure makes can have
/// any size.
///
/// The closure runs on the main actor whenever the phase changes. The widget that the closure returns replaces the
/// previous widget, unless both are the same. An image in memory is shown before the initialiser returns, without a
/// `.loading` phase. The load belongs to the widget: it is cancelled when the widget is destroyed. The closure is
/// retained as long as the widget, because a failed load can be repeated (``WidgetView/retryImageLoad(completed:)``,
/// ``WidgetView/retriesOnTap``, ``WidgetView/retriesWhenOnline``).
@MainActor public final class PhaseView: WidgetView {
    private let content: Content

    /// Makes a view that loads the image of `request`. Without a request, the phase is `.empty`.
    public init(_ request: ImageRequest?, content make: @escaping @MainActor (WebImagePhase) -> WidgetView) {
        content = Content(make)
        super.init(frame: .zero)
        content.state = state
        load(request)
    }

    /// Returns nil, because an existing widget has its own children.
    public override class func adopting(_ widget: OpaquePointer) -> PhaseView? { nil }

    /// The phase that the view shows.
    public var phase: WebImagePhase { content.phase }

    /// The error of a refresh that failed while the view kept its picture; nil if the last refresh did not fail. The
    /// phase is still `.success`. With `.refreshCached`, and if ``load(_:)`` requests the shown picture again.
    public var refreshFailure: WebImageError? { content.refreshFailure }

    /// Called on the main actor when ``refreshFailure`` receives an error.
    public var onRefreshFailure: (@MainActor (WebImageError) -> Void)? {
        get { content.onRefreshFailure }
        set { content.onRefreshFailure = newValue }
    }

    /// Cancels the previous load and loads another image into the same view. Without a request, the phase is `.empty`.
    ///
    /// If the view already loads the same request, that load continues. If the view already shows the picture of the
    /// request, the phase stays `.success`: the picture is replaced when the new picture arrives, and not by a failure.
    public func load(_ request: ImageRequest?) {
        guard let request else {
            state.binding.endOwnLoads()
            content.begins(keepsImage: false)
            return content.show(.empty)
        }
        let content = content
        // The binding retains these blocks, so that a load that is repeated after a failure is shown as well.
        let owner = ViewLoadOwner(
            begins: { content.begins(keepsImage: $0) }, waits: { content.waits() },
            progress: { received, expected, _ in content.report(received, expected) },
            completed: { image, _, error, origin, isFinished, _ in
                content.receive(image, error, isWhole: isFinished || origin != .none)
            })
        state.binding.internalSetImage(
            with: request.url, options: request.options.union(.avoidAutoSetImage), context: request.context,
            owner: owner)
    }

    /// The state of a ``PhaseView``. The loads retain this object and not the ``PhaseView``, because the ``PhaseView``
    /// can be released before a load ends.
    @MainActor private final class Content {
        weak var state: ImageWidgetState?
        private(set) var phase = WebImagePhase.empty
        private(set) var refreshFailure: WebImageError?
        var onRefreshFailure: (@MainActor (WebImageError) -> Void)?
        private let make: @MainActor (WebImagePhase) -> WidgetView
        private var child: OpaquePointer?

        init(_ make: @escaping @MainActor (WebImagePhase) -> WidgetView) { self.make = make }

        /// Whether the view shows the picture of the newest request.
        private var hasPicture = false
        /// Whether the view shows a phase of the newest load.
        private var hasShown = false

        func begins(keepsImage: Bool) {
            (hasPicture, hasShown, refreshFailure) = (hasPicture && keepsImage, false, nil)
        }

        func waits() {
            // An image in memory is already shown at this point, so there is no `.loading` phase for it.
            if !hasPicture, !hasShown { show(.loading(progress: nil, preview: nil)) }
        }

        func report(_ received: Int, _ expected: Int) {
            // A picture stays visible while it is refreshed.
            guard !hasPicture else { return }
            let progress = WebImagePhase.progress(received: received, expected: expected)
            show(.loading(progress: progress, preview: hasShown ? phase.image : nil))
        }

        func receive(_ image: Image?, _ error: WebImageError?, isWhole: Bool) {
            if let error, error.code != .cancelled {
                // A valid picture is never replaced by a failure.
                guard hasPicture || image != nil else { return show(.failure(error)) }
                if let image { show(.success(image)) }
                hasPicture = true
                refreshFailure = error
                onRefreshFailure?(error)
            } else if let image {
                if isWhole {
                    (hasPicture, refreshFailure) = (true, nil)
                    show(.success(image))
                } else if !hasPicture {
                    show(.loading(progress: phase.progress, preview: image))
                }
            }
        }

        func show(_ phase: WebImagePhase) {
            guard let state, !state.isDestroyed else { return }
            (self.phase, hasShown) = (phase, true)
            let view = make(phase)
            let widget = view.widget
            guard widget != child else { return }
            let box = UnsafeMutablePointer<GtkBox>(state.widget)
            if let child { gtk_box_remove(box, UnsafeMutablePointer(child)) }
            gtk_widget_set_hexpand(UnsafeMutablePointer(widget), 1)
            gtk_widget_set_vexpand(UnsafeMutablePointer(widget), 1)
            gtk_box_append(box, UnsafeMutablePointer(widget))
            child = widget
        }
    }
}

extension ImageView {
    /// Makes a view that shows an image.
    public convenience init(_ image: Image?) {
        self.init()
        self.image = image
    }
}
