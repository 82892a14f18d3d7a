import CWebImageGTK
import Foundation
public import WebImageCore

/// A container that shows a different widget for each phase of a load. A closure makes the widgets.
///
/// ```swift
/// let view = PhaseView(ImageRequest(url: url, size: CGSize(width: 96, height: 96))) { phase in
///     switch phase {
///     case .empty, .loading: spinner
///     case .success(let image): ImageView(image)
///     case .failure(let error): label(error.localizedDescription)
///     }
/// }
/// ```
///
/// The closure runs on the main actor whenever the phase changes. The widget that the closure returns replaces the
/// previous widget, unless both are the same. An image in memory is shown before the initialiser returns, without a
/// `.loading` phase. The load belongs to the widget: it is cancelled when the widget is destroyed.
@MainActor public final class PhaseView: WidgetView {
    private let content: Content

    /// Makes a view that loads the image of `request`. Without a request, the phase is `.empty`.
    public init(_ request: ImageRequest?, content make: @escaping @MainActor (WebImagePhase) -> WidgetView) {
        Self.prepare()
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else {
            preconditionFailure("GTK cannot make widgets; is there a display?")
        }
        content = Content(make)
        super.init(OpaquePointer(box), key: "PhaseView")
        content.state = state
        load(request)
    }

    /// Returns nil, because an existing widget has its own children.
    public required convenience init?(adopting widget: OpaquePointer) { nil }

    /// The phase that the view shows.
    public var phase: WebImagePhase { content.phase }

    /// Cancels the previous load and loads another image into the same view. Without a request, the phase is `.empty`.
    public func load(_ request: ImageRequest?) {
        let (content, turn) = (content, content.begin())
        guard let request else {
            state.binding.cancelImageLoad()
            return content.show(.empty)
        }
        internalSetImage(
            with: request.url, options: request.options.union(.avoidAutoSetImage), context: request.context,
            progress: { received, expected, _ in content.report(received, expected, turn) },
            completed: { image, _, error, origin, isFinished, _ in
                content.receive(image, error, isWhole: isFinished || origin != .none, turn)
            })
        // An image in memory is already shown at this point, so there is no `.loading` phase for it.
        if content.hears(turn), !content.hasShown(turn) { content.show(.loading(progress: nil, preview: nil)) }
    }

    /// The state of a ``PhaseView``. The closures of a load retain this object and not the ``PhaseView``, because the
    /// ``PhaseView`` can be released before the load ends.
    @MainActor private final class Content {
        weak var state: ImageWidgetState?
        private(set) var phase = WebImagePhase.empty
        private let make: @MainActor (WebImagePhase) -> WidgetView
        private var turn = 0
        private var shownTurn = 0
        private var child: OpaquePointer?

        init(_ make: @escaping @MainActor (WebImagePhase) -> WidgetView) { self.make = make }

        func begin() -> Int {
            turn += 1
            return turn
        }

        func hears(_ turn: Int) -> Bool { turn == self.turn }
        func hasShown(_ turn: Int) -> Bool { turn == shownTurn }

        func report(_ received: Int, _ expected: Int, _ turn: Int) {
            guard hears(turn) else { return }
            let progress = WebImagePhase.progress(received: received, expected: expected)
            // A cached image stays visible while it is refreshed.
            if case .success = phase, hasShown(turn) { return }
            show(.loading(progress: progress, preview: hasShown(turn) ? phase.image : nil))
        }

        func receive(_ image: Image?, _ error: WebImageError?, isWhole: Bool, _ turn: Int) {
            guard hears(turn) else { return }
            if let image {
                show(isWhole ? .success(image) : .loading(progress: phase.progress, preview: image))
            } else if let error, error.code != .cancelled {
                show(.failure(error))
            }
        }

        func show(_ phase: WebImagePhase) {
            guard let state, !state.isDestroyed else { return }
            (self.phase, shownTurn) = (phase, turn)
            let widget = make(phase).widget
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
