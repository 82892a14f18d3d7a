import Foundation

/// The disk before returning, for views that must not flash.
extension WebImageManager {
    /// Reads and decodes on the calling thread; nil also where only waiting work could answer, such as a transformer's.
    func synchronousDiskHit(_ plan: LoadPlan) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly), plan.variantKey != nil else { return nil }
        if plan.isVariant, plan.queryType.includesDisk, let cache = plan.cache as? any LayeredImageCaching,
            let mark = plan.transformer == nil ? .some(nil) : variantMark(plan, cache),
            let (image, data) = decoded(plan, cache, plan.variantKey)
        {
            plan.mark(image, mark)
            keepInMemory(image, plan)
            return WebImageResult(image: image, encodedByteCount: data.count, cacheType: .disk)
        }
        guard plan.transformer == nil, plan.source.type.includesDisk,
            let cache = plan.source.cache as? any LayeredImageCaching,
            let (image, data) = decoded(plan, cache, plan.originalKey)
        else { return nil }
        keepInMemory(image, plan)
        let original = OriginalData(data: data, cacheType: .disk)
        return WebImageResult(DecodedImage(image: image, source: image, original: original), plan)
    }

    /// The mark beside the variant's disk entry, which may be none; nil where other options made it so.
    private func variantMark(_ plan: LoadPlan, _ cache: any LayeredImageCaching) -> VariantMark?? {
        let mark = cache.resourceMetadataSync(forKey: plan.variantKey).flatMap { VariantMark($0) }
        return mark?.holds(for: plan.options) ?? true ? .some(mark) : nil
    }

    private func decoded(
        _ plan: LoadPlan, _ cache: any LayeredImageCaching, _ key: String?
    ) -> (image: Image, data: Data)? {
        guard let data = cache.diskImageDataSync(forKey: key) else { return nil }
        do throws(WebImageError) {
            return (try plan.decoding.decode(data), data)
        } catch {
            if plan.decoding.isWorthless(data, after: error) { cache.removeCorruptDiskEntry(forKey: key) }
            return nil
        }
    }
}
