import Dispatch
import Foundation

/// A running query. A cancel completes it at once with a miss, unless it has completed already.
public final class ImageCacheToken: WebImageOperation {
    /// The requested key.
    public let key: String
    private let callbacks: CallbackQueue
    private let completion: Completion<ImageCacheQueryAnswer>

    init(key: String, callbacks: CallbackQueue, completion: ImageCacheQueryCompletionBlock?) {
        self.key = key
        self.callbacks = callbacks
        self.completion = Completion { completion?($0.image, $0.data, $0.type) }
    }

    /// Whether ``cancel()`` came before the answer.
    public var isCancelled: Bool { completion.isCancelled }

    /// Completes the query with a miss, unless it has completed already.
    public func cancel() {
        guard let handler = completion.claimForCancel() else { return }
        callbacks.async { handler(.miss) }
    }

    /// Completes on the callback queue unless already completed. A cancel before the block runs wins.
    func finish(_ image: Image?, _ data: Data?, _ type: ImageCacheType) {
        callbacks.async { self.finishInline(image, data, type) }
    }

    /// Completes on the calling thread unless already completed.
    func finishInline(_ image: Image?, _ data: Data?, _ type: ImageCacheType) {
        completion.complete(with: ImageCacheQueryAnswer(image: image, data: data, type: type))
    }
}

/// The result of a cache query.
struct ImageCacheQueryAnswer: Sendable {
    var image: Image?
    var data: Data?
    var type = ImageCacheType.none

    static let miss = ImageCacheQueryAnswer()
}

extension ImageCache {
    /// Looks an image up in memory, then on disk.
    ///
    /// A memory result is delivered before this returns, and the method returns nil. A disk result is delivered on the
    /// context's callback queue (default: main), or before this returns if a `…Sync` option is set. A miss has the type
    /// `.none`.
    @discardableResult
    public func queryCacheOperation(
        forKey key: String?, options: WebImageOptions = [], context: WebImageContext? = nil,
        cacheType: ImageCacheType = .all, done: ImageCacheQueryCompletionBlock?
    ) -> ImageCacheToken? {
        guard let key, cacheType != .none else {
            done?(nil, nil, .none)
            return nil
        }
        let context = RequestContext(context)
        var hit: Image?
        if cacheType.includesMemory {
            hit = memoryImage(key, options: options, context)
        }
        if cacheType == .memory || (hit != nil && !options.contains(.queryMemoryData)) {
            done?(hit, nil, hit == nil ? .none : .memory)
            return nil
        }
        let callbacks = context.callbackQueue ?? .main
        let token = ImageCacheToken(key: key, callbacks: callbacks, completion: done)
        if options.contains(hit == nil ? .queryDiskDataSync : .queryMemoryDataSync) {
            let decoder = self.decoder(key, options, context)
            let entry = disk.sync { self.resource(key, from: $0) }.flatMap { decoder.accepts($0) ? $0 : nil }
            let image = hit ?? entry.flatMap { decode($0, key: key, decoder, context) }
            token.finishInline(image, entry?.data, Self.origin(hit, image, entry?.data))
            return token
        }
        queryDisk(token, hit: hit, options: options, context, cacheType: cacheType)
        return token
    }

    /// ``queryCacheOperation(forKey:options:context:cacheType:done:)`` in the form of ``ImageCaching``.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        queryCacheOperation(forKey: key, options: options, context: context, cacheType: cacheType, done: completion)
    }

    private func queryDisk(
        _ token: ImageCacheToken, hit: Image?, options: WebImageOptions, _ context: RequestContext,
        cacheType: ImageCacheType
    ) {
        disk.async { disk in
            guard !token.isCancelled else { return }
            let decoder = self.decoder(token.key, options, context)
            let entry = self.resource(token.key, from: disk).flatMap { decoder.accepts($0) ? $0 : nil }
            guard hit == nil, let entry else {
                return token.finish(hit, entry?.data, Self.origin(hit, hit, entry?.data))
            }
            self.decodePool.submit(
                measuring: { decoder.decoding(of: entry).cost(of: entry.data) }, priority: LoadPriority(options)
            ) {
                guard !token.isCancelled else { return }
                // Another query may have filled memory meanwhile.
                let filled =
                    cacheType.includesMemory
                    ? self.memoryImage(token.key, options: options, context) : nil
                let image = filled ?? self.decode(entry, key: token.key, decoder, context)
                token.finish(image, entry.data, .disk)
            }
        }
    }

    private static func origin(_ hit: Image?, _ image: Image?, _ data: Data?) -> ImageCacheType {
        if hit != nil { return .memory }
        return image == nil && data == nil ? .none : .disk
    }
}
