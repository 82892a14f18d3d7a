import Foundation
import WebImageCore

/// A query of several caches. The first hit is the result. The completion is called exactly once.
///
/// ``CacheFanOut`` decides which caches are queried and in which order. This type queries each of them, copies a hit to the
/// caches above it, and cancels the other queries.
final class CachesQuery: WebImageOperation {
    private let request: ImageCacheRequest
    /// Whether the image was removed after the query began. Nil if the query copies no hit to the higher caches.
    private let wasRemoved: (@Sendable () -> Bool)?
    private let completion: Completion<ImageCacheHit?>
    /// The queries of the individual caches; nil as soon as the result is known.
    private let children = Locked<[any WebImageOperation]?>([])

    /// - Parameters:
    ///   - wasRemoved: See the property. A hit is not copied to the higher caches if it returns true, because a removed image
    ///     would come back.
    ///   - completion: Receives the first hit or a miss.
    init(
        _ request: ImageCacheRequest, fillingUnless wasRemoved: (@Sendable () -> Bool)?,
        completion: @escaping @Sendable (ImageCacheHit?) -> Void
    ) {
        self.request = request
        self.wasRemoved = wasRemoved
        self.completion = Completion(completion)
    }

    var isCancelled: Bool { completion.isCancelled }
    var isOver: Bool { completion.isCompleted }

    /// Completes with a miss on the context's callback queue, and cancels the queries of the caches.
    func cancel() {
        guard let handler = completion.claimForCancel() else { return }
        cancelChildren()
        let callbacks = request.values.callbackQueue ?? .main
        callbacks.async { handler(nil) }
    }

    /// Starts the query. Call this function once.
    func begin(_ round: CacheFanOut) {
        // After a cancellation or a hit, no further cache is queried.
        round.ask(isEnough: { (hit: ImageCacheHit?) in hit?.image != nil || self.isOver }) { cache, index, answer in
            guard !self.isOver else { return answer(nil) }
            self.query(cache) { hit in
                if self.wasRemoved?() == false, let hit, let image = hit.image, !self.isOver {
                    self.fill(round.caches.prefix(index), image, hit.data)
                }
                answer(hit)
            }
        } end: { answer in
            guard let handler = self.completion.claim() else { return }
            self.cancelChildren()
            handler(answer ?? nil)
        }
    }

    /// Starts the query of one cache, and cancels it at once if the whole query has ended meanwhile.
    private func query(_ cache: RegisteredCache, _ answer: @escaping @Sendable (ImageCacheHit?) -> Void) {
        guard let child = cache.query(request, answer) else { return }
        let isLate = children.withLock { children in
            children?.append(child)
            return children == nil
        }
        // The whole query ended while this cache started its own query, because the caller cancelled or another cache
        // delivered a hit.
        if isLate { child.cancel() }
    }

    private func fill(_ higher: ArraySlice<RegisteredCache>, _ image: Image, _ data: Data?) {
        let (key, context) = (request.key, request.values)
        let allowed = context.storeCache ?? .all
        guard image.isThumbnail, !CacheKey.isThumbnail(key), context.entryIdentity?.key.isVariant != true else {
            let type: ImageCacheType = data == nil ? (allowed.includesMemory ? .memory : .none) : allowed
            return store(image, data, forKey: key, type: type, in: higher)
        }
        // The data contains the original's bytes, but the image is a thumbnail. Therefore the image is stored
        // under the thumbnail's key, not under the key of the original.
        if let data, allowed.includesDisk { store(nil, data, forKey: key, type: .disk, in: higher) }
        guard allowed.includesMemory, let thumbnail = context.thumbnail,
            context.entryIdentity?.key.scope == nil
        else { return }
        store(
            image, nil, forKey: LoadKeys.thumbnail(thumbnail, of: key).string, type: .memory, in: higher)
    }

    private func store(
        _ image: Image?, _ data: Data?, forKey key: String, type: ImageCacheType,
        in caches: ArraySlice<RegisteredCache>
    ) {
        let entry = ImageCacheRequest(key: key, layers: type, options: request.options, values: request.values)
        for cache in caches { cache.store(image, data: data, for: entry, completion: nil) }
        // A removal between the check and the store may have reached a cache before the store.
        if wasRemoved?() == true {
            for cache in caches { cache.run(on: .invoking, { await $0.remove(key, from: type) }, {}) }
        }
    }

    private func cancelChildren() {
        for child in children.withLock({ $0.take() }) ?? [] { child.cancel() }
    }
}
