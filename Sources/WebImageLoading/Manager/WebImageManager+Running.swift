import Foundation
import WebImageCore

/// The asynchronous part of a load. It runs in the pipeline if the synchronous part has no final result.
extension WebImageManager {
    /// Starts a load. The sink receives the final result exactly once.
    func begin(_ plan: LoadPlan, cached: WebImageResult?, _ sink: LoadSink) -> WebImageCombinedOperation {
        let operation = WebImageCombinedOperation(url: plan.url, priority: plan.priority, sink: sink)
        addRunning(operation)
        // A load that uses only the loader has no cache query. As in SDWebImage, its operation is a loader's at once.
        if plan.options.contains(.fromLoaderOnly) { operation.forward(.loaderStarted) }
        if let cached { operation.deliver(.cached(cached)) }
        operation.start {
            [weak self, weak operation] in
            if let operation { self?.removeRunning(operation) }
        } _: { priority in
            let end = await self.run(plan, cached: cached, priority, operation)
            plan.observation?.end(end.summary, end.error)
            operation.finish(end)
        }
        return operation
    }

    /// Runs the load. With `.refreshCached`, delivers the cached image first.
    private func run(
        _ plan: LoadPlan, cached: WebImageResult?, _ priority: LoadPriorityHandle,
        _ operation: WebImageCombinedOperation
    ) async -> LoadDelivery {
        do throws(WebImageError) {
            guard plan.refreshes, let cached = try await cachedFirst(plan, cached, priority, operation) else {
                return .finished(try await pipeline.load(plan, priority, operation.forward))
            }
            return try await refresh(cached, plan, priority, operation)
        } catch {
            return .failed(error.with(url: plan.url))
        }
    }

    private func cachedFirst(
        _ plan: LoadPlan, _ known: WebImageResult?, _ priority: LoadPriorityHandle,
        _ operation: WebImageCombinedOperation
    ) async throws(WebImageError) -> WebImageResult? {
        if let known { return known }
        do throws(WebImageError) {
            let cached = try await pipeline.load(plan.fromCache, priority, operation.forward)
            if let cached { operation.deliver(.cached(cached)) }
            return cached
        } catch {
            // Ignore the error of a cached entry that cannot be decoded or transformed. The load then fetches the
            // image.
            guard !error.isCancellation else { throw error }
            return nil
        }
    }

    private func refresh(
        _ cached: WebImageResult, _ plan: LoadPlan, _ priority: LoadPriorityHandle,
        _ operation: WebImageCombinedOperation
    ) async throws(WebImageError) -> LoadDelivery {
        do throws(WebImageError) {
            let fresh = try await pipeline.load(plan.refreshing(cached), priority, operation.forward)
            return fresh.map { .finished($0) } ?? .unchanged(cached)
        } catch {
            guard !error.isCancellation else { throw error }
            return error.code == .cacheNotModified
                ? .unchanged(cached) : .notRefreshed(cached, error.with(url: plan.url))
        }
    }
}

extension LoadDelivery {
    fileprivate var summary: StageSummary {
        switch self {
        case .finished(let result?), .unchanged(let result), .notRefreshed(let result, _):
            StageSummary(byteCount: result.encodedByteCount, origin: result.cacheType, image: result.image)
        default: StageSummary()
        }
    }
}

extension WebImageManager: PipelineHost {
    var isShutDown: Bool { settings.values.isShutDown }
    var hasDelegate: Bool { delegate != nil }

    func mayDownload(_ url: URL) -> Bool { delegate?.imageManager(self, shouldDownloadImageFor: url) ?? true }

    func changed(_ image: Image, from url: URL) -> Image? {
        guard let delegate else { return image }
        return delegate.imageManager(self, transformDownloadedImage: image, with: url)
    }

    func blocks(_ url: URL, after error: WebImageError, loaderBlocks: Bool) -> Bool {
        guard let delegate else { return loaderBlocks }
        return LoaderDecision.$blocks.withValue(loaderBlocks) {
            delegate.imageManager(self, shouldBlockFailedURL: url, withError: error)
        }
    }

    func observation(of stage: WebImageLoadStage, _ url: URL, in loadID: UInt64) -> (any StageObserving)? {
        listener.map { StageObservation(self, $0, stage, url, in: loadID) }
    }
}
