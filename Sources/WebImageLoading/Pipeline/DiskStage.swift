import Foundation
import WebImageCore

/// Step 3 of a load. Reads an entry from disk. A custom cache that returns decoded images supplies an image instead.
struct DiskStage: Sendable {
    /// Returns the disk entry that is stored under `decoder.key`. Returns nil if the cache has no such entry, or if the
    /// entry is a variant that was made from another version of the original. Also returns nil if the decoder rejects
    /// the entry, for example because the entry belongs to another key with the same string.
    func entry(
        _ decoder: EntryDecoder, in cache: any ImageCacheLayers, _ plan: LoadPlan
    ) async throws(WebImageError) -> EncodedResource? {
        guard !Task.isCancelled else { throw .cancelled }
        let stored = try await plan.observed(.disk, Self.summary) {
            () throws(WebImageError) in await cache.diskResource(forKey: decoder.key?.string)
        }
        guard let stored, decoder.accepts(stored) else { return nil }
        guard decoder.key?.isVariant == true, let version = stored.record?.version else { return stored }
        guard let original = plan.keys.original,
            let current = await plan.originalCache.versioned?.diskVersion(of: original)
        else { return stored }
        return version == current ? stored : nil
    }

    /// Like ``entry(_:in:_:)``, but blocks the calling thread.
    func entrySync(
        _ decoder: EntryDecoder, in cache: any ImageCacheLayers, _ plan: LoadPlan
    ) -> EncodedResource? {
        guard let stored = cache.diskResourceSync(forKey: decoder.key?.string), decoder.accepts(stored) else {
            return nil
        }
        guard decoder.key?.isVariant == true, let version = stored.record?.version else { return stored }
        guard let original = plan.keys.original,
            let current = plan.originalCache.versioned?.diskVersionSync(of: original)
        else { return stored }
        return version == current ? stored : nil
    }

    private static func summary(_ stored: EncodedResource?) -> StageSummary {
        StageSummary(byteCount: stored?.data.count, origin: stored == nil ? nil : .disk)
    }

    /// Returns the bytes of the original; nil for a miss. A custom cache that returns decoded images supplies an image
    /// instead of the bytes.
    func original(_ plan: LoadPlan) async throws(WebImageError) -> EncodedResource? {
        let (cache, type) = plan.originalLookup
        guard type != .none else { return nil }
        guard let layered = cache.layers else {
            // Query the cache only for a load of a variant. For a load of the original, `foreignVariant` has already
            // looked up this key.
            return plan.isVariant ? await foreign(cache, key: plan.keys.original, type: type, plan) : nil
        }
        return type.includesDisk ? try await entry(plan.originalDecoder, in: layered, plan) : nil
    }

    /// Returns the result for an image from memory. If the load has `.queryMemoryData` and requests the original, the
    /// result contains the encoded data from disk.
    func completed(_ image: Image, _ plan: LoadPlan, in cache: any ImageCacheLayers) async -> WebImageResult {
        guard plan.options.contains(.queryMemoryData), !plan.isVariant else {
            return WebImageResult(image: image, cacheType: .memory)
        }
        let stored = await cache.diskResource(forKey: plan.variantKey)
        let data = stored.flatMap { plan.variantDecoder.accepts($0) ? $0.data : nil }
        return WebImageResult(image: image, data: data, encodedByteCount: data?.count, cacheType: .memory)
    }

    // MARK: Custom caches that return decoded images

    /// Returns the answer of the cache for the variant's key: an image or, from a cache that returns only bytes, bytes.
    func foreignVariant(_ plan: LoadPlan) async -> EncodedResource? {
        await foreign(plan.cache, key: plan.keys.variant, type: plan.queryType, plan)
    }

    private func foreign(
        _ cache: RegisteredCache, key: EntryKey?, type: ImageCacheType, _ plan: LoadPlan
    ) async -> EncodedResource? {
        guard let key else { return nil }
        let request = ImageCacheRequest(
            key: key.string, layers: type, options: plan.options,
            values: plan.context.forCache(key, takesEntryAsStored: key == plan.keys.variant))
        // The load does not wait for a cache that goes on after a cancel.
        let hit = await ImageCacheHit.found { cache.query(request, $0) }
        guard let hit, hit.image != nil || hit.data?.isEmpty == false else { return nil }
        return EncodedResource(data: hit.data ?? Data(), cacheType: hit.layer, image: hit.image)
    }
}
