import Foundation
import WebImageCore
import WebImageLoading
import WebImageViews

/// The load of one row's image. The load is started, cancelled and reprioritised while the list scrolls.
@MainActor final class RowLoad {
    private enum State {
        /// The image is not requested, because the row is too far away or its load was cancelled.
        case waiting
        case loading
        /// The image is shown, the load has failed, or there is no image to show.
        case ended
    }

    let row: any ImageListRow
    /// The widget that the list places: the row's own widget, or a container around it.
    let container: OpaquePointer
    /// The row's position in the list; nil while the row is not bound.
    private(set) var position: Int?
    /// The request of the row's image; nil while the row is not bound.
    private(set) var request: ImageListRequest?
    /// The position of the row before it was unbound.
    private(set) var lastPosition: Int?
    /// Returns the size that the list's rows give the image of a request; nil if it does not matter. Rows that GTK has bound
    /// but not laid out have no size.
    var expectedSize: (@MainActor (ImageListRequest) -> ViewSize?)?
    /// Returns running loads of the same picture, which then belong to this object.
    var runningLoads: (@MainActor (ImageListRequest) -> [any WebImageOperation])?
    /// Running loads of the same picture. They end with the row's own load, which shares their work.
    private var companions: [any WebImageOperation] = []
    private var state = State.ended
    private var interest = ScrollPrefetchPolicy.Interest.none
    private var generation = 0
    private let loader = RowLoader()
    /// The loads of the row's further views.
    let further: [RowLoad]

    init(_ row: any ImageListRow, in container: OpaquePointer? = nil) {
        self.row = row
        further = row.furtherImageViews.map { RowLoad($0) }
        self.container = container ?? row.widget
        row.imageView.state.keepsSizeWhenEmpty = true
    }

    /// Shows a position's image. An image in memory is shown before this method returns; other images are loaded when
    /// ``want(_:)`` requires them.
    func bind(_ request: ImageListRequest?, at position: Int) {
        generation += 1
        endCompanions()
        self.position = position
        self.request = request
        interest = .none
        guard let request, request.url != nil else {
            // A row without a picture is no failure, so there is no load that could end.
            row.imageView.cancelCurrentImageLoad()
            row.fittingView?.isEmpty = request?.placeholderImage == nil
            row.imageView.image = request?.placeholderImage
            state = .ended
            return
        }
        switch memoryAnswer {
        case .hit(let image): ask(image)
        case .unknown where isInMemory: ask()
        default: wait()
        }
    }

    /// Returns whether the row shows or loads the picture of a request.
    func isServing(_ request: ImageListRequest) -> Bool {
        state != .waiting && self.request?.hasSamePicture(as: request) == true
    }

    /// Binds the row to a request that it already serves.
    func rebind(_ request: ImageListRequest, at position: Int) {
        self.position = position
        self.request = request
    }

    /// Ends the load for the row; the row keeps its image until it is bound again. Returns the operations of the load, which
    /// continue until the caller cancels them.
    func unbind() -> [any WebImageOperation] {
        generation += 1
        lastPosition = position
        position = nil
        request = nil
        let own = state == .loading ? row.imageView.state.binding.releaseLoad() : nil
        state = .ended
        row.imageView.cancelCurrentImageLoad()
        defer { companions = [] }
        return companions + (own.map { [$0] } ?? [])
    }

    /// Sets the position after rows above were inserted or removed.
    func move(to position: Int) {
        self.position = position
        for load in further { load.move(to: position) }
    }

    /// Starts, reprioritises or cancels the load when the row's urgency changes.
    func want(_ interest: ScrollPrefetchPolicy.Interest) {
        guard interest != self.interest else { return }
        self.interest = interest
        switch state {
        case .ended: break
        case .waiting: if interest != .none { ask() }
        case .loading:
            if interest == .none { giveUp() } else { loader.hurry(interest == .visible ? .high : .low) }
        }
    }

    /// The result of the memory lookup with which the load would begin. `.unknown` if the view or the context could
    /// change the load before the load reaches the manager.
    private var memoryAnswer: WebImageManager.MemoryAnswer {
        guard let request, let url = request.url, let manager = request.loader as? WebImageManager,
            request.context?[.thumbnail] == nil, type(of: row.imageView) == ImageView.self
        else { return .unknown }
        let full = manager.memoryAnswer(for: url, options: request.options, context: request.context)
        guard case .miss = full, let context = contextAtViewSize else { return full }
        return manager.memoryAnswer(for: url, options: request.options, context: context)
    }

    private var isInMemory: Bool {
        guard let request, let url = request.url else { return false }
        // A view whose request names the size of the view does not show a picture of another size.
        let isSizeNamed = request.context?[.thumbnail] != nil
        if !isSizeNamed, request.loader.imageInMemory(for: url, context: request.context) != nil { return true }
        guard let context = contextAtViewSize else { return false }
        return request.loader.imageInMemory(for: url, context: context) != nil
    }

    /// The context of the request with the size at which the list's rows decode its image; nil without such a size.
    private var contextAtViewSize: WebImageContext? {
        guard let request, let size = expectedSize?(request), let box = request.box(at: size) else { return nil }
        var context = request.context ?? [:]
        context[.thumbnail] = nil
        context[.imageThumbnailPixelSize] = box
        return context
    }

    /// Shows the placeholder in the known proportions without starting a load.
    private func wait() {
        state = .waiting
        row.imageView.cancelCurrentImageLoad()
        guard let request else { return }
        let context = row.fittingView?.fit(request) ?? request.context
        loader.prepare(request.loader, nil)
        // The row may already show this picture, for example after a reload of the list.
        if let url = request.url, row.imageView.state.binding.showsPicture(of: url, context: context, loader: loader) {
            return
        }
        row.imageView.image = request.placeholderImage
    }

    /// Starts the load; `hit` is the image that was just found in memory.
    private func ask(_ hit: Image? = nil) {
        guard let request else { return }
        state = .loading
        let generation = generation
        var context = row.fittingView?.fit(request) ?? request.context ?? [:]
        if let size = expectedSize?(request), size.limits { context[.expectedViewSize] = size }
        endCompanions()
        let running = runningLoads?(request) ?? []
        loader.prepare(request.loader, hit)
        context[.customManager] = loader
        // A row that keeps its load may be bound to a request with other closures.
        row.imageView.setImage(
            with: request.url, placeholderImage: request.placeholderImage, options: request.options(for: interest),
            context: context,
            progress: { [weak self] received, expected, url in
                self?.current(request, generation).progress?(received, expected, url)
            }
        ) { [weak self] image, error, cacheType, url in
            (self?.current(request, generation) ?? request).completed?(image, error, cacheType, url)
            guard let self, self.generation == generation else { return }
            state = error?.isCancellation == true ? .waiting : .ended
            endCompanions()
            row.fittingView?.hasEnded(with: image)
        }
        companions += running
        if state != .loading { endCompanions() }
    }

    /// Returns the present request if the row has kept the load of `request`, otherwise `request`.
    private func current(_ request: ImageListRequest, _ generation: Int) -> ImageListRequest {
        generation == self.generation ? self.request ?? request : request
    }

    private func endCompanions() {
        let ended = companions
        companions = []
        for operation in ended { operation.cancel() }
    }

    private func giveUp() {
        guard state == .loading else { return }
        row.imageView.cancelCurrentImageLoad()
        endCompanions()
    }
}

/// Forwards a view's loads and stores the newest load, so that the priority of this load can be changed.
private final class RowLoader: ViewImageLoading {
    private struct State {
        var base: (any ViewImageLoading)?
        var hit: Image?
        var operation: WebImageCombinedOperation?
    }

    private let state = Locked(State())

    /// Sets the loader of the next load. If `hit` is not nil, the next load delivers this image immediately and does
    /// not use the loader.
    func prepare(_ base: any ViewImageLoading, _ hit: Image?) {
        state.withLock { ($0.base, $0.hit) = (base, hit) }
    }

    var nextLoader: (any ViewImageLoading)? { state.withLock { $0.base } }

    func imageInMemory(for url: URL, context: WebImageContext?) -> Image? {
        let (base, hit) = state.withLock { ($0.base, $0.hit) }
        return hit ?? base?.imageInMemory(for: url, context: context)
    }

    func hurry(_ priority: LoadPriority) { state.withLock { $0.operation }?.priority = priority }

    func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        let (base, hit) = state.withLock { state in
            defer { state.hit = nil }
            return (state.base, state.hit)
        }
        if let hit {
            completed(hit, nil, nil, .memory, true, url)
            return AnsweredLoad()
        }
        let operation = (base ?? ImageViewBinding.defaultLoader()).loadImage(
            with: url, options: options, context: context, progress: progress, completed: completed)
        let old = state.withLock { state in
            defer { state.operation = operation as? WebImageCombinedOperation }
            return state.operation
        }
        withExtendedLifetime(old) {}
        return operation
    }
}

/// A load that completed before it was returned.
private struct AnsweredLoad: WebImageOperation {
    var isCancelled: Bool { false }
    func cancel() {}
}
