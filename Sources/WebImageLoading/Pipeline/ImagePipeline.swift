import Foundation
import WebImageCore

/// Performs the loads that the manager did not complete synchronously. If a step is equal in several loads, these loads
/// share the work of the step.
///
/// A load has eight steps. The manager parses the request (1). ``run(_:cached:_:deliver:)`` performs all
/// others: memory (2), disk (3), download (4), decode (5), transform (6), store (7) and the events of the delivery (8),
/// which the operation of the load takes to its queue. Callbacks, `async` functions, sequences, views and the prefetcher
/// run this function. The memory lookup repeats the lookup of the manager, because another load may have stored the image
/// in the meantime. A shared task starts when its first subscriber joins. The task is cancelled when its last subscriber
/// leaves.
final class ImagePipeline: Sendable {
    let variants = SharedTasks<VariantIdentity, WebImageResult?>()
    let transforms = SharedTasks<TransformIdentity, DecodedImage?>()
    let decodes = SharedTasks<DecodedIdentity, DecodedImage?>()
    let originals = SharedTasks<OriginalIdentity, EncodedResource?>()

    let disk: DiskStage
    let download: DownloadStage
    let decode: DecodeStage
    let transform: TransformStage
    let store: StoreStage

    /// - Parameter decodePool: The pool that decodes and runs transformers that only compute.
    init(decodePool: DecodePool) {
        disk = DiskStage()
        decode = DecodeStage(pool: decodePool)
        transform = TransformStage(pool: decodePool)
        store = StoreStage(pool: decodePool)
        download = DownloadStage(store: store)
    }

    /// The number of shared tasks that have subscribers.
    var taskCount: Int { variants.count + transforms.count + decodes.count + originals.count }

    // MARK: 8: the events of a load

    /// Runs a load and returns its last event. With `.refreshCached`, delivers the cached image first.
    ///
    /// - Parameters:
    ///   - cached: The cached image, if the synchronous part of the load has found and delivered it.
    ///   - handle: Receives the progress of the work that the load starts or joins.
    ///   - deliver: Receives the cached image before its refresh.
    func run(
        _ plan: LoadPlan, cached: WebImageResult?, _ handle: StageHandle, deliver: (LoadDelivery) -> Void
    ) async -> LoadDelivery {
        DecoderIsolation.expectPicture()
        do throws(WebImageError) {
            guard plan.refreshes else { return .finished(try await load(plan, handle)) }
            var cached = cached
            if cached == nil {
                cached = try await cachedFirst(plan, handle)
                if let cached { deliver(.cached(cached)) }
            }
            guard let cached else { return .finished(try await load(plan, handle)) }
            return try await refresh(cached, plan, handle: handle)
        } catch {
            return .failed(error.with(url: plan.url))
        }
    }

    /// Returns the cached image. Nil also if it cannot be decoded or transformed; the load then fetches the image.
    private func cachedFirst(
        _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        do throws(WebImageError) {
            return try await load(plan.fromCache, handle)
        } catch {
            guard !error.isCancellation else { throw error }
            return nil
        }
    }

    private func refresh(
        _ cached: WebImageResult, _ plan: LoadPlan, handle: StageHandle
    ) async throws(WebImageError) -> LoadDelivery {
        do throws(WebImageError) {
            let fresh = try await load(plan.refreshing(cached), handle)
            return fresh.map { .finished($0) } ?? .unchanged(cached)
        } catch {
            guard !error.isCancellation else { throw error }
            return error.code == .cacheNotModified
                ? .unchanged(cached) : .notRefreshed(cached, error.with(url: plan.url))
        }
    }

    /// Returns the image of a load. Loads with equal ``VariantIdentity`` share the work. Nil if the image is in no
    /// cache and the load must not use the loader.
    func load(_ plan: LoadPlan, _ handle: StageHandle) async throws(WebImageError) -> WebImageResult? {
        let identity = HashedKey(plan.variantIdentity)
        do throws(WebImageError) {
            return try await variants.withValue(
                for: identity, priority: handle.priority, listener: handle.send, demand: handle.demand,
                origin: plan.observation?.origin,
                work: { inner throws(WebImageError) in
                    try await self.produce(plan, as: identity.key.decoded, inner.stage)
                },
                body: { result throws(WebImageError) in result })
        } catch {
            guard plan.mustRetry(after: error) else { throw error }
            return try await load(plan, handle)
        }
    }

    private func produce(
        _ plan: LoadPlan, as identity: HashedKey<DecodedIdentity>, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        if let hit = try await cachedVariant(plan, handle) { return hit }
        do throws(WebImageError) {
            return try await withTransformed(plan, as: identity, steps: plan.transformers[...], handle) {
                made throws(WebImageError) in
                if plan.options.contains(.retryFailed), made.original.cacheType == .none {
                    plan.host.forgetFailure(of: plan.url, in: plan.scope)
                }
                try await self.store.store(made, plan)
                return WebImageResult(made, plan)
            }
        } catch {
            // Record the failure here, because this code runs only once for a shared task. Code that runs for each
            // subscriber would record the same failure several times.
            remember(error, plan)
            throw error
        }
    }

    // MARK: 2, 3: memory and disk under the variant's key

    private func cachedVariant(
        _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly), plan.variantKey != nil, plan.queryType != .none else {
            return nil
        }
        guard let cache = plan.cache.layers else { return try await foreignVariant(plan, handle) }
        if plan.queryType.includesMemory, let image = MemoryStage.image(of: plan.keys.variant, in: cache, for: plan) {
            return await disk.completed(image, plan, in: cache)
        }
        guard plan.keepsVariantOnDisk, plan.queryType.includesDisk,
            let entry = try await disk.entry(plan.variantDecoder, in: cache, plan)
        else { return nil }
        do throws(WebImageError) {
            let image = try await decode.image(of: entry, with: plan.variantDecoder, plan, handle)
            guard let adapted = plan.wanted.adapted(image) else { return nil }
            await store.keepInMemory(image, plan, fromDisk: entry.record?.version)
            var hit = WebImageResult(image: adapted, encodedByteCount: entry.data.count, cacheType: .disk)
            hit.version = entry.record?.version
            return hit
        } catch {
            guard !error.isCancellation else { throw error }
            if try await decode.isUndecodable(entry.data, after: error, plan, priority: handle.priority) {
                cache.removeCorruptDiskEntry(forKey: plan.variantKey)
            }
            return nil
        }
    }

    /// Returns the image of a custom cache without layers. If the cache returns only bytes, decodes them.
    private func foreignVariant(
        _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        guard let found = await disk.foreignVariant(plan) else { return nil }
        var image = found.image
        if image == nil {
            do throws(WebImageError) {
                let entry = EncodedResource(data: found.data)
                image = plan.wanted.adapted(try await decode.image(of: entry, with: plan.variantDecoder, plan, handle))
            } catch {
                guard !error.isCancellation else { throw error }
            }
        }
        guard let image, plan.transformer == nil || image.isVariant(for: plan.options) else { return nil }
        return WebImageResult(image: image, data: found.data.isEmpty ? nil : found.data, cacheType: found.cacheType)
    }

    // MARK: 6: transformers

    /// Applies the given transformer steps and passes the resulting image to `use`. Loads with the same first steps
    /// share the results of these steps. Returns nil if no cache contains the image and the load must not use the
    /// loader.
    private func withTransformed<Output>(
        _ plan: LoadPlan, as identity: HashedKey<DecodedIdentity>, steps: ArraySlice<any ImageTransformer>,
        _ handle: StageHandle, use: (DecodedImage) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output? {
        guard let step = steps.last else { return try await withDecoded(plan, as: identity, handle, use: use) }
        return try await transforms.withValue(
            for: HashedKey(plan.transformIdentity(steps, of: identity)), priority: handle.priority,
            listener: handle.send, demand: handle.demand, origin: plan.observation?.origin,
            work: { inner throws(WebImageError) in
                let previews = self.transform.previews(of: step, steps: steps, plan, inner.stage)
                return try await self.withTransformed(plan, as: identity, steps: steps.dropLast(), previews) {
                    made throws(WebImageError) in
                    try await self.transform.image(of: made, step, steps, plan, inner.priority)
                }
            },
            onAbandon: { [store] in store.keepAbandoned($0, plan) },
            body: { made throws(WebImageError) in
                guard let made else { return nil }
                return try await use(made)
            })
    }

    // MARK: 5: decode

    private func withDecoded<Output>(
        _ plan: LoadPlan, as identity: HashedKey<DecodedIdentity>, _ handle: StageHandle,
        use: (DecodedImage) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output? {
        try await decodes.withValue(
            for: identity, priority: handle.priority, listener: handle.send, demand: handle.demand,
            origin: plan.observation?.origin,
            work: { inner throws(WebImageError) in
                if let made = MemoryStage.original(plan) { return made }
                return try await self.decodedOriginal(plan, as: identity.key.original, inner.stage)
            },
            // If the last subscriber leaves while the decode runs, the decode nevertheless finishes. Store its image.
            onAbandon: { [store] in store.keepAbandoned($0, plan) },
            body: { made throws(WebImageError) in
                guard let made else { return nil }
                return try await use(made)
            })
    }

    /// Decodes the original from disk or from the loader. If the bytes on disk cannot be decoded, they are removed, and
    /// the original is fetched from the loader.
    private func decodedOriginal(
        _ plan: LoadPlan, as identity: HashedKey<OriginalIdentity>, _ handle: StageHandle, skippingDisk: Bool = false
    ) async throws(WebImageError) -> DecodedImage? {
        let arrival = plan.streams ? PartialImageReporter(plan, pool: decode.pool, handle) : nil
        var isDamaged = false
        let made = try await originals.withValue(
            for: identityToJoin(identity), priority: handle.priority, listener: { arrival.pass($0, to: handle) },
            demand: handle.demand, origin: plan.observation?.origin,
            work: { inner throws(WebImageError) in
                try await self.original(plan, inner.stage, skippingDisk: skippingDisk)
            },
            onAbandon: { [store] in store.keepAbandoned($0, plan) },
            body: { original throws(WebImageError) -> DecodedImage? in
                arrival?.end()
                guard let original else { return nil }
                do throws(WebImageError) {
                    return try await self.decode.picture(of: original, plan, handle)
                } catch {
                    if original.cacheType == .none, error.code == .badImageData || error.crashedDecoder {
                        plan.loader.role.discard(original.data, of: plan.dataLoad, after: error)
                    }
                    guard original.cacheType == .disk, !skippingDisk,
                        try await self.decode.isUndecodable(
                            original.data, after: error, plan, priority: handle.priority)
                    else { throw error.received(original) }
                    isDamaged = true
                    return nil
                }
            })
        guard isDamaged else { return made }
        plan.originalLookup.cache.layers?.removeCorruptDiskEntry(forKey: plan.originalKey)
        return try await decodedOriginal(plan, as: identity, handle, skippingDisk: true)
    }

    /// The identity under which the load fetches its original. A load that uses the bytes while they arrive has another
    /// identity than a load that does not. If the other kind of load already has the bytes, but has not stored them yet,
    /// join it. Otherwise the bytes would be fetched twice.
    private func identityToJoin(_ identity: HashedKey<OriginalIdentity>) -> HashedKey<OriginalIdentity> {
        guard !originals.isEmpty else { return identity }
        var other = identity.key
        other.streams.toggle()
        let otherKey = HashedKey(other)
        // A running task without bytes in between cannot serve a load that needs them: the downloader joins both fetches. It
        // cannot join those of several URLs with one key, and one download without previews is better than two.
        let needsBytes = identity.key.streams && identity.key.url != nil
        return originals.hasRun(for: otherKey, finishedOnly: needsBytes) ? otherKey : identity
    }

    // MARK: 3, 4: disk under the original's key, download

    /// Returns the original from disk or from the loader. Nil if the original is not on disk and the load must not use
    /// the loader.
    private func original(
        _ plan: LoadPlan, _ handle: StageHandle, skippingDisk: Bool
    ) async throws(WebImageError) -> EncodedResource? {
        if !skippingDisk, let kept = try await disk.original(plan) { return kept }
        guard !Task.isCancelled else { throw .cancelled }
        return try await fetched(plan, handle)
    }

    /// Fetches the original. If loads of other URLs share the result or the error, it names the URL.
    func fetched(_ plan: LoadPlan, _ handle: StageHandle) async throws(WebImageError) -> EncodedResource? {
        guard plan.sharesKey else { return try await download.original(plan, handle) }
        let url = WebImageError.FetchedURL(plan.url)
        do throws(WebImageError) {
            var original = try await download.original(plan, handle)
            original?.fetched = url
            return original
        } catch {
            var error = error
            error.fetched = url
            throw error
        }
    }

    // MARK: Failures

    /// Remembers the failure of a URL, if later loads must not try the URL again.
    func remember(_ error: WebImageError, _ plan: LoadPlan) {
        // Loads of several URLs may share the work. The failure belongs to the URL that was fetched.
        let url = error.fetched?.url ?? plan.url
        if !Task.isCancelled, blocks(url, after: error, plan) {
            plan.host.rememberFailure(error, of: url, in: plan.scope)
        }
    }

    private func blocks(_ url: URL, after error: WebImageError, _ plan: LoadPlan) -> Bool {
        // An error of the stage `.transform` means that the delegate returned no image. The URL did not cause this
        // error.
        guard !error.isCancellation, error.code != .cacheNotModified, error.stage != .transform else { return false }
        // The loader was not used. To remember this again would extend the lifetime of the failure.
        guard error.code != .blackListed else { return false }
        // A failed refresh must not block later loads of the URL, because the cache has a valid image.
        guard !plan.isRefreshing else { return false }
        // A load can try several sources, and each failed source has its own error. Block the URL only if the loader
        // decides to block it for each of these errors. A source that was only unreachable may return the image later.
        var load = plan.dataLoad
        load.url = url
        let loaderBlocks = (error.earlierFailures + [error]).allSatisfy {
            plan.loader.role.shouldBlock(load, after: $0)
        }
        return plan.host.blocks(url, after: error, loaderBlocks: loaderBlocks)
    }
}
