import Foundation
import WebImageCore

/// A load that ends on disk: steps 3, 4 and 7 without a decode. It shares the download with other loads of the original.
extension ImagePipeline {
    /// Whether ``storeOriginal(_:_:)`` can serve a load. False if only a decoded image can be stored: the loader returns
    /// decoded images, or a delegate must approve the full-size image.
    func canStoreOriginal(_ plan: LoadPlan) -> Bool {
        plan.sharing != nil && (!plan.host.hasDelegate || plan.thumbnail != nil)
    }

    /// Fetches the original of a load and stores its bytes on disk, unless they are on disk. Returns when the cache has
    /// stored them.
    ///
    /// - Returns: The origin and the number of the bytes; nil if nothing had to be fetched, or may be fetched.
    func storeOriginal(_ plan: LoadPlan, _ handle: StageHandle) async throws(WebImageError) -> StageSummary? {
        guard let (cache, key) = StoreRequest.place(of: plan) else { return nil }
        guard !Task.isCancelled else { throw .cancelled }
        if plan.originalLookup.type.includesDisk, await has(key, in: cache) {
            return StageSummary(origin: .disk)
        }
        do throws(WebImageError) {
            return try await originals.withValue(
                for: HashedKey(plan.originalIdentity), priority: handle.priority, listener: handle.send,
                demand: handle.demand, origin: plan.observation?.origin,
                work: { inner throws(WebImageError) in try await self.fetched(plan, inner.stage) },
                onAbandon: { [store] in store.keepAbandoned($0, plan) },
                body: { original throws(WebImageError) in
                    try await self.stored(original, plan, priority: handle.priority)
                })
        } catch {
            remember(error, plan)
            guard plan.mustRetry(after: error) else { throw error }
            return try await storeOriginal(plan, handle)
        }
    }

    /// Whether the bytes of an original are on disk. Does not read the bytes.
    private func has(_ key: EntryKey, in cache: RegisteredCache) async -> Bool {
        if let cache = cache.imageCache { return await cache.hasOnDisk(key) }
        return await cache.role.layer(of: key.string, among: .disk) == .disk
    }

    private func stored(
        _ original: EncodedResource?, _ plan: LoadPlan, priority: LoadPriorityHandle
    ) async throws(WebImageError) -> StageSummary? {
        guard let original else { return nil }
        let data = original.data
        let summary = StageSummary(byteCount: data.count, origin: original.cacheType)
        // The body may come from a load that found the bytes on disk in the meantime.
        guard original.cacheType == .none, original.mayBeStored, !original.isLowDataImage else { return summary }
        let coder = plan.decoding.coder
        let isPicture = try await decode.pool.run(priority: priority) { () throws(WebImageError) in
            coder.canDecode(from: data)
        }
        guard isPicture else { throw .noCoder(for: data).received(original) }
        guard !Task.isCancelled else { throw .cancelled }
        let observation = plan.observation(of: .store)
        await store.write(StoreRequest.bytes(of: original, plan), plan, waits: true)
        observation?.end(StageSummary(byteCount: data.count), nil)
        if plan.options.contains(.retryFailed) { plan.host.forgetFailure(of: plan.url, in: plan.scope) }
        return summary
    }
}

extension StoreRequest {
    /// The cache in which a load of the plan looks up the original on disk first, and the key. Nil if the load stores
    /// nothing on disk.
    fileprivate static func place(of plan: LoadPlan) -> (cache: RegisteredCache, key: EntryKey)? {
        guard let key = plan.keys.original else { return nil }
        if !plan.isVariant, plan.storeType.includesDisk { return (plan.cache, key) }
        return plan.originalStoreType.includesDisk ? (plan.originalCache, key) : nil
    }

    /// The entries in which a load of the plan would store the bytes of the original.
    fileprivate static func bytes(of original: EncodedResource, _ plan: LoadPlan) -> [StoreRequest] {
        let requests = abandoned(original, plan).map { [$0] } ?? []
        guard !plan.isVariant, !plan.hasOneCache, plan.storeType.includesDisk, !original.data.isEmpty else {
            return requests
        }
        return requests + [
            StoreRequest(
                cache: plan.cache, key: plan.originalKey, data: original.data, type: .disk,
                identity: plan.keys.original.map {
                    EntryIdentity(key: $0, metadata: original.metadata, expires: plan.expires)
                })
        ]
    }
}

extension ImageCache {
    /// Whether there is a disk entry with this key. Does not read the bytes of the entry.
    fileprivate func hasOnDisk(_ key: EntryKey) async -> Bool {
        await disk.run(.after(.key(key.string))) { disk in
            guard disk?.containsData(forKey: key.string) == true else { return false }
            // Another key with the same string has another fingerprint.
            guard case .typed(let fingerprint, _) = self.disk.recording?.record(forKey: key.string)?.identity else {
                return true
            }
            return fingerprint == key.fingerprint
        }
    }
}
