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
            let end = await self.pipeline.run(
                plan, cached: cached, priority: priority, listener: operation.forward, deliver: operation.deliver)
            plan.observation?.end(end.summary, end.error)
            operation.finish(end)
        }
        return operation
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

    func observation(of stage: WebImageLoadStage, _ url: URL, in loadID: UInt64) -> StageObservation? {
        listener.map { StageObservation(of: stage, url, in: loadID, manager: self, listener: $0) }
    }
}

extension WebImageManager {
    /// Ends the manager's work. Cancels every load, waits for the pending writes, then flushes the cache. Loads that
    /// begin after this call end with `.cancelled`.
    ///
    /// - Parameter deadline: The maximum duration of this call.
    /// - Returns: Whether the loads, the writes and the flush finished before the deadline. False also if the
    ///   surrounding task was cancelled before the loads and writes finished. Unfinished work continues in the
    ///   background.
    @discardableResult
    public func shutdown(deadline: Duration = .seconds(5)) async -> Bool {
        let end = ContinuousClock.now + NumberLimits.finite(deadline)
        shutDown()
        cancelAll()
        while isRunning || ownsPipeline && sharedTaskCount > 0 || pendingStoreCount > 0 {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(2))
            if Task.isCancelled { return false }
        }
        let cache = settings.roles.cache
        guard cache.isFlushable else { return true }
        return await withValueContinuation { continuation in
            let completion = Completion<Bool> { continuation.resume(returning: $0) }
            Task.detached {
                await cache.flush()
                completion.complete(with: true)
            }
            Task.detached {
                try? await Task.sleep(until: end, clock: .continuous)
                completion.complete(with: false)
            }
        }
    }
}
