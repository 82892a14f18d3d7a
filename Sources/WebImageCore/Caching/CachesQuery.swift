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

    /// Asks one after another.
    func ask(_ caches: [any ImageCaching], from index: Int) {
        guard index < caches.count else { return finish(nil, nil, .none) }
        guard !isOver else { return }
        put(to: caches[index]) { image, data, type in
            guard let image else { return self.ask(caches, from: index + 1) }
            if self.fillsHigher, !self.isOver { self.fill(caches.prefix(index), image, data) }
            self.finish(image, data, type)
        }
    }

    /// Asks all at once.
    func askAll(_ caches: [any ImageCaching]) {
        let open = Locked(caches.count)
        for cache in caches where !isOver {
            put(to: cache) { image, data, type in
                let isLast = open.withLock { open in
                    open -= 1
                    return open == 0
                }
                if image != nil { return self.finish(image, data, type) }
                if isLast { self.finish(nil, nil, .none) }
            }
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
        let allowed = context.value?.read(.storeCacheType, as: ImageCacheType.self) ?? .all
        let type: ImageCacheType = data == nil ? (allowed.includesMemory ? .memory : .none) : allowed
        for cache in higher {
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

/// The question whether any of several caches contains an image.
final class CachesSearch: Sendable {
    private let key: String
    private let cacheType: ImageCacheType
    private let completion: Locked<(@Sendable (ImageCacheType) -> Void)?>

    init(key: String, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?) {
        self.key = key
        self.cacheType = cacheType
        self.completion = Locked(completion)
    }

    func ask(_ caches: [any ImageCaching], from index: Int) {
        guard index < caches.count else { return finish(.none) }
        caches[index].containsImage(forKey: key, cacheType: cacheType) { type in
            if type == .none { self.ask(caches, from: index + 1) } else { self.finish(type) }
        }
    }

    func askAll(_ caches: [any ImageCaching]) {
        let open = Locked(caches.count)
        for cache in caches {
            cache.containsImage(forKey: key, cacheType: cacheType) { type in
                let isLast = open.withLock { open in
                    open -= 1
                    return open == 0
                }
                if type != .none || isLast { self.finish(type) }
            }
        }
    }

    private func finish(_ type: ImageCacheType) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(type)
    }
}
