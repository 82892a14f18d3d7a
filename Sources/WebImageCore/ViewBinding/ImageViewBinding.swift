package import Foundation

/// Keeps one view and its loads in step: what is shown belongs to the newest load, and every load completes once.
///
/// Knows no toolkit; a view owns one and hands itself in as ``ImageDisplaying``. Loads are told apart by operation key,
/// so that one view may load several pictures (a button's per state).
@MainActor package final class ImageViewBinding {
    private struct Slot {
        var url: URL?
        var progress: Progress?
        var running: [ViewLoad] = []
        /// Images of loads older than this generation are not shown any more.
        var oldestShowable = 0
    }

    private weak var display: (any ImageDisplaying)?
    private let defaultKey: String
    private var slots: [String: Slot] = [:]
    private var generation = 0

    /// The key of the newest load.
    package private(set) var latestOperationKey: String

    /// Binds a view; `operationKey` names its loads unless a context names them otherwise.
    package init(display: any ImageDisplaying, operationKey: String) {
        self.display = display
        defaultKey = operationKey
        latestOperationKey = operationKey
    }

    isolated deinit { cancelAll() }

    /// The URL last asked for under a key; the newest load's unless said.
    package func imageURL(forKey key: String? = nil) -> URL? { slots[key ?? latestOperationKey]?.url }

    /// The newest load's progress in bytes; updated on the main actor.
    package var imageProgress: Progress {
        get {
            if let progress = slots[latestOperationKey]?.progress { return progress }
            let progress = Progress(totalUnitCount: 0)
            slots[latestOperationKey, default: Slot()].progress = progress
            return progress
        }
        set { slots[latestOperationKey, default: Slot()].progress = newValue }
    }

    /// Shows the placeholder (also none), then the image of `url`; nil completes at once with `.invalidURL`.
    ///
    /// What is in memory is shown before this returns. The view's previous load under the same key is cancelled, which
    /// completes it, before anything else happens.
    @discardableResult
    package func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, setImage: ViewSetImageBlock? = nil,
        progress: ViewImageProgressBlock? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        var context = context ?? [:]
        let key = context.read(.setImageOperationKey, as: String.self) ?? defaultKey
        context[.setImageOperationKey] = key
        let loader = context.read(.customManager, as: (any ViewImageLoading).self) ?? Self.defaultLoader()
        context[.customManager] = nil
        latestOperationKey = key
        if !options.contains(.avoidAutoCancelImage) { cancelImageLoad(forKey: key) }

        generation += 1
        let generation = generation
        slots[key, default: Slot()].url = url
        // A completion of the loads just cancelled may have started another one: older than this, so never shown.
        if !options.contains(.avoidAutoCancelImage) { slots[key]?.oldestShowable = generation }
        // Without a URL the load ends here without an image, which is what a delayed placeholder waits for.
        if !options.contains(.delayPlaceholder) || url == nil {
            put(placeholderImage, nil, .none, url, setImage)
        }
        guard let url else {
            completed?(nil, Self.missingURL, .none, nil)
            return nil
        }
        resetProgress(key)
        let request = ViewLoadRequest(
            url: url, placeholder: placeholderImage, options: options, progress: progress, completed: completed,
            setImage: setImage)
        let load = ViewLoad(key: key, generation: generation, request: request, binding: self)
        slots[key]?.running.append(load)
        start(load, loader, context)
        return load
    }

    /// Cancels what runs under a key, the newest load's unless said; each completes with `.cancelled` before this returns.
    package func cancelImageLoad(forKey key: String? = nil) {
        let running = slots[key ?? latestOperationKey]?.running ?? []
        for load in running { load.cancel() }
    }

    /// Cancels every load of the view, as when it goes away.
    package func cancelAll() {
        let running = slots.values.flatMap(\.running)
        for load in running { load.cancel() }
    }

    private func start(_ load: ViewLoad, _ loader: any ViewImageLoading, _ context: WebImageContext) {
        let relay = ViewProgressRelay { [weak load] in load?.deliverProgress(received: $0, expected: $1) }
        let operation = loader.loadImage(
            with: load.request.url, options: load.request.options, context: context,
            progress: { received, expected, _ in relay.report(received: received, expected: expected) },
            completed: { image, data, error, cacheType, finished, _ in
                let result = ViewLoadResult(
                    image: image, data: data, error: error, cacheType: cacheType, finished: finished)
                MainThread.run { load.deliver(result) }
            })
        load.attach(operation)
    }

    private static let missingURL = WebImageError(
        .invalidURL, stage: .request, underlying: .message("the image URL is nil"))
}

// What a load asks of its view.
extension ImageViewBinding {
    /// Whether a newer load under the same key has replaced this one or has already shown its image.
    func isOvertaken(_ load: ViewLoad) -> Bool { (slots[load.key]?.oldestShowable ?? 0) > load.generation }

    func show(_ image: Image?, _ result: ViewLoadResult, for load: ViewLoad) {
        slots[load.key]?.oldestShowable = load.generation
        put(image, result.data, result.cacheType, load.request.url, load.request.setImage)
    }

    func forget(_ load: ViewLoad) { slots[load.key]?.running.removeAll { $0 === load } }

    /// Makes a progress that heard nothing, as with a cached image, say that all is done.
    func fillProgress(_ load: ViewLoad) {
        guard let progress = slots[load.key]?.progress, progress.totalUnitCount == 0, progress.completedUnitCount == 0
        else { return }
        progress.totalUnitCount = 1
        progress.completedUnitCount = 1
    }

    func update(_ key: String, received: Int, expected: Int) {
        guard let progress = slots[key]?.progress else { return }
        progress.totalUnitCount = Int64(expected)
        progress.completedUnitCount = Int64(received)
    }

    private func resetProgress(_ key: String) {
        slots[key]?.progress?.totalUnitCount = 0
        slots[key]?.progress?.completedUnitCount = 0
    }

    private func put(
        _ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ url: URL?, _ setImage: ViewSetImageBlock?
    ) {
        if let setImage { setImage(image, data, cacheType, url) } else { display?.displayedImage = image }
    }
}

// Whom views ask unless a context says otherwise.
extension ImageViewBinding {
    private nonisolated static let loader = Locked<@Sendable () -> any ViewImageLoading>({ MissingViewLoader() })

    /// Gives the manager of views whose context names none; set by the composition root, on any thread.
    package nonisolated static var defaultLoader: @Sendable () -> any ViewImageLoading {
        get { loader.withLock { $0 } }
        set { loader.withLock { $0 = newValue } }
    }
}
