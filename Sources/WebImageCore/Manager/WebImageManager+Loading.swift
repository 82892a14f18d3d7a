public import Foundation

extension WebImageManager {
    /// Loads an image and calls back.
    ///
    /// `completed` is called exactly once with `finished` (after a cancel with `.cancelled`), on the context's callback
    /// queue or on main; `progress` on any thread. A memory hit asked for on that queue completes before this returns.
    @discardableResult
    public func loadImage(
        with url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil, completed: @escaping WebImageInternalCompletionBlock
    ) -> WebImageCombinedOperation {
        let queue = context?.read(.callbackQueue, as: CallbackQueue.self) ?? .main
        let operation = WebImageCombinedOperation(url: url, callbackQueue: queue, completion: completed)
        switch front(url, options: options, context: context) {
        case .answered(let outcome):
            operation.finish(outcome)
        case .waiting(let plan):
            addRunning(operation)
            let report = progress.map { progress -> ImageLoaderProgressBlock in
                { [weak operation] received, expected, url in
                    if operation?.isActive == true { progress(received, expected, url) }
                }
            }
            operation.start { [weak self, weak operation] in
                if let operation { self?.removeRunning(operation) }
            } _: {
                do throws(WebImageError) {
                    operation.finish(.success(try await self.load(plan, progress: report)))
                } catch {
                    operation.finish(.failure(error))
                }
            }
        }
        return operation
    }

    /// Loads an image.
    ///
    /// - Throws: `.cancelled` when the surrounding task is cancelled; `.notCached` for a miss under `.fromCacheOnly`;
    ///   otherwise what went wrong.
    public func image(
        for url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> Image {
        try await result(for: url, options: options, context: context, progress: progress).image
    }

    /// Loads an image and tells where it came from and what it was decoded from.
    ///
    /// - Throws: as ``image(for:options:context:progress:)``.
    public func result(
        for url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> WebImageResult {
        let outcome: WebImageResult?
        switch front(url, options: options, context: context) {
        case .answered(let answer):
            outcome = try answer.get()
        case .waiting(let plan):
            do throws(WebImageError) {
                outcome = try await load(plan, progress: progress)
            } catch {
                throw error.with(url: url)
            }
        }
        guard let outcome else {
            throw WebImageError(.notCached, stage: .cache, url: url, hint: "Load without .fromCacheOnly to fetch it.")
        }
        return outcome
    }

    /// What the synchronous front could say.
    private enum Front {
        case answered(Result<WebImageResult?, WebImageError>)
        case waiting(LoadPlan)
    }

    /// The part of a load that never waits: checks, keys, memory, and the disk when a `…Sync` option asks for it.
    private func front(_ url: URL?, options: WebImageOptions, context: WebImageContext?) -> Front {
        guard let url, !url.absoluteString.isEmpty else {
            return .answered(
                .failure(WebImageError(.invalidURL, stage: .request, hint: "Give an absolute URL with its scheme.")))
        }
        if !options.contains(.retryFailed), let reason = failure(of: url) {
            return .answered(
                .failure(
                    WebImageError(
                        .blackListed, stage: .request, url: url, underlying: reason.underlying,
                        hint: "Use .retryFailed, or removeFailedURL(_:), to try it again.")))
        }
        let plan = LoadPlan(url: url, options: options, context: context, manager: self)
        if let hit = memoryHit(plan) { return .answered(.success(hit)) }
        if options.contains(.queryDiskDataSync), let hit = synchronousDiskHit(plan) { return .answered(.success(hit)) }
        return .waiting(plan)
    }
}
