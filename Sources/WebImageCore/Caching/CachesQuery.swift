import Foundation

/// A question put to several caches: the first answer wins, and exactly one completion is called.
final class CachesQuery: WebImageOperation {
    private let key: String
    private let options: WebImageOptions
    private let context: SharedContext
    private let cacheType: ImageCacheType
    private let fillsHigher: Bool
    private let state: Locked<State>

    private struct State {
        var completion: ImageCacheQueryCompletionBlock?
        var children: [any WebImageOperation] = []
        var isOver = false
        var isCancelled = false
    }

    init(
        key: String, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType, fillsHigher: Bool,
        completion: ImageCacheQueryCompletionBlock?
    ) {
        self.key = key
        self.options = options
        self.context = SharedContext(value: context)
        self.cacheType = cacheType
        self.fillsHigher = fillsHigher
        state = Locked(State(completion: completion))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func cancel() {
        guard let (completion, children) = end(cancelling: true) else { return }
        for child in children { child.cancel() }
        guard let completion else { return }
        let callbacks = context.value?.read(.callbackQueue, as: CallbackQueue.self) ?? .main
        callbacks.async { completion(nil, nil, .none) }
    }

    private struct Answer: Sendable {
        let image: Image?
        let data: Data?
        let type: ImageCacheType
    }

    func begin(_ round: CachesRound) {
        // Nobody is asked once the query is over: a cancel counts as enough.
        round.ask(isEnough: { $0.image != nil || self.isOver }) { cache, index, answer in
            guard !self.isOver else { return answer(Answer(image: nil, data: nil, type: .none)) }
            self.put(to: cache) { image, data, type in
                if self.fillsHigher, let image, !self.isOver { self.fill(round.caches.prefix(index), image, data) }
                answer(Answer(image: image, data: data, type: type))
            }
        } end: { answer in
            self.finish(answer?.image, answer?.data, answer?.type ?? .none)
        }
    }

    private func put(to cache: any ImageCaching, _ answer: @escaping ImageCacheQueryCompletionBlock) {
        let child = cache.queryImage(
            forKey: key, options: options, context: context.value, cacheType: cacheType, completion: answer)
        guard let child else { return }
        let isLate = state.withLock { state in
            if !state.isOver { state.children.append(child) }
            return state.isOver
        }
        // It was cancelled, or another cache answered, while this one was being asked.
        if isLate { child.cancel() }
    }

    private func fill(_ higher: ArraySlice<any ImageCaching>, _ image: Image, _ data: Data?) {
        let allowed = context.value?.readCacheType(.storeCacheType) ?? .all
        guard image.isThumbnail, !CacheKey.isThumbnail(key), context.value?.entryNote?.key.isVariant != true else {
            let type: ImageCacheType = data == nil ? (allowed.includesMemory ? .memory : .none) : allowed
            return store(image, data, key, type, in: higher)
        }
        // The bytes are the original's; the image is a thumbnail of it and goes under the thumbnail's key.
        if let data, allowed.includesDisk { store(nil, data, key, .disk, in: higher) }
        guard allowed.includesMemory, let thumbnail = LoadKeys.Thumbnail(context.value),
            context.value?.entryNote?.key.scope == nil
        else { return }
        store(image, nil, LoadKeys.thumbnail(thumbnail, of: key).string, .memory, in: higher)
    }

    private func store(
        _ image: Image?, _ data: Data?, _ key: String, _ type: ImageCacheType, in caches: ArraySlice<any ImageCaching>
    ) {
        for cache in caches {
            cache.storeImage(
                image, imageData: data, forKey: key, options: options, context: context.value, cacheType: type,
                completion: nil)
        }
    }

    private func finish(_ image: Image?, _ data: Data?, _ type: ImageCacheType) {
        guard let (completion, children) = end() else { return }
        for child in children { child.cancel() }
        completion?(image, data, type)
    }

    /// The completion and what still runs, for whoever ends the query first.
    private func end(cancelling: Bool = false) -> (ImageCacheQueryCompletionBlock?, [any WebImageOperation])? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.isCancelled = cancelling
            defer {
                state.completion = nil
                state.children = []
            }
            return (state.completion, state.children)
        }
    }
}
