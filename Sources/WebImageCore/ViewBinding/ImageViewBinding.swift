package import Foundation

/// Keeps one view consistent with its loads: the view shows the image of the newest load, and every load completes
/// once.
///
/// The binding is independent of any toolkit; a view owns one and passes itself as ``ImageDisplaying``. Loads are
/// identified by operation key, so that one view may load several images (one per state of a button).
@MainActor package final class ImageViewBinding {
    weak var display: (any ImageDisplaying)?
    let defaultKey: String
    var slots: [String: ViewSlot] = [:]
    private var generation = 0

    /// The key of the newest load.
    package private(set) var latestOperationKey: String
    /// The image shown after a failure; nil leaves the placeholder.
    package var errorImage: Image?

    /// Binds a view; `operationKey` is the key of its loads unless a context sets another.
    package init(display: any ImageDisplaying, operationKey: String) {
        self.display = display
        defaultKey = operationKey
        latestOperationKey = operationKey
    }

    isolated deinit { cancelAll() }

    /// Shows the placeholder (nil shows nothing), then the image of `url`; nil completes at once with `.invalidURL`.
    ///
    /// An image in memory is shown before this returns. First of all, the view's previous load under the same key is
    /// cancelled, which completes it. If the view already shows the same image or loads it with equal parameters,
    /// nothing is cancelled, and `completed` receives the result of that load.
    @discardableResult
    package func internalSetImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, own: FurtherViewImage? = nil, setImage: ViewSetImageBlock? = nil,
        progress: ViewImageProgressBlock? = nil, completed: ViewImageInternalCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let setImage = setImage ?? own?.block
        var context = RequestContext(context)
        let key = context.operationKey ?? defaultKey
        let loader = context.customManager ?? Self.defaultLoader()
        context = context.with(.setImageOperationKey, key).with(.customManager, nil)
        latestOperationKey = key
        let listener = ViewLoadListener(progress: progress, completed: completed)
        let request = url.map {
            ViewLoadRequest(
                url: $0, placeholder: placeholderImage, options: options, context: context, loader: loader,
                setImage: setImage, own: own)
        }
        if let request, let joined = join(request, key, listener) { return joined }
        if !options.contains(.avoidAutoCancelImage) { cancelImageLoad(forKey: key, replaced: true) }

        generation += 1
        let slot = begin(request, key, options)
        guard let request else {
            // Without a URL the load ends here without an image; a delayed placeholder is shown at that moment.
            put(placeholderImage ?? PlaceholderHashes.image(context), nil, .none, url, setImage)
            display?.updateIndicator(.stop)
            completed?(nil, nil, Self.missingURL, .none, true, nil)
            return nil
        }
        let load = ViewLoad(key: key, generation: generation, request: request, listener: listener, binding: self)
        // An image in memory replaces the placeholder before it is drawn. Skipping the placeholder saves a recycled row
        // one layout and one drawing. An image that appears with a transition appears over the placeholder, which is
        // therefore shown first.
        load.holdsPlaceholder = !options.contains(.delayPlaceholder)
        if setImage != nil || display?.hasTransition == true { releasePlaceholder(of: load) }
        slot.running.append(load)
        display?.updateIndicator(.start)
        start(load)
        releasePlaceholder(of: load)
        return load
    }

    /// Shows the placeholder that a load still holds back.
    func releasePlaceholder(of load: ViewLoad) {
        guard load.holdsPlaceholder else { return }
        load.holdsPlaceholder = false
        // A newer load has already set its own placeholder.
        guard load.generation == generation else { return }
        let request = load.request
        let placeholder = variantInMemory(request) ?? request.placeholder ?? PlaceholderHashes.image(request.context)
        put(placeholder, nil, .none, request.url, request.setImage)
    }

    /// The same for callers that need neither the data nor partial images.
    @discardableResult
    package func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, own: FurtherViewImage? = nil, setImage: ViewSetImageBlock? = nil,
        progress: ViewImageProgressBlock? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var internalCompletion: ViewImageInternalCompletedBlock?
        if let completed {
            internalCompletion = { image, _, error, origin, _, url in completed(image, error, origin, url) }
        }
        return internalSetImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, own: own,
            setImage: setImage, progress: progress, completed: internalCompletion)
    }

    /// Resets the state of a key and records the new request.
    private func begin(_ request: ViewLoadRequest?, _ key: String, _ options: WebImageOptions) -> ViewSlot {
        let slot = slot(forKey: key)
        if slot.state == nil { slot.state = WebImageLoadState() }
        slot.state?.url = request?.url
        slot.newest = generation
        slot.asked = request?.isRepeatable == true ? request : nil
        (slot.shown, slot.failure, slot.isTrimmed) = (nil, nil, false)
        // A completion of the loads just cancelled may have started another load; it is older than this one, so it is
        // never shown.
        if !options.contains(.avoidAutoCancelImage) { slot.oldestShowable = generation }
        slot.state?.progress?.report(completed: 0, total: 0)
        return slot
    }

    /// Returns the state of a key, made at first use.
    func slot(forKey key: String) -> ViewSlot {
        if let slot = slots[key] { return slot }
        let slot = ViewSlot()
        slots[key] = slot
        return slot
    }

    /// Joins the load or the shown image that has equal parameters.
    private func join(
        _ request: ViewLoadRequest, _ key: String, _ listener: ViewLoadListener
    ) -> (any WebImageOperation)? {
        guard let slot = slots[key], let asked = slot.asked, asked.isJoinable(by: request) else { return nil }
        if let load = slot.running.last {
            guard load.generation == slot.newest, !load.isCancelled, asked.placeholder === request.placeholder else {
                return nil
            }
            load.add(listener)
            return load
        }
        guard let shown = slot.shown, display?.displayedImage === shown else { return nil }
        listener.completed?(shown, nil, nil, .memory, true, request.url)
        return EndedOperation()
    }

    private func start(_ load: ViewLoad) {
        guard let wanted = load.request.context.viewThumbnail, let display else {
            return load.start()
        }
        display.whenSized(within: wanted.deadline) { [weak load] size in load?.start(thumbnail: size) }
    }

    func put(
        _ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ url: URL?, _ setImage: ViewSetImageBlock?
    ) {
        if let setImage { setImage(image, data, cacheType, url) } else { display?.displayedImage = image }
    }

    private static let missingURL = WebImageError(
        .invalidURL, stage: .request, underlying: .message("the image URL is nil"))
}

/// The state of one operation key.
@MainActor final class ViewSlot {
    var state: WebImageLoadState?
    var running: [ViewLoad] = []
    /// An operation that other code stored under the key.
    var foreign: (any WebImageOperation)?
    /// Images of loads older than this generation are no longer shown.
    var oldestShowable = 0
    /// The generation of the newest load.
    var newest = 0
    /// The last request, if it can be repeated.
    var asked: ViewLoadRequest?
    /// The image that the request delivered.
    weak var shown: Image?
    /// The error of the request.
    var failure: WebImageError?
    /// Whether the image was released while the view was not visible.
    var isTrimmed = false
}

// The default loader of views.
extension ImageViewBinding {
    private nonisolated static let loader = Locked<@Sendable () -> any ViewImageLoading>({ MissingViewLoader() })

    /// Returns the manager of views whose context sets none; set by the composition root, on any thread.
    package nonisolated static var defaultLoader: @Sendable () -> any ViewImageLoading {
        get { loader.withLock { $0 } }
        set { loader.withLock { $0 = newValue } }
    }
}
