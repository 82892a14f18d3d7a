import Foundation

/// The disk before returning, for views that must not flash.
extension WebImageManager {
    /// Reads and decodes on the calling thread; nil also where only waiting work could answer, such as a transformer's.
    func synchronousDiskHit(_ plan: LoadPlan) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly), plan.variantKey != nil else { return nil }
        if plan.isVariant, plan.queryType.includesDisk, let cache = plan.cache as? any LayeredImageCaching,
            let (image, stored) = decoded(plan, cache, plan.variantKey)
        {
            plan.restore(image, from: stored)
            keepInMemory(image, plan)
            return WebImageResult(image: image, encodedByteCount: stored.data.count, cacheType: .disk)
        }
        guard plan.transformer == nil, plan.source.type.includesDisk,
            let cache = plan.source.cache as? any LayeredImageCaching,
            let (image, stored) = decoded(plan, cache, plan.originalKey)
        else { return nil }
        if let extended = stored.extended { image.extendedObject = extended }
        keepInMemory(image, plan)
        let original = OriginalData(data: stored.data, cacheType: .disk)
        return WebImageResult(DecodedImage(image: image, source: image, original: original), plan)
    }

    private func decoded(
        _ plan: LoadPlan, _ cache: any LayeredImageCaching, _ key: String?
    ) -> (image: Image, stored: CachedResource)? {
        guard let stored = cache.diskResourceSync(forKey: key),
            key != plan.variantKey || !plan.isVariant || plan.accepts(stored)
        else { return nil }
        do throws(WebImageError) {
            return (try plan.decoding.decode(stored.data), stored)
        } catch {
            if plan.decoding.isWorthless(stored.data, after: error) { cache.removeCorruptDiskEntry(forKey: key) }
            return nil
        }
    }
}
