import Foundation

/// The way of one image that the front could not answer; every stage is a function of its own.
extension WebImageManager {
    /// Starts a load whose end the sink hears exactly once.
    func begin(_ plan: LoadPlan, cached: WebImageResult?, _ sink: LoadSink) -> WebImageCombinedOperation {
        let operation = WebImageCombinedOperation(url: plan.url, priority: plan.priority, sink: sink)
        addRunning(operation)
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

    /// The load, and before it with `.refreshCached` what the caches hold.
    private func run(
        _ plan: LoadPlan, cached: WebImageResult?, _ priority: LoadPriorityHandle,
        _ operation: WebImageCombinedOperation
    ) async -> LoadDelivery {
        do throws(WebImageError) {
            guard plan.refreshes else { return .finished(try await load(plan, priority, operation.tell)) }
            guard let cached = try await cachedFirst(plan, cached, priority, operation) else {
                return .finished(try await load(plan, priority, operation.tell))
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
            let cached = try await load(plan.fromCache, priority, operation.tell)
            if let cached { operation.deliver(.cached(cached)) }
            return cached
        } catch {
            // What cannot be shown is fetched anew.
            guard !error.isCancellation else { throw error }
            return nil
        }
    }

    private func refresh(
        _ cached: WebImageResult, _ plan: LoadPlan, _ priority: LoadPriorityHandle,
        _ operation: WebImageCombinedOperation
    ) async throws(WebImageError) -> LoadDelivery {
        do throws(WebImageError) {
            let fresh = try await load(plan.refreshing(cached.image), priority, operation.tell)
            return fresh.map { .finished($0) } ?? .unchanged(cached)
        } catch {
            guard !error.isCancellation else { throw error }
            return error.code == .cacheNotModified
                ? .unchanged(cached) : .notRefreshed(cached, error.with(url: plan.url))
        }
    }

    /// One image, shared with everybody who wants the same; nil is a miss that may not be fetched.
    private func load(
        _ plan: LoadPlan, _ priority: LoadPriorityHandle, _ listener: @escaping LoadNewsListener
    ) async throws(WebImageError) -> WebImageResult? {
        try await variants.withValue(
            for: plan.variantIdentity, priority: priority, listener: listener,
            work: { handle throws(WebImageError) in try await self.produce(plan, handle.stage) },
            body: { result throws(WebImageError) in result })
    }

    private func produce(
        _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        if let hit = try await keptVariant(plan, handle) { return hit }
        do throws(WebImageError) {
            guard let made = try await transformed(plan, plan.transformers[...], handle) else { return nil }
            if plan.options.contains(.retryFailed), made.original.cacheType == .none {
                forgetFailure(of: plan.url, in: plan.scope)
            }
            await store(made, plan)
            return WebImageResult(made, plan)
        } catch {
            // The picture is remembered as failed once, by the work that failed, not by each subscriber.
            if !Task.isCancelled, blocks(plan, error) { rememberFailure(error, of: plan.url, in: plan.scope) }
            throw error
        }
    }

    private func blocks(_ plan: LoadPlan, _ error: WebImageError) -> Bool {
        // What the delegate makes of a picture says nothing about its URL.
        guard !error.isCancellation, error.code != .cacheNotModified, error.stage != .transform else { return false }
        // There is a good picture in a cache: a failed refresh must not keep later loads from it.
        guard !plan.isRefreshing else { return false }
        // Of several sources each must be at fault itself: one that was out of reach may have the picture later.
        let word = (error.earlierFailures + [error]).allSatisfy {
            plan.loader.shouldBlockFailedURL(with: plan.url, error: $0, options: plan.options, context: plan.context)
        }
        guard let delegate else { return word }
        return LoaderWord.$blocks.withValue(word) {
            delegate.imageManager(self, shouldBlockFailedURL: plan.url, withError: error)
        }
    }
}

extension LoadDelivery {
    fileprivate var summary: WebImageManager.StageSummary {
        switch self {
        case .finished(let result?), .unchanged(let result), .notRefreshed(let result, _):
            (result.encodedByteCount, result.cacheType)
        default: (nil, nil)
        }
    }

    fileprivate var error: WebImageError? {
        switch self {
        case .failed(let error), .notRefreshed(_, let error): error
        default: nil
        }
    }
}
