package import Foundation
package import WebImageCore

/// The result of the synchronous part of a load.
struct SynchronousResult {
    enum Answer {
        case hit(WebImageResult)
        case failure(WebImageError)
        /// The load needs asynchronous work. If `cached` is not nil, the load delivers this result first and then
        /// refreshes it.
        case load(LoadPlan, cached: WebImageResult?)
    }

    let answer: Answer
    /// The context of the load, as returned by the options processor if there is one.
    let context: RequestContext
}

/// Steps 1 and 2 of a load, which run before `loadImage` returns: options processor, checks, keys and memory lookup.
/// The disk is read only with `.queryMemoryDataSync` or `.queryDiskDataSync`.
extension WebImageManager {
    func synchronousResult(for request: ImageRequest) -> SynchronousResult {
        synchronousResult(request.url, options: request.options, context: request.values)
    }

    func synchronousResult(_ url: URL?, options: WebImageOptions, context: RequestContext) -> SynchronousResult {
        if let hit = plainHit(url, options: options, context: context) {
            return SynchronousResult(
                answer: .hit(WebImageResult(image: hit.image, cacheType: .memory)), context: context)
        }
        return resolvedResult(url, options: options, context: context)
    }

    /// Does the same as ``synchronousResult(_:options:context:)``, but does not try the path of ``PlainHit``.
    func resolvedResult(_ url: URL?, options: WebImageOptions, context: RequestContext) -> SynchronousResult {
        let settings = settings
        let (options, context) = processed(url, options: options, context: context, settings)
        let answer =
            if settings.hasListener {
                observedAnswer(url, options: options, context: context, settings)
            } else {
                answer(url, options: options, context: context, settings)
            }
        return SynchronousResult(answer: answer, context: context)
    }

    private func processed(
        _ url: URL?, options: WebImageOptions, context: RequestContext, _ settings: LoadSettings
    ) -> (WebImageOptions, RequestContext) {
        guard settings.hasOptionsProcessor,
            let processed = settings.values.optionsProcessor?.processedResult(
                for: url, options: options, context: context.dictionary)
        else { return (options, settings.completed(context)) }
        return (processed.options, settings.completed(RequestContext(processed.context)))
    }

    /// Returns the plan for a load of the request. Does not start the load.
    func plan(for request: ImageRequest) -> LoadPlan {
        let settings = settings
        let (options, context) = processed(
            request.url, options: request.options, context: request.values, settings)
        return LoadPlan(
            ImageRequest(url: request.url, options: options, values: context), settings, host: self)
    }

    private func answer(
        _ url: URL?, options: WebImageOptions, context: RequestContext, _ settings: LoadSettings
    ) -> SynchronousResult.Answer {
        guard let url, !url.absoluteString.isEmpty else {
            return .failure(
                WebImageError(.invalidURL, stage: .request, hint: "Give an absolute URL with its scheme."))
        }
        guard !settings.values.isShutDown else {
            return .failure(WebImageError(.cancelled, stage: .request, url: url, hint: "The manager was shut down."))
        }
        let request = ImageRequest(url: url, options: options, values: context)
        let (cache, loader) = (settings.cache(for: request), settings.loader(for: request))
        let keys = LoadKeys(request, settings, loader: loader)
        func plan() -> LoadPlan {
            LoadPlan(request, keys, cache: cache, loader: loader, settings: settings, host: self)
        }
        if let image = MemoryStage.image(for: request, keys, in: cache) {
            let hit = WebImageResult(image: image, cacheType: .memory)
            if options.isDisjoint(with: Self.optionsBeyondMemoryHit) { return .hit(hit) }
            return answer(plan(), hit)
        }
        let miss = plan()
        if options.contains(.queryDiskDataSync), let hit = pipeline.synchronousDiskHit(miss) {
            return miss.refreshes ? .load(miss, cached: hit) : .hit(hit)
        }
        return .load(miss, cached: nil)
    }

    // This is a constant, because a literal at each use costs three allocations in a debug build.
    private static let optionsBeyondMemoryHit: WebImageOptions = [.refreshCached, .queryMemoryData]

    /// Returns the answer for a memory hit if the load requests the encoded data or a refresh.
    private func answer(_ plan: LoadPlan, _ hit: WebImageResult) -> SynchronousResult.Answer {
        var hit = hit
        if plan.options.contains(.queryMemoryData), !plan.isVariant {
            guard plan.options.contains(.queryMemoryDataSync) else {
                return .load(plan, cached: plan.refreshes ? hit : nil)
            }
            hit = pipeline.completedSync(hit, plan)
        }
        return plan.refreshes ? .load(plan, cached: hit) : .hit(hit)
    }

    private func observedAnswer(
        _ url: URL?, options: WebImageOptions, context: RequestContext, _ settings: LoadSettings
    ) -> SynchronousResult.Answer {
        guard let listener, let url else { return answer(url, options: options, context: context, settings) }
        let load = StageObservation(of: .load, url, in: nil, manager: self, listener: listener)
        let memory = StageObservation(
            of: .memory, url, in: load.span.loadID, manager: self, listener: listener)
        let answer = answer(url, options: options, context: context, settings)
        switch answer {
        case .hit(let result):
            memory.end(StageSummary(origin: result.cacheType, image: result.image), nil)
            load.end(
                StageSummary(byteCount: result.encodedByteCount, origin: result.cacheType, image: result.image), nil)
        case .failure(let error):
            memory.end(StageSummary(), nil)
            load.end(StageSummary(), error)
        case .load(var plan, let cached):
            memory.end(StageSummary(origin: cached.map { _ in .memory }, image: cached?.image), nil)
            plan.observation = load
            return .load(plan, cached: cached)
        }
        return answer
    }

    /// The result of a memory lookup without a load.
    package enum MemoryAnswer {
        /// A load would deliver this image and then end.
        case hit(Image)
        case miss
        /// Only a load can find the answer. Start the load.
        case unknown
    }

    /// Looks up an image in memory in the same way as a load, without starting a load.
    package func memoryAnswer(for url: URL, options: WebImageOptions, context: WebImageContext?) -> MemoryAnswer {
        if let hit = plainHit(url, options: options, dictionary: context), hit.queue == nil { return .hit(hit.image) }
        let context = RequestContext(context)
        let settings = settings
        // Only a load can handle these cases. A listener must receive the stages of the load. An options processor can
        // change the request. A manager that is shut down rejects the load. The options request a refresh or the
        // encoded data. The context names a callback queue.
        guard !settings.hasListener, !settings.hasOptionsProcessor, !settings.values.isShutDown,
            options.isDisjoint(with: Self.optionsBeyondMemoryHit), context.callbackQueue == nil
        else { return .unknown }
        let request = ImageRequest(url: url, options: options, values: context)
        let keys = LoadKeys(request, settings)
        return MemoryStage.image(for: request, keys, in: settings.cache(for: request)).map { .hit($0) } ?? .miss
    }
}
