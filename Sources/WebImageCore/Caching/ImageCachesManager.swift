public import Foundation

/// Which of several caches an operation goes to, and in what order.
public enum ImageCachesManagerOperationPolicy: Int, Sendable {
    /// One after another from the highest; questions stop at the first answer.
    case serial = 0
    /// All at once; questions take the first answer that comes.
    case concurrent = 1
    /// The highest alone.
    case highestOnly = 2
    /// The lowest alone.
    case lowestOnly = 3
}

/// Several caches as one: the last added is the highest and is asked first.
///
/// Safe on any thread. Every completion is called exactly once: also for a nil key, without any cache, and after a
/// cancel, which completes with nothing.
public final class ImageCachesManager: ImageCaching {
    /// Starts with ``ImageCache/shared`` alone.
    public static let shared = ImageCachesManager()

    private let state: Locked<State>

    private struct State {
        var caches: [any ImageCaching]
        var query = ImageCachesManagerOperationPolicy.serial
        var store = ImageCachesManagerOperationPolicy.highestOnly
        var remove = ImageCachesManagerOperationPolicy.concurrent
        var contains = ImageCachesManagerOperationPolicy.serial
        var clear = ImageCachesManagerOperationPolicy.concurrent
        var fillsHigher = false
    }

    /// A manager of its own over the shared cache.
    public convenience init() { self.init(caches: [ImageCache.shared]) }

    /// A manager of its own; the last cache is the highest.
    public init(caches: [any ImageCaching]) {
        state = Locked(State(caches: caches))
    }

    /// The caches, the highest at the end; nil and empty mean none.
    public var caches: [any ImageCaching]? {
        get { state.withLock { $0.caches } }
        set { state.withLock { $0.caches = newValue ?? [] } }
    }

    /// Adds a cache above all others.
    public func addCache(_ cache: any ImageCaching) { state.withLock { $0.caches.append(cache) } }

    /// Removes a cache: the same object, or for values the same type.
    public func removeCache(_ cache: any ImageCaching) {
        state.withLock { state in state.caches.removeAll { Self.isSame($0, cache) } }
    }

    /// Where images are looked up. Default ``ImageCachesManagerOperationPolicy/serial``.
    public var queryOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.query } }
        set { state.withLock { $0.query = newValue } }
    }

    /// Where images are stored. Default ``ImageCachesManagerOperationPolicy/highestOnly``.
    public var storeOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.store } }
        set { state.withLock { $0.store = newValue } }
    }

    /// Where images are removed. Default ``ImageCachesManagerOperationPolicy/concurrent``.
    public var removeOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.remove } }
        set { state.withLock { $0.remove = newValue } }
    }

    /// Which caches are asked whether they contain an image. Default ``ImageCachesManagerOperationPolicy/serial``.
    public var containsOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.contains } }
        set { state.withLock { $0.contains = newValue } }
    }

    /// What is cleared. Default ``ImageCachesManagerOperationPolicy/concurrent``.
    public var clearOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.clear } }
        set { state.withLock { $0.clear = newValue } }
    }

    /// Whether an image found in a lower cache by a serial query is stored in the higher ones that missed. Default false.
    public var fillsHigherCaches: Bool {
        get { state.withLock { $0.fillsHigher } }
        set { state.withLock { $0.fillsHigher = newValue } }
    }

    // MARK: The role

    /// Looks an image up. Cancelling completes with nothing, on the context's callback queue.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        let (chosen, isSerial, fillsHigher) = state.withLock { state in
            let chosen = Self.choose(state.caches, state.query)
            return (chosen, state.query == .serial, state.fillsHigher)
        }
        guard let key, let first = chosen.first, cacheType != .none else {
            completion?(nil, nil, .none)
            return nil
        }
        if chosen.count == 1 {
            return first.queryImage(
                forKey: key, options: options, context: context, cacheType: cacheType, completion: completion)
        }
        let query = CachesQuery(
            key: key, options: options, context: context, cacheType: cacheType, fillsHigher: fillsHigher,
            completion: completion)
        if isSerial { query.ask(chosen, from: 0) } else { query.askAll(chosen) }
        return query.isOver ? nil : query
    }

    /// Stores an image.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        let context = SharedContext(value: context)
        perform(\.store, isVain: key == nil, completion) { cache, done in
            cache.storeImage(
                image, imageData: imageData, forKey: key, options: options, context: context.value,
                cacheType: cacheType, completion: done)
        }
    }

    /// Removes an image.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        perform(\.remove, isVain: key == nil, completion) { cache, done in
            cache.removeImage(forKey: key, cacheType: cacheType, completion: done)
        }
    }

    /// Tells in which layer of any cache an image is.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        let (chosen, isSerial) = state.withLock { (Self.choose($0.caches, $0.contains), $0.contains == .serial) }
        guard let key, !chosen.isEmpty else {
            completion?(.none)
            return
        }
        let search = CachesSearch(key: key, cacheType: cacheType, completion: completion)
        if isSerial { search.ask(chosen, from: 0) } else { search.askAll(chosen) }
    }

    /// Empties the named layers.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        perform(\.clear, completion) { cache, done in cache.clear(with: cacheType, completion: done) }
    }

    // MARK: Parts

    /// Runs an operation without an answer on the caches a policy names; completes when all have.
    private func perform(
        _ policy: KeyPath<State, ImageCachesManagerOperationPolicy>, isVain: Bool = false,
        _ completion: (@Sendable () -> Void)?,
        _ operation: @escaping @Sendable (any ImageCaching, _ done: @escaping @Sendable () -> Void) -> Void
    ) {
        let (chosen, isSerial) = state.withLock { state in
            (Self.choose(state.caches, state[keyPath: policy]), state[keyPath: policy] == .serial)
        }
        guard !isVain, !chosen.isEmpty else {
            completion?()
            return
        }
        if isSerial { return Self.next(chosen, 0, operation) { completion?() } }
        let open = Locked(chosen.count)
        for cache in chosen {
            operation(cache) {
                let isLast = open.withLock { open in
                    open -= 1
                    return open == 0
                }
                if isLast { completion?() }
            }
        }
    }

    private static func next(
        _ caches: [any ImageCaching], _ index: Int,
        _ operation: @escaping @Sendable (any ImageCaching, _ done: @escaping @Sendable () -> Void) -> Void,
        _ finish: @escaping @Sendable () -> Void
    ) {
        guard index < caches.count else { return finish() }
        operation(caches[index]) { next(caches, index + 1, operation, finish) }
    }

    /// The caches meant, the highest first.
    private static func choose(
        _ caches: [any ImageCaching], _ policy: ImageCachesManagerOperationPolicy
    ) -> [any ImageCaching] {
        switch policy {
        case .serial, .concurrent: caches.reversed()
        case .highestOnly: caches.suffix(1)
        case .lowestOnly: Array(caches.prefix(1))
        }
    }

    private static func isSame(_ left: any ImageCaching, _ right: any ImageCaching) -> Bool {
        guard type(of: left) == type(of: right) else { return false }
        guard type(of: left) is AnyClass else { return true }
        return left as AnyObject === right as AnyObject
    }
}
