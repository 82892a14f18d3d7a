public import Foundation
public import WebImageCore

/// Selects the caches that an operation uses, and the order in which the operation uses them.
public enum ImageCachesManagerOperationPolicy: Int, Sendable {
    /// Uses the caches one after another, starting with the highest. Queries stop at the first hit.
    case serial = 0
    /// Uses all caches concurrently. Queries deliver the first hit that arrives.
    case concurrent = 1
    /// Uses only the highest cache.
    case highestOnly = 2
    /// Uses only the lowest cache.
    case lowestOnly = 3
}

/// Combines several caches into one. The cache that was added last is the highest and is queried first.
///
/// As the cache of a ``WebImageManager``, the list behaves like one cache if all its caches are ``ImageCacheLayers`` too and
/// ``fillsHigherCaches`` is false: loads use the memory of its caches without a queue and decode the bytes on their disks.
///
/// All methods are safe on any thread. Every completion is called exactly once, even for a nil key or if there are no
/// caches. A cancelled query completes with a miss.
public final class ImageCachesManager: ImageCaching {
    /// The default manager. Initially it contains only ``ImageCache/shared``.
    public static let shared = ImageCachesManager()

    private let state: Locked<State>

    private struct State {
        var caches: RoleList<RegisteredCache>
        var query = ImageCachesManagerOperationPolicy.serial
        var store = ImageCachesManagerOperationPolicy.highestOnly
        var remove = ImageCachesManagerOperationPolicy.concurrent
        var contains = ImageCachesManagerOperationPolicy.serial
        var clear = ImageCachesManagerOperationPolicy.concurrent
        var fillsHigher = false
        /// The removals of images and the clears; only ``fillsHigher`` needs them.
        var removals = RecentRemovals()
    }

    /// Creates a manager that contains the shared cache.
    public convenience init() { self.init(caches: [ImageCache.shared]) }

    /// Creates a manager; the last cache is the highest.
    public init(caches: [any ImageCaching]) {
        state = Locked(State(caches: RoleList(caches.map(RegisteredCache.init))))
    }

    /// The caches; the last one is the highest. Nil has the same meaning as an empty array.
    public var caches: [any ImageCaching]? {
        get { registeredCaches.map(\.role) }
        set { state.withLock { $0.caches.roles = (newValue ?? []).map(RegisteredCache.init) } }
    }

    /// Adds a cache, which becomes the highest.
    public func addCache(_ cache: any ImageCaching) {
        let cache = RegisteredCache(cache)
        state.withLock { $0.caches.roles.append(cache) }
    }

    /// Removes a cache. If the cache is an object, it is found by its address. If the cache is a value, it is found by
    /// equality.
    public func removeCache(_ cache: any ImageCaching) {
        state.removeRole(\.caches, cache) { $0.role }
    }

    /// The policy for queries. The default is ``ImageCachesManagerOperationPolicy/serial``.
    public var queryOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.query } }
        set { state.withLock { $0.query = newValue } }
    }

    /// The policy for storing images. The default is ``ImageCachesManagerOperationPolicy/highestOnly``.
    public var storeOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.store } }
        set { state.withLock { $0.store = newValue } }
    }

    /// The policy for removing images. The default is ``ImageCachesManagerOperationPolicy/concurrent``.
    public var removeOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.remove } }
        set { state.withLock { $0.remove = newValue } }
    }

    /// The policy for ``containsImage(forKey:cacheType:completion:)``. The default is
    /// ``ImageCachesManagerOperationPolicy/serial``.
    public var containsOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.contains } }
        set { state.withLock { $0.contains = newValue } }
    }

    /// The policy for clearing caches. The default is ``ImageCachesManagerOperationPolicy/concurrent``.
    public var clearOperationPolicy: ImageCachesManagerOperationPolicy {
        get { state.withLock { $0.clear } }
        set { state.withLock { $0.clear = newValue } }
    }

    /// Whether a serial query copies a hit to the higher caches, if a lower cache delivered the hit. The default is
    /// false.
    public var fillsHigherCaches: Bool {
        get { state.withLock { $0.fillsHigher } }
        set { state.withLock { $0.fillsHigher = newValue } }
    }

    // MARK: SDWebImage's methods

    /// Looks an image up. If the query is cancelled, it completes with a miss on the context's callback queue.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        guard let key else {
            completion?(nil, nil, .none)
            return nil
        }
        let request = ImageCacheRequest(key: key, layers: cacheType, options: options, context: context)
        return query(request) { completion?($0?.image, $0?.data, $0?.layer ?? .none) }
    }

    func query(
        _ request: ImageCacheRequest, _ completion: @escaping @Sendable (ImageCacheHit?) -> Void
    ) -> (any WebImageOperation)? {
        let round = round(\.query)
        guard let first = round.caches.first, request.layers != .none else {
            completion(nil)
            return nil
        }
        if round.caches.count == 1 { return first.query(request, completion) }
        let query = CachesQuery(
            request, fillingUnless: round.isSerial ? removal(of: request.key) : nil, completion: completion)
        query.begin(round)
        return query.isOver ? nil : query
    }

    /// Stores an image.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        guard let key else {
            completion?()
            return
        }
        let request = ImageCacheRequest(key: key, layers: cacheType, options: options, context: context)
        store(image, data: imageData, for: request, completion: completion)
    }

    func store(
        _ image: Image?, data: Data?, for request: ImageCacheRequest, completion: (@Sendable () -> Void)?
    ) {
        round(\.store).perform(completion) { cache, done in
            cache.store(image, data: data, for: request, completion: done)
        }
    }

    /// Removes an image.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        guard let key else {
            completion?()
            return
        }
        remove(key, from: cacheType, callbacks: .main, completion)
    }

    private func remove(
        _ key: String, from layers: ImageCacheType, callbacks: CallbackQueue, _ completion: (@Sendable () -> Void)?
    ) {
        func note() { state.withLock { $0.removals.note(key) } }
        note()
        round(\.remove).perform(completion) { cache, done in
            cache.run(on: callbacks, { await $0.remove(key, from: layers) }, done)
        }
        // A query that began meanwhile reads the entry before its removal.
        note()
    }

    /// Reports the layer that contains an image: memory or disk. The layer belongs to the first cache that reports a
    /// hit.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        guard let key else {
            completion?(.none)
            return
        }
        find(key, among: cacheType, callbacks: .main) { completion?($0) }
    }

    private func find(
        _ key: String, among layers: ImageCacheType, callbacks: CallbackQueue,
        _ completion: @escaping @Sendable (ImageCacheType) -> Void
    ) {
        round(\.contains).ask(isEnough: { $0 != .none }) { cache, _, answer in
            cache.run(on: callbacks, { await $0.layer(of: key, among: layers) }, answer)
        } end: { type in
            completion(type ?? .none)
        }
    }

    /// Removes all images from the layers in `cacheType`.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        removeAll(from: cacheType, callbacks: .main, completion)
    }

    private func removeAll(
        from layers: ImageCacheType, callbacks: CallbackQueue, _ completion: (@Sendable () -> Void)?
    ) {
        state.withLock { $0.removals.noteAll() }
        round(\.clear).perform(completion) { cache, done in
            cache.run(on: callbacks, { await $0.removeAll(from: layers) }, done)
        }
        state.withLock { $0.removals.noteAll() }
    }

    /// Returns a function that tells whether the image was removed since now; nil if queries do not fill higher caches.
    private func removal(of key: String) -> (@Sendable () -> Bool)? {
        let (fills, start) = state.withLock { ($0.fillsHigher, $0.removals.count) }
        guard fills else { return nil }
        return { self.state.withLock { $0.removals.include(key, after: start) } }
    }

    // MARK: The role of a manager's cache

    /// Looks an image up.
    public func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        let request = request.invokingCallbacks
        return await ImageCacheHit.found { query(request, $0) }
    }

    /// Stores an image.
    public func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        let request = request.invokingCallbacks
        await withValueContinuation { continuation in
            store(image, data: data, for: request) { continuation.resume(returning: ()) }
        }
    }

    /// Removes an image.
    public func remove(_ key: String, from layers: ImageCacheType) async {
        await withValueContinuation { continuation in
            remove(key, from: layers, callbacks: .invoking) { continuation.resume(returning: ()) }
        }
    }

    /// Returns the layer that contains an image. The layer belongs to the first cache that reports a hit.
    public func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        await withValueContinuation { continuation in
            find(key, among: layers, callbacks: .invoking) { continuation.resume(returning: $0) }
        }
    }

    /// Removes all images from some layers.
    public func removeAll(from layers: ImageCacheType) async {
        await withValueContinuation { continuation in
            removeAll(from: layers, callbacks: .invoking) { continuation.resume(returning: ()) }
        }
    }

    // MARK: Parts

    /// The caches with the roles that they implement; the last one is the highest.
    var registeredCaches: [RegisteredCache] { state.withLock { $0.caches.roles } }

    /// The caches that a query uses, the highest first.
    var queriedCaches: [RegisteredCache] { chosen(\.query).caches }

    /// The caches that store images.
    var storingCaches: [RegisteredCache] { chosen(\.store).caches }

    private func round(_ policy: KeyPath<State, ImageCachesManagerOperationPolicy>) -> CacheFanOut {
        let (caches, isSerial) = chosen(policy)
        return CacheFanOut(caches: caches, isSerial: isSerial)
    }

    /// Returns the caches that a policy selects, the highest first, and whether they are used one after another.
    private func chosen(
        _ policy: KeyPath<State, ImageCachesManagerOperationPolicy>
    ) -> (caches: [RegisteredCache], isSerial: Bool) {
        state.withLock { state in
            let policy = state[keyPath: policy]
            let chosen: [RegisteredCache] =
                switch policy {
                case .serial, .concurrent: state.caches.roles.reversed()
                case .highestOnly: state.caches.roles.suffix(1)
                case .lowestOnly: Array(state.caches.roles.prefix(1))
                }
            return (chosen, policy == .serial)
        }
    }
}
