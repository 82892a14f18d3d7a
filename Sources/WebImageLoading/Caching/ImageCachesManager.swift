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
        var caches: RoleList<ResolvedCache>
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
        state = Locked(State(caches: RoleList(caches.map(ResolvedCache.init))))
    }

    /// The caches; the last one is the highest. Nil has the same meaning as an empty array.
    public var caches: [any ImageCaching]? {
        get { resolvedCaches.map(\.role) }
        set { state.withLock { $0.caches.roles = (newValue ?? []).map(ResolvedCache.init) } }
    }

    /// Adds a cache, which becomes the highest.
    public func addCache(_ cache: any ImageCaching) {
        let cache = ResolvedCache(cache)
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

    // MARK: The role

    /// Looks an image up. If the query is cancelled, it completes with a miss on the context's callback queue.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        let round = round(\.query)
        guard let key, let first = round.caches.first, cacheType != .none else {
            completion?(nil, nil, .none)
            return nil
        }
        if round.caches.count == 1 {
            return first.queryImage(
                forKey: key, options: options, context: context, cacheType: cacheType, completion: completion)
        }
        let query = CachesQuery(
            key: key, options: options, context: context, cacheType: cacheType,
            fillingUnless: round.isSerial ? removal(of: key) : nil, completion: completion)
        query.begin(round)
        return query.isOver ? nil : query
    }

    /// Stores an image.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        let context = RequestContext(context)
        round(key == nil ? nil : \.store).perform(completion) { cache, done in
            cache.storeImage(
                image, imageData: imageData, forKey: key, options: options, context: context.dictionary,
                cacheType: cacheType, completion: done)
        }
    }

    /// Removes an image.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        func note() { if let key { state.withLock { $0.removals.note(key) } } }
        note()
        round(key == nil ? nil : \.remove).perform(completion) { cache, done in
            cache.removeImage(forKey: key, cacheType: cacheType, completion: done)
        }
        // A query that began meanwhile reads the entry before its removal.
        note()
    }

    /// Reports the layer that contains an image: memory or disk. The layer belongs to the first cache that reports a
    /// hit.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        round(key == nil ? nil : \.contains).ask(isEnough: { $0 != .none }) { cache, _, answer in
            cache.containsImage(forKey: key, cacheType: cacheType, completion: answer)
        } end: { type in
            completion?(type ?? .none)
        }
    }

    /// Removes all images from the layers in `cacheType`.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        state.withLock { $0.removals.noteAll() }
        round(\.clear).perform(completion) { cache, done in cache.clear(with: cacheType, completion: done) }
        state.withLock { $0.removals.noteAll() }
    }

    /// Returns a function that tells whether the image was removed since now; nil if queries do not fill higher caches.
    private func removal(of key: String) -> (@Sendable () -> Bool)? {
        let (fills, start) = state.withLock { ($0.fillsHigher, $0.removals.count) }
        guard fills else { return nil }
        return { self.state.withLock { $0.removals.include(key, after: start) } }
    }

    // MARK: Parts

    /// The caches with the roles that they implement; the last one is the highest.
    var resolvedCaches: [ResolvedCache] { state.withLock { $0.caches.roles } }

    /// The caches that ``containsImage(forKey:cacheType:completion:)`` checks, the highest first.
    var cachesToAsk: [ResolvedCache] { chosen(\.contains).caches }

    /// The caches that a query uses, the highest first.
    var queriedCaches: [ResolvedCache] { chosen(\.query).caches }

    /// The caches that store images.
    var storingCaches: [ResolvedCache] { chosen(\.store).caches }

    /// Returns the caches that a policy selects; no caches when `policy` is nil.
    private func round(_ policy: KeyPath<State, ImageCachesManagerOperationPolicy>?) -> CacheFanOut {
        guard let policy else { return CacheFanOut(caches: [], isSerial: true) }
        let (caches, isSerial) = chosen(policy)
        return CacheFanOut(caches: caches.map(\.role), isSerial: isSerial)
    }

    /// Returns the caches that a policy selects, the highest first, and whether they are used one after another.
    private func chosen(
        _ policy: KeyPath<State, ImageCachesManagerOperationPolicy>
    ) -> (caches: [ResolvedCache], isSerial: Bool) {
        state.withLock { state in
            let policy = state[keyPath: policy]
            let chosen: [ResolvedCache] =
                switch policy {
                case .serial, .concurrent: state.caches.roles.reversed()
                case .highestOnly: state.caches.roles.suffix(1)
                case .lowestOnly: Array(state.caches.roles.prefix(1))
                }
            return (chosen, policy == .serial)
        }
    }
}

/// A cache and the roles that it implements. A cache is asked once for its roles: when a manager is created with it, when
/// it is added to an ``ImageCachesManager``, or when a load names it. The code of a load therefore casts no cache.
package final class ResolvedCache: Sendable {
    let role: any ImageCaching
    private let own: (any ImageCacheLayers)?
    /// The cache if it is an ``ImageCache``; otherwise nil.
    let imageCache: ImageCache?
    private let manager: ImageCachesManager?

    init(_ role: any ImageCaching) {
        self.role = role
        own = role.layers
        imageCache = role as? ImageCache
        manager = role as? ImageCachesManager
    }

    /// The cache if its layers can be used separately; otherwise nil. For an ``ImageCachesManager``, the layers of its
    /// current caches if all of them have layers.
    package var layers: (any ImageCacheLayers)? {
        guard let manager else { return own }
        return CacheLayers(manager)
    }

    /// The ``ImageCache`` that records the versions of the originals in this cache; nil for a custom cache.
    var versioned: ImageCache? { imageCache ?? manager.flatMap { CacheLayers($0)?.versioned } }

    /// The cache itself; for an ``ImageCachesManager``, all its caches.
    var parts: [ResolvedCache] { manager?.resolvedCaches.flatMap(\.parts) ?? [self] }

    /// The layered caches that a query uses, the highest first.
    var queriedLayers: [ResolvedCache] {
        manager?.queriedCaches.flatMap(\.queriedLayers) ?? (own == nil ? [] : [self])
    }

    /// Returns the layer that contains an image. Does not use the main queue, unless the cache is a custom cache: the
    /// completion of ``ImageCaching/containsImage(forKey:cacheType:completion:)`` may run there. The main queue can be
    /// blocked, and not every program runs it.
    func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        if let imageCache { return await imageCache.containment(forKey: key, cacheType: cacheType) }
        if let manager {
            guard key != nil else { return .none }
            for cache in manager.cachesToAsk {
                let found = await cache.containment(forKey: key, cacheType: cacheType)
                if found != .none { return found }
            }
            return .none
        }
        return await withValueContinuation { continuation in
            let completion = Completion<ImageCacheType> { continuation.resume(returning: $0) }
            role.containsImage(forKey: key, cacheType: cacheType) { completion.complete(with: $0) }
        }
    }

    /// Whether ``flush()`` has something to wait for. Custom caches cannot be flushed.
    var isFlushable: Bool { parts.contains { $0.imageCache != nil } }

    /// Waits until all entries are on disk. They then survive the end of the process.
    func flush() async {
        for part in parts { await part.imageCache?.flush() }
    }

    /// Removes an image from memory and disk.
    func remove(_ key: String) async {
        await withCheckedContinuation { continuation in
            let completion = Completion<Void> { continuation.resume() }
            // The completion may run on the main queue, which may not be served. Do not wait for it if the disk cache
            // performs its operations in order.
            role.removeImage(forKey: key, cacheType: .all) { completion.complete(with: ()) }
            if imageCache != nil { completion.complete(with: ()) }
        }
    }
}

extension ImageCache {
    fileprivate func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        guard let key else { return .none }
        if cacheType.includesMemory, imageFromMemoryCache(forKey: key) != nil { return .memory }
        guard cacheType.includesDisk else { return .none }
        return await disk.run(.after(.key(key))) { $0?.containsData(forKey: key) ?? false } ? .disk : .none
    }
}
