public import Foundation
public import WebImageCore

extension WebImageManager {
    /// Loads an image and calls back.
    ///
    /// `completed` is called on the callback queue of the context (default: the main queue). Without `.refreshCached`,
    /// it is called exactly once with `finished` = true. After a cancel, `completed` receives the error `.cancelled`.
    /// `progress` is called on any thread. If the caller is on the callback queue, a memory hit completes before this
    /// function returns.
    ///
    /// With `.progressiveLoad`, `completed` is first called with partial images and `finished` = false. With
    /// `.refreshCached`, `completed` receives the cached image with `finished` = true. A second call with `finished` =
    /// true follows only if the image has changed or the refresh fails. If the refresh fails, the second call contains
    /// the cached image and the error.
    @discardableResult
    public func loadImage(
        with url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil, completed: @escaping WebImageInternalCompletionBlock
    ) -> WebImageCombinedOperation {
        // Look in the dictionary first. Parsing it would allocate memory.
        if let hit = plainHit(url, options: options, dictionary: context) {
            // The fast path for scrolling lists. It allocates only the operation.
            let queue = hit.queue ?? .sharedMain
            if queue.runsInline {
                completed(hit.image, nil, nil, .memory, true, url)
            } else {
                queue.async { completed(hit.image, nil, nil, .memory, true, url) }
            }
            return WebImageCombinedOperation(ended: url)
        }
        return loadImage(
            resolvedResult(url, options: options, context: RequestContext(context)), of: url, progress: progress,
            completed: completed)
    }

    /// Delivers a hit or an error, or begins the load.
    func loadImage(
        _ synchronous: SynchronousResult, of url: URL?, progress: ImageLoaderProgressBlock?,
        completed: @escaping WebImageInternalCompletionBlock
    ) -> WebImageCombinedOperation {
        let queue = synchronous.context.callbackQueue ?? .sharedMain
        switch synchronous.answer {
        case .hit(let result):
            if queue.runsInline {
                completed(result.image, result.data, nil, result.cacheType, true, url)
            } else {
                queue.async { completed(result.image, result.data, nil, result.cacheType, true, url) }
            }
            return WebImageCombinedOperation(ended: url)
        case .failure(let error):
            queue.async { completed(nil, nil, error, .none, true, url) }
            return WebImageCombinedOperation(ended: url)
        case .load(let plan, let cached):
            let sizes = synchronous.context.pixelSizeReceiver
            let sink = DeliverySink(queue: queue, wantsSize: sizes != nil, wantsProgress: progress != nil) { delivery in
                if case .size(let size) = delivery { sizes?.receive(size) }
                Self.report(delivery, of: url, progress: progress, completed: completed)
            }
            return begin(plan, cached: cached, sink)
        }
    }

    private static func report(
        _ delivery: LoadDelivery, of url: URL?, progress: ImageLoaderProgressBlock?,
        completed: WebImageInternalCompletionBlock
    ) {
        switch delivery {
        case .size, .unchanged: break
        case .progress(let received, let expected, let target): progress?(received, expected, target)
        default:
            completed(
                delivery.image, delivery.data, delivery.error, delivery.cacheType, delivery.isFinished, url)
        }
    }

    /// Loads an image.
    ///
    /// With `.refreshCached`, returns the refreshed image. If the image is unchanged or cannot be refreshed, returns
    /// the cached image.
    /// - Throws: `.cancelled` if the surrounding task is cancelled; `.notCached` if the image is in no cache and the
    ///   load must not use the loader; otherwise the error of the stage that failed.
    public func image(
        for url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> Image {
        try await result(for: url, options: options, context: context, progress: progress).image
    }

    /// Loads an image and returns it with its origin and its encoded data.
    ///
    /// - Throws: The same errors as ``image(for:options:context:progress:)``.
    public func result(
        for url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> WebImageResult {
        if let hit = plainHit(url, options: options, dictionary: context) {
            return WebImageResult(image: hit.image, cacheType: .memory)
        }
        return try await result(
            of: resolvedResult(url, options: options, context: RequestContext(context)), url, progress: progress)
    }

    /// Returns a hit, or waits for the end of the load.
    func result(
        of synchronous: SynchronousResult, _ url: URL?, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> WebImageResult {
        switch synchronous.answer {
        case .hit(let result): return result
        case .failure(let error): throw error
        case .load(let plan, let cached):
            let end = await end(of: plan, cached: cached, progress: progress)
            switch end {
            case .finished(let result?), .unchanged(let result), .notRefreshed(let result, _), .cached(let result):
                return result
            case .failed(let error): throw error
            default: throw .notCached(url)
            }
        }
    }

    private func end(
        of plan: LoadPlan, cached: WebImageResult?, progress: ImageLoaderProgressBlock?
    ) async -> LoadDelivery {
        let operation = Locked<WebImageCombinedOperation?>(nil)
        return await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                let started = begin(
                    plan, cached: cached,
                    DeliverySink(wantsProgress: progress != nil) { delivery in
                        switch delivery {
                        case .progress(let received, let expected, let url): progress?(received, expected, url)
                        case .size, .partial, .cached: break
                        default: continuation.resume(returning: delivery)
                        }
                    })
                operation.withLock { $0 = started }
                // The cancel handler does nothing if it ran before `operation` was set. Cancel here in that case.
                if Task.isCancelled { started.cancel() }
            }
        } onCancel: {
            operation.withLock { $0 }?.cancel()
        }
    }
}

extension WebImageError {
    package static func notCached(_ url: URL?) -> WebImageError {
        WebImageError(.notCached, stage: .cache, url: url, hint: "Load without .fromCacheOnly to fetch it.")
    }
}

/// The asynchronous part of a load. It runs in the pipeline if the synchronous part has no final result.
extension WebImageManager {
    /// Starts a load. The sink receives the final result exactly once.
    func begin(_ plan: LoadPlan, cached: WebImageResult?, _ sink: DeliverySink) -> WebImageCombinedOperation {
        let operation = WebImageCombinedOperation(url: plan.url, priority: plan.priority, sink: sink)
        addRunning(operation)
        // A load that uses only the loader has no cache query. As in SDWebImage, its operation is a loader's at once.
        if plan.options.contains(.fromLoaderOnly) { operation.forward(.loaderStarted) }
        if let cached { operation.deliver(.cached(cached)) }
        // A row whose URL is signed anew cancels the load of the former URL before it starts the next one, which shares the
        // work. Without this delay a picture that takes longer than a signature lasts would never arrive.
        operation.start(endingAfter: plan.sharesKey ? .milliseconds(250) : nil) {
            [weak self, weak operation] in
            if let operation { self?.removeRunning(operation) }
        } _: { priority in
            let handle = StageHandle(
                priority: priority, demand: sink.wantsProgress ? .always : .never, send: operation.forward)
            let end = await self.pipeline.run(plan, cached: cached, handle, deliver: operation.deliver)
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
