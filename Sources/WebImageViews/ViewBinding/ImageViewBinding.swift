package import Foundation
package import WebImageCore
package import WebImageLoading

/// Connects one view with its loads. It ensures that the view shows the image of the newest load, and that every
/// load completes once.
///
/// The binding is independent of the toolkit. A view owns one binding and passes itself as ``ImageDisplaying``. Loads
/// are identified by operation keys, so that one view can load several images, such as one for each state of a
/// button.
@MainActor package final class ImageViewBinding {
    weak var display: (any ImageDisplaying)?
    let defaultKey: String
    var slots: [String: ViewSlot] = [:]
    private var generation = 0

    /// The key of the newest load.
    package private(set) var latestOperationKey: String
    /// The image that is shown after a failure. If nil, the placeholder stays.
    package var errorImage: Image?

    /// Creates the binding of a view. `operationKey` is the key of its loads, unless a context sets another key.
    package init(display: any ImageDisplaying, operationKey: String) {
        self.display = display
        defaultKey = operationKey
        latestOperationKey = operationKey
    }

    isolated deinit { cancelAll() }

    /// Shows the placeholder (nil shows nothing), then the image of `url`. A nil URL completes immediately with
    /// `.invalidURL`.
    ///
    /// First cancels the view's previous load under the same key. The cancelled load completes with `.cancelled`. If
    /// the view already shows or loads the same image with equal parameters, nothing is cancelled, and `completed`
    /// receives the result of the earlier load. An image in memory is shown before this function returns.
    @discardableResult
    package func internalSetImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, own: FurtherViewImage? = nil, owner: ViewLoadOwner? = nil,
        setImage: ViewSetImageBlock? = nil, progress: ViewImageProgressBlock? = nil,
        completed: ViewImageInternalCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let setImage = setImage ?? own?.block
        var context = RequestContext(context)
        let key = context.operationKey ?? defaultKey
        let loader = context.customManager ?? Self.defaultLoader()
        let expectedSize = context.expectedViewSize
        context = context.with(.customManager, nil).with(.expectedViewSize, nil)
        context.operationKey = key
        latestOperationKey = key
        let listener = ViewLoadListener(progress: progress, completed: completed)
        let request = url.map {
            ViewLoadRequest(
                ImageRequest(url: $0, options: options, values: context), placeholder: placeholderImage, loader: loader,
                setImage: setImage, own: own, owner: owner, expectedSize: expectedSize)
        }
        if let request, let joined = join(request, forKey: key, listener) { return joined }
        if !options.contains(.avoidAutoCancelImage) { cancelImageLoad(forKey: key, replaced: true) }
        // If the view already shows this picture, the picture stays until the new picture arrives.
        let kept = request.flatMap { shownPicture(of: $0, forKey: key) }

        let slot = begin(request, forKey: key, options: options)
        guard let request else {
            // Without a URL the load ends here without an image. Show the placeholder even with `.delayPlaceholder`.
            put(
                placeholderImage ?? PlaceholderHashes.image(context), data: nil, origin: .none, url: url, by: setImage)
            display?.updateIndicator(.stop)
            owner?.begins(false)
            owner?.completed(nil, nil, Self.missingURL, .none, true, nil)
            completed?(nil, nil, Self.missingURL, .none, true, nil)
            return nil
        }
        slot.shown = kept
        owner?.begins(kept != nil)
        let load = ViewLoad(
            key: key, generation: generation, request: request, listener: listener, keeping: kept,
            binding: self)
        // Do not show the placeholder before the loader has returned. If the loader delivers an image from memory, the
        // placeholder is not needed, and a recycled row saves one layout and one drawing. With a transition or with a
        // block of the caller, show the placeholder now. A transition shows the image over the placeholder.
        load.holdsPlaceholder = !options.contains(.delayPlaceholder) && kept == nil
        if setImage != nil || display?.hasTransition == true { releasePlaceholder(of: load) }
        slot.running.append(load)
        display?.updateIndicator(.start)
        start(load)
        releasePlaceholder(of: load)
        if !load.isSettled, !load.isCancelled { owner?.waits() }
        return load
    }

    /// Returns the picture that the last request under a key has delivered, if `request` wants the same picture and the
    /// view still shows it; otherwise nil.
    private func shownPicture(of request: ViewLoadRequest, forKey key: String) -> Image? {
        guard let slot = slots[key], let asked = slot.asked, let shown = slot.shown, asked.isSamePicture(as: request),
            asked.owner != nil || displayed(asked) === shown
        else { return nil }
        return shown
    }

    /// Returns whether the view shows the picture of a URL and a context, which the last request under the view's own
    /// key has delivered.
    package func showsPicture(of url: URL, context: WebImageContext?, loader: any ViewImageLoading) -> Bool {
        var context = RequestContext(context).with(.customManager, nil)
        context.operationKey = defaultKey
        let request = ImageRequest(url: url, options: [], values: context)
        return shownPicture(of: ViewLoadRequest(request, loader: loader), forKey: defaultKey) != nil
    }

    /// Shows the placeholder, unless it was already shown or is no longer needed.
    func releasePlaceholder(of load: ViewLoad) {
        guard load.holdsPlaceholder else { return }
        load.holdsPlaceholder = false
        // A newer load has already set its own placeholder.
        guard load.generation == generation else { return }
        let request = load.request
        let placeholder = variantInMemory(request) ?? request.placeholder ?? PlaceholderHashes.image(request.context)
        put(placeholder, data: nil, origin: .none, url: request.url, by: request.setImage)
    }

    /// Loads an image like `internalSetImage`, for callers that need neither the encoded data nor partial images.
    @discardableResult
    package func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, own: FurtherViewImage? = nil, owner: ViewLoadOwner? = nil,
        setImage: ViewSetImageBlock? = nil, progress: ViewImageProgressBlock? = nil,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var internalCompletion: ViewImageInternalCompletedBlock?
        if let completed {
            internalCompletion = { image, _, error, origin, _, url in completed(image, error, origin, url) }
        }
        return internalSetImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, own: own,
            owner: owner, setImage: setImage, progress: progress, completed: internalCompletion)
    }

    /// Resets the state of the loads under a key and records the new request.
    private func begin(_ request: ViewLoadRequest?, forKey key: String, options: WebImageOptions) -> ViewSlot {
        let slot = slot(forKey: key)
        if slot.state == nil { slot.state = WebImageLoadState() }
        slot.state?.url = request?.url
        slot.newest = nextGeneration()
        slot.asked = request?.isRepeatable == true ? request : nil
        (slot.shown, slot.failure, slot.isTrimmed) = (nil, nil, false)
        (slot.decodedBox, slot.partial) = (nil, nil)
        // When the previous load was cancelled, its completion may have started another load. That other load is older
        // than this load, so the image of that other load must not be shown.
        if !options.contains(.avoidAutoCancelImage) { slot.oldestShowable = generation }
        slot.state?.progress?.report(completed: 0, total: Progress.unknownTotal)
        return slot
    }

    func nextGeneration() -> Int {
        generation += 1
        return generation
    }

    /// Returns the slot of a key. Creates the slot at its first use.
    func slot(forKey key: String) -> ViewSlot {
        if let slot = slots[key] { return slot }
        let slot = ViewSlot()
        slots[key] = slot
        return slot
    }

    /// Joins a running load with equal parameters, or reuses the shown image of such a load. Nil if neither exists.
    private func join(
        _ request: ViewLoadRequest, forKey key: String, _ listener: ViewLoadListener
    ) -> (any WebImageOperation)? {
        guard let slot = slots[key], let asked = slot.asked else { return nil }
        if let load = slot.running.last, !load.isResizing {
            guard load.generation == slot.newest, !load.isCancelled,
                asked.isJoinable(by: request, isSettled: load.isSettled)
            else { return nil }
            load.add(listener, of: request)
            slot.asked = load.request
            return load
        }
        guard asked.isAnswered(for: request), let shown = slot.shown, displayed(asked) === shown else { return nil }
        listener.completed?(shown, nil, nil, .memory, true, request.url)
        return EndedOperation()
    }

    func put(
        _ image: Image?, data: Data?, origin: ImageCacheType, url: URL?, by setImage: ViewSetImageBlock?
    ) {
        if let setImage { setImage(image, data, origin, url) } else { display?.displayedImage = image }
    }

    private static let missingURL = WebImageError(
        .invalidURL, stage: .request, underlying: .message("the image URL is nil"))
}

/// The state of the loads under one operation key.
@MainActor final class ViewSlot {
    var state: WebImageLoadState?
    var running: [ViewLoad] = []
    /// An operation that other code stored under the key.
    var foreign: (any WebImageOperation)?
    /// Images of loads older than this generation are no longer shown.
    var oldestShowable = 0
    /// The generation of the newest load.
    var newest = 0
    /// The last request under the key; nil if it cannot be repeated.
    var asked: ViewLoadRequest?
    /// The image that the last request delivered.
    weak var shown: Image?
    /// The newest partial image of the last request.
    weak var partial: Image?
    /// The size of the view at which the image of the last request is decoded; nil if its size does not depend on the
    /// view.
    var decodedBox: CGSize?
    /// Whether the request names no size.
    var isSizedByDefault = false
    /// The error of the last request; nil if it did not fail.
    var failure: WebImageError?
    /// Whether the image was released while the view was not visible.
    var isTrimmed = false
}

// The default loader of views.
extension ImageViewBinding {
    private nonisolated static let loader = Locked<LockedFunction<@Sendable () -> any ViewImageLoading>>(
        LockedFunction { MissingViewLoader() })

    /// The function that returns the loader for requests whose context names no manager. The product `WebImage` sets
    /// this function. Safe on any thread.
    package nonisolated static var defaultLoader: @Sendable () -> any ViewImageLoading {
        get { loader.withLock { $0 }.call }
        set { loader.withLock { $0 = LockedFunction(newValue) } }
    }
}
