import Foundation
package import WebImageCore

/// Step 2 of a load. Looks up the image in memory and checks that the image fits the load. Costs one lock and one
/// dictionary lookup.
package enum MemoryStage {
    /// Returns the image in memory for a request. Nil also if the request does not allow the look-up.
    static func image(for request: ImageRequest, _ keys: LoadKeys, in cache: RegisteredCache) -> Image? {
        guard !request.options.contains(.fromLoaderOnly), request.queryCache?.includesMemory ?? true,
            let layered = cache.layers
        else { return nil }
        return image(
            of: keys.variant, in: layered, isTransformed: keys.transformer != nil,
            ImageMatcher(options: request.options, context: request.values))
    }

    /// Returns the image in memory for a key. Nil if memory has no entry, if the entry belongs to another key
    /// with the same string, or if the image does not fit the load.
    static func image(of key: EntryKey?, in cache: any ImageCacheLayers, for plan: LoadPlan) -> Image? {
        image(of: key, in: cache, isTransformed: plan.transformer != nil, plan.wanted)
    }

    static func image(
        of key: EntryKey?, in cache: any ImageCacheLayers, isTransformed: Bool, _ wanted: ImageMatcher
    ) -> Image? {
        guard let image = entry(of: key, in: cache), !isTransformed || image.isVariant(for: wanted.options)
        else { return nil }
        return wanted.adapted(image, key: key?.source)
    }

    /// Returns the image in memory for a key, however it was decoded. Nil if memory has no entry, or if the entry belongs
    /// to another key with the same string.
    package static func entry(of key: EntryKey?, in cache: (any ImageCacheLayers)?) -> Image? {
        guard let key, let image = cache?.imageFromMemoryCache(forKey: key.string), image.isEntry(of: key) else {
            return nil
        }
        return image
    }

    /// Returns the full-size image in memory, as the input of a transformer. Nil for a miss and for a thumbnail load.
    static func original(_ plan: LoadPlan) -> DecodedImage? {
        guard plan.isVariant, plan.thumbnail == nil, plan.originalLookup.type.includesMemory,
            let cache = plan.originalLookup.cache.layers,
            let image = image(of: plan.keys.original, in: cache, isTransformed: false, plan.wanted)
        else { return nil }
        let version = image.originalVersion(as: plan.keys.original)
        let original = EncodedResource(data: Data(), cacheType: .memory, version: version)
        return DecodedImage(image: image, source: image, original: original)
    }
}
