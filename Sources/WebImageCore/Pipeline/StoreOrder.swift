import Foundation

/// One entry that a load wants written; the rules are the original's, each key written once.
struct StoreOrder: Sendable {
    let cache: any ImageCaching
    let key: String?
    /// What the cache encodes when there is no data.
    var image: Image?
    /// What a serializer is shown.
    var serializedImage: Image?
    var data: Data?
    var type: ImageCacheType
    var metadata: Data?
    /// What the entry is, for caches that record it.
    var note: EntryNote?

    static func orders(for made: DecodedImage, _ plan: LoadPlan) -> [StoreOrder] {
        guard plan.originalKey != nil, made.original.mayBeStored else { return [] }
        return original(made, plan) + variant(made, plan)
    }

    /// The fetched bytes; never again what came from a cache.
    private static func original(_ made: DecodedImage, _ plan: LoadPlan) -> [StoreOrder] {
        let original = made.original
        guard original.cacheType == .none else { return [] }
        let isWhole = plan.thumbnail == nil
        let isSame = !plan.isVariant && plan.hasOneCache
        let toDisk = plan.originalStoreType.includesDisk || isSame && plan.storeType.includesDisk
        // Caches with layers have had their memory filled already.
        let toMemory =
            !(plan.originalCache is any LayeredImageCaching) && isWhole
            && (plan.originalStoreType.includesMemory || isSame && plan.storeType.includesMemory)
        guard let type = ImageCacheType(memory: toMemory, disk: toDisk), isWhole || !original.data.isEmpty else {
            return []
        }
        return [
            StoreOrder(
                cache: plan.originalCache, key: plan.originalKey,
                image: isWhole && (toMemory || original.data.isEmpty) ? made.source : nil,
                serializedImage: isWhole ? made.source : nil,
                data: original.data.isEmpty ? nil : original.data, type: type, metadata: original.metadata,
                note: plan.keys.original.map { EntryNote(key: $0, version: original.version) })
        ]
    }

    /// Fetched bytes whose subscribers were all cancelled; nil where they are not to be kept on disk.
    static func abandoned(_ original: OriginalData, _ plan: LoadPlan) -> StoreOrder? {
        let isSame = !plan.isVariant && plan.hasOneCache
        guard let key = plan.originalKey, !original.data.isEmpty,
            plan.originalStoreType.includesDisk || isSame && plan.storeType.includesDisk
        else { return nil }
        return StoreOrder(
            cache: plan.originalCache, key: key, data: original.data, type: .disk,
            metadata: original.metadata, note: plan.keys.original.map { EntryNote(key: $0) })
    }

    /// The image as wanted, where that is another entry than the original's.
    private static func variant(_ made: DecodedImage, _ plan: LoadPlan) -> [StoreOrder] {
        if !plan.isVariant {
            guard !plan.hasOneCache, made.original.cacheType == .none else { return [] }
        }
        let isLayered = plan.cache is any LayeredImageCaching
        // A thumbnail is cheaply made again from its original; what a transformer made may not be.
        let isWorthIt =
            !plan.isVariant || made.image.isTransformed || plan.namesStoreType || !plan.keepsOriginalOnDisk(made)
        guard
            let type = ImageCacheType(
                memory: plan.storeType.includesMemory && !isLayered, disk: plan.storeType.includesDisk && isWorthIt)
        else { return [] }
        let data = plan.isVariant || made.original.data.isEmpty ? nil : made.original.data
        return [
            StoreOrder(
                cache: plan.cache, key: plan.variantKey, image: made.image, serializedImage: made.image, data: data,
                type: type, note: plan.keys.variant.map { EntryNote(key: $0, version: made.original.version) })
        ]
    }
}

extension LoadPlan {
    fileprivate func keepsOriginalOnDisk(_ made: DecodedImage) -> Bool {
        made.original.cacheType == .disk || made.original.cacheType == .none && originalStoreType.includesDisk
    }
}

extension ImageCacheType {
    /// The layers meant; nil for neither.
    fileprivate init?(memory: Bool, disk: Bool) {
        switch (memory, disk) {
        case (true, true): self = .all
        case (true, false): self = .memory
        case (false, true): self = .disk
        case (false, false): return nil
        }
    }
}
