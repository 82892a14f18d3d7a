import Foundation

/// Step 2: the image in memory, if it fits the load. Costs a lock and a dictionary lookup.
enum MemoryStage {
    /// Returns the image of a key; nil for another entry with the same key string and for an image that does not fit.
    static func image(of key: EntryKey?, in cache: any LayeredImageCaching, for plan: LoadPlan) -> Image? {
        image(of: key, in: cache, isTransformed: plan.transformer != nil, plan.wanted)
    }

    static func image(
        of key: EntryKey?, in cache: any LayeredImageCaching, isTransformed: Bool, _ wanted: ImageMatcher
    ) -> Image? {
        guard let key, let image = cache.imageFromMemoryCache(forKey: key.string), image.isEntry(of: key),
            !isTransformed || image.isVariant(for: wanted.options)
        else { return nil }
        return wanted.adapted(image)
    }

    /// Returns the full-size image as input for a transformer; nil for a thumbnail load.
    static func original(_ plan: LoadPlan) -> DecodedImage? {
        guard plan.isVariant, plan.thumbnail == nil, plan.source.type.includesMemory,
            let cache = plan.source.cache as? any LayeredImageCaching,
            let image = image(of: plan.keys.original, in: cache, isTransformed: false, plan.wanted)
        else { return nil }
        let version = image.originalVersion(as: plan.keys.original)
        let original = OriginalData(data: Data(), cacheType: .memory, version: version)
        return DecodedImage(image: image, source: image, original: original)
    }
}
