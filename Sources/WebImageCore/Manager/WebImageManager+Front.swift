package import Foundation

/// What the synchronous front could say.
struct LoadFront {
    enum Answer {
        case hit(WebImageResult)
        case failure(WebImageError)
        /// Work that waits, with the cached image that is to be delivered before its refresh.
        case load(LoadPlan, cached: WebImageResult?)
    }

    let answer: Answer
    /// The context that holds, as the options processor made it.
    let context: WebImageContext?
}

/// The part of a load that never waits: checks, keys, memory, and the disk when a `…Sync` option asks for it.
extension WebImageManager {
    func front(_ url: URL?, options: WebImageOptions, context: WebImageContext?) -> LoadFront {
        let settings = settings
        var options = options
        var context = context
        if settings.hasOptionsProcessor,
            let processed = settings.values.optionsProcessor?.processedResult(
                for: url, options: options, context: context)
        {
            options = processed.options
            context = processed.context
        }
        let answer =
            if settings.hasListener {
                observedAnswer(url, options, context, settings)
            } else {
                answer(url, options, context, settings)
            }
        return LoadFront(answer: answer, context: context)
    }

    private func answer(
        _ url: URL?, _ options: WebImageOptions, _ context: WebImageContext?, _ settings: Settings
    ) -> LoadFront.Answer {
        guard let url, !url.absoluteString.isEmpty else {
            return .failure(
                WebImageError(.invalidURL, stage: .request, hint: "Give an absolute URL with its scheme."))
        }
        guard !settings.values.isShutDown else {
            return .failure(WebImageError(.cancelled, stage: .request, url: url, hint: "The manager was shut down."))
        }
        let request = LoadRequest(url, options, context, settings, self)
        if !options.contains(.retryFailed), let reason = failure(of: url, in: request.scope),
            // Another source may have what this URL has not.
            context?[.alternativeSources] == nil
        {
            return .failure(.blackListed(url, reason))
        }
        if let image = memoryImage(request) {
            let hit = WebImageResult(image: image, cacheType: .memory)
            if options.isDisjoint(with: Self.moreThanAHit) { return .hit(hit) }
            return answer(request, hit)
        }
        let plan = LoadPlan(request, manager: self)
        if options.contains(.queryDiskDataSync), let hit = synchronousDiskHit(plan) {
            return plan.refreshes ? .load(plan, cached: hit) : .hit(hit)
        }
        return .load(plan, cached: nil)
    }

    // A constant: a literal here is three allocations in a debug build.
    private static let moreThanAHit: WebImageOptions = [.refreshCached, .queryMemoryData]

    /// What memory would answer a load before it returns.
    package enum MemoryAnswer {
        /// The load would deliver this image and do nothing more.
        case hit(Image)
        case miss
        /// Only the load itself can tell.
        case unknown
    }

    /// Asks memory as a load would.
    package func memoryAnswer(for url: URL, options: WebImageOptions, context: WebImageContext?) -> MemoryAnswer {
        let settings = settings
        // A listener is to hear of the load, a processor may make it another one.
        guard !settings.hasListener, !settings.hasOptionsProcessor, !settings.values.isShutDown,
            options.isDisjoint(with: Self.moreThanAHit), context?[.callbackQueue] == nil
        else { return .unknown }
        let request = LoadRequest(url, options, context, settings, self)
        guard options.contains(.retryFailed) || failure(of: url, in: request.scope) == nil else { return .unknown }
        return memoryImage(request).map { .hit($0) } ?? .miss
    }

    /// A memory hit that is to be completed by its data or refreshed.
    private func answer(_ request: LoadRequest, _ hit: WebImageResult) -> LoadFront.Answer {
        let plan = LoadPlan(request, manager: self)
        var hit = hit
        if plan.options.contains(.queryMemoryData), !plan.isVariant {
            guard plan.options.contains(.queryMemoryDataSync) else {
                return .load(plan, cached: plan.refreshes ? hit : nil)
            }
            let stored = (plan.cache as? any LayeredImageCaching)?.diskResourceSync(forKey: plan.variantKey)
            hit.data = stored.flatMap { plan.variantDecoder.accepts($0) ? $0.data : nil }
            hit.encodedByteCount = hit.data?.count
        }
        return plan.refreshes ? .load(plan, cached: hit) : .hit(hit)
    }

    private func observedAnswer(
        _ url: URL?, _ options: WebImageOptions, _ context: WebImageContext?, _ settings: Settings
    ) -> LoadFront.Answer {
        guard let listener = settings.values.listener, let url else { return answer(url, options, context, settings) }
        let load = StageObservation(self, listener, .load, url)
        let memory = StageObservation(self, listener, .memory, url)
        let answer = answer(url, options, context, settings)
        switch answer {
        case .hit(let result):
            memory.end((nil, result.cacheType))
            load.end((result.encodedByteCount, result.cacheType))
        case .failure(let error):
            memory.end((nil, nil))
            load.end((nil, nil), error)
        case .load(var plan, let cached):
            memory.end((nil, cached.map { _ in .memory }))
            plan.observation = load
            return .load(plan, cached: cached)
        }
        return answer
    }

    /// The image in memory, if it is what the load wants.
    private func memoryImage(_ request: LoadRequest) -> Image? {
        guard !request.options.contains(.fromLoaderOnly) else { return nil }
        let context = request.context
        guard context?.readCacheType(.queryCacheType)?.includesMemory ?? true else { return nil }
        let named = context?.read(.imageCache, as: (any ImageCaching).self)
        guard let cache = named == nil ? layeredCache : named as? any LayeredImageCaching,
            let key = request.keys.variant, let image = cache.imageFromMemoryCache(forKey: key.string),
            image.isEntry(of: key), request.transformer == nil || image.isVariant(for: request.options)
        else { return nil }
        return MemoryMatch.adapted(image, options: request.options, context: context)
    }
}

extension WebImageError {
    fileprivate static func blackListed(_ url: URL, _ reason: WebImageError) -> WebImageError {
        WebImageError(
            .blackListed, stage: .request, url: url, underlying: reason.underlying,
            hint: "Use .retryFailed, or removeFailedURL(_:), to try it again.")
    }
}
