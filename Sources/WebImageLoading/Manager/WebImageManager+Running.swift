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
