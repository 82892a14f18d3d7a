import Foundation
import WebImageCore

/// Loads that end on disk, for the prefetcher.
extension WebImageManager {
    /// Stores the bytes of an original on disk, unless they are on disk, without decoding them. If only a decoded image can
    /// be stored, loads the image, and does not store it in memory.
    ///
    /// - Parameter completed: Called exactly once, on any thread. Nil means success.
    func storeOriginal(
        of request: ImageRequest, completed: @escaping @Sendable (WebImageError?) -> Void
    ) -> WebImageCombinedOperation {
        guard !request.url.isLocal else {
            completed(nil)
            return WebImageCombinedOperation(ended: request.url)
        }
        let onDisk = request.onDisk
        let synchronous = resolvedResult(request.url, options: onDisk.options, context: onDisk.values)
        switch synchronous.answer {
        case .hit:
            completed(nil)
            return WebImageCombinedOperation(ended: request.url)
        case .failure(let error):
            completed(error)
            return WebImageCombinedOperation(ended: request.url)
        case .load(let plan, let cached):
            guard pipeline.canStoreOriginal(plan) else { return begin(plan, cached: cached, .end(completed)) }
            let operation = WebImageCombinedOperation(url: plan.url, priority: plan.priority, sink: .end(completed))
            addRunning(operation)
            operation.start {
                [weak self, weak operation] in
                if let operation { self?.removeRunning(operation) }
            } _: { priority in
                do throws(WebImageError) {
                    let summary = try await self.pipeline.storeOriginal(
                        plan, StageHandle(priority: priority, demand: .never, send: operation.forward))
                    plan.observation?.end(summary ?? StageSummary(), nil)
                    operation.finish(.finished(nil))
                } catch {
                    let error = error.with(url: plan.url)
                    plan.observation?.end(StageSummary(), error)
                    operation.finish(.failed(error))
                }
            }
            return operation
        }
    }
}

extension ImageRequest {
    /// The request without the lookup in memory, and without the stores in memory.
    fileprivate var onDisk: ImageRequest {
        var request = self
        request.queryCache = Self.onDisk(queryCache ?? .all)
        request.storeCache = Self.onDisk(storeCache ?? .all)
        request.originalStoreCache = Self.onDisk(originalStoreCache ?? .disk)
        request.options.remove([.queryMemoryData, .queryMemoryDataSync, .queryDiskDataSync, .progressiveLoad])
        if cachePolicy == .refresh { request.cachePolicy = .useCaches }
        return request
    }

    private static func onDisk(_ type: ImageCacheType) -> ImageCacheType { type.includesDisk ? .disk : .none }
}

extension URL {
    /// Whether the URL is a source that is not stored on disk.
    fileprivate var isLocal: Bool { isFileURL || scheme?.lowercased() == "data" }
}

extension DeliverySink {
    /// Receives only the end of a load.
    fileprivate static func end(_ completed: @escaping @Sendable (WebImageError?) -> Void) -> DeliverySink {
        DeliverySink(wantsProgress: false) { delivery in
            switch delivery {
            case .size, .progress, .partial, .cached: break
            case .finished, .unchanged: completed(nil)
            case .failed(let error), .notRefreshed(_, let error): completed(error)
            }
        }
    }
}
