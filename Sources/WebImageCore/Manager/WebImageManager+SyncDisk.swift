import Foundation

/// The disk before returning, for views that must not flash.
extension WebImageManager {
    /// Reads and decodes on the calling thread; nil also where only waiting work could answer, such as a transformer's.
    func synchronousDiskHit(_ plan: LoadPlan) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly), plan.variantKey != nil else { return nil }
        if plan.isVariant, plan.queryType.includesDisk, let cache = plan.cache as? any LayeredImageCaching,
            let (image, stored) = decoded(plan.variantDecoder, cache, plan)
        {
            keepInMemory(image, plan, joining: stored.record?.version)
            return WebImageResult(image: image, encodedByteCount: stored.data.count, cacheType: .disk)
        }
        guard plan.transformer == nil, plan.source.type.includesDisk,
            let cache = plan.source.cache as? any LayeredImageCaching,
            let (image, stored) = decoded(plan.originalDecoder, cache, plan)
        else { return nil }
        let version = stored.record?.version ?? (plan.isVariant ? ContentDigest(stored.data) : nil)
        keepInMemory(image, plan, joining: version)
        let original = OriginalData(data: stored.data, cacheType: .disk, version: version)
        return WebImageResult(DecodedImage(image: image, source: image, original: original), plan)
    }

    private func decoded(
        _ decoder: EntryDecoder, _ cache: any LayeredImageCaching, _ plan: LoadPlan
    ) -> (image: Image, stored: CachedResource)? {
        guard let key = decoder.key, let stored = cache.diskResourceSync(forKey: key.string), decoder.accepts(stored),
            !key.isVariant || !isStaleSync(stored, plan)
        else { return nil }
        do throws(WebImageError) {
            let image = try decoder.decode(stored)
            return MemoryMatch.adapted(image, options: plan.options, context: plan.context).map { ($0, stored) }
        } catch {
            if plan.decoding.isWorthless(stored.data, after: error) {
                cache.removeCorruptDiskEntry(forKey: key.string)
            }
            return nil
        }
    }

    private func isStaleSync(_ stored: CachedResource, _ plan: LoadPlan) -> Bool {
        guard let version = stored.record?.version, let original = plan.keys.original,
            let current = (plan.originalCache as? any VersionedImageCache)?.diskVersionSync(of: original)
        else { return false }
        return version != current
    }
}
