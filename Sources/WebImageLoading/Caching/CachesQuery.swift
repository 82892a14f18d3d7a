import Foundation
import WebImageCore

/// A query of several caches. The first hit is the result. The completion is called exactly once.
///
/// ``CacheFanOut`` decides which caches are queried and in which order. This type queries each of them, copies a hit to the
/// caches above it, and cancels the other queries.
final class CachesQuery: WebImageOperation {
    private let key: String
    private let options: WebImageOptions
    private let context: RequestContext
    private let cacheType: ImageCacheType
    /// Whether the image was removed after the query began. Nil if the query copies no hit to the higher caches.
    private let wasRemoved: (@Sendable () -> Bool)?
    private let completion: Completion<ImageCacheQueryAnswer>
    /// The queries of the individual caches; nil as soon as the result is known.
    private let children = Locked<[any WebImageOperation]?>([])

    /// - Parameters:
    ///   - wasRemoved: See the property. A hit is not copied to the higher caches if it returns true, because a removed image
    ///     would come back.
    ///   - completion: Receives the first hit or a miss.
    init(
        key: String, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        fillingUnless wasRemoved: (@Sendable () -> Bool)?, completion: ImageCacheQueryCompletionBlock?
    ) {
        self.key = key
        self.options = options
        self.context = RequestContext(context)
        self.cacheType = cacheType
        self.wasRemoved = wasRemoved
        self.completion = Completion { completion?($0.image, $0.data, $0.type) }
    }

    var isCancelled: Bool { completion.isCancelled }
    var isOver: Bool { completion.isCompleted }

    /// Completes with a miss on the context's callback queue, and cancels the queries of the caches.
    func cancel() {
        guard let handler = completion.claimForCancel() else { return }
        cancelChildren()
        let callbacks = context.callbackQueue ?? .main
        callbacks.async { handler(.miss) }
    }

    /// Starts the query. Call this function once.
    func begin(_ round: CacheFanOut) {
        // After a cancellation or a hit, no further cache is queried.
        round.ask(isEnough: { (answer: ImageCacheQueryAnswer) in answer.image != nil || self.isOver }) {
            cache, index, answer in
            guard !self.isOver else { return answer(.miss) }
            self.query(cache) { image, data, type in
                if self.wasRemoved?() == false, let image, !self.isOver {
                    self.fill(round.caches.prefix(index), image, data)
                }
                answer(ImageCacheQueryAnswer(image: image, data: data, type: type))
            }
        } end: { answer in
            guard let handler = self.completion.claim() else { return }
            self.cancelChildren()
            handler(answer ?? .miss)
        }
    }

    /// Starts the query of one cache, and cancels it at once if the whole query has ended meanwhile.
    private func query(_ cache: any ImageCaching, _ answer: @escaping ImageCacheQueryCompletionBlock) {
        let child = cache.queryImage(
            forKey: key, options: options, context: context.dictionary, cacheType: cacheType, completion: answer)
        guard let child else { return }
        let isLate = children.withLock { children in
            children?.append(child)
            return children == nil
        }
        // The whole query ended while this cache started its own query, because the caller cancelled or another cache
        // delivered a hit.
        if isLate { child.cancel() }
    }

    /// Copies a hit to the caches above the one that had it.
    private func fill(_ higher: ArraySlice<any ImageCaching>, _ image: Image, _ data: Data?) {
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
        in caches: ArraySlice<any ImageCaching>
    ) {
        for cache in caches {
            cache.storeImage(
                image, imageData: data, forKey: key, options: options, context: context.dictionary, cacheType: type,
                completion: nil)
        }
        // A removal between the check and the store may have reached a cache before the store.
        if wasRemoved?() == true {
            for cache in caches { cache.removeImage(forKey: key, cacheType: type, completion: nil) }
        }
    }

    private func cancelChildren() {
        for child in children.withLock({ $0.take() }) ?? [] { child.cancel() }
    }
}
