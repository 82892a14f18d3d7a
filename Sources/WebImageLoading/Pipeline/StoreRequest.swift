import Foundation
import WebImageCore

/// One entry that a load stores. A load stores the same entries that SDWebImage stores, but writes each key only once.
struct StoreRequest: Sendable {
    let cache: ResolvedCache
    let key: String?
    /// The image that the cache encodes if `data` is nil.
    var image: Image?
    /// The image passed to a serializer.
    var serializedImage: Image?
    var data: Data?
    var type: ImageCacheType
    /// The identity and metadata of the entry, for caches that record them.
    var identity: EntryIdentity?

    /// Passes the entry to its cache.
    func put(_ plan: LoadPlan, completion: (@Sendable () -> Void)?) {
        if let own = cache.imageCache {
            return own.storeImage(
                image, imageData: data, forKey: key, options: plan.options, values: plan.context, identity: identity,
                cacheType: type, callbacks: .invoking, completion: completion)
        }
        cache.role.storeImage(
            image, imageData: data, forKey: key, options: plan.options,
            context: plan.context.forCache(identity).dictionary, cacheType: type, completion: completion)
    }

    static func requests(for made: DecodedImage, _ plan: LoadPlan) -> [StoreRequest] {
        guard plan.originalKey != nil, made.original.mayBeStored else { return [] }
        return original(made, plan) + variant(made, plan)
    }

    /// Returns the request that stores the original. Returns an empty list in three cases: the original comes from a
    /// cache, and that cache already stores it; no cache layer must be written; or the load requests a thumbnail and
    /// has no bytes of the original.
    private static func original(_ made: DecodedImage, _ plan: LoadPlan) -> [StoreRequest] {
        let original = made.original
        guard original.cacheType == .none else { return [] }
        let isWhole = plan.thumbnail == nil
        let isSame = !plan.isVariant && plan.hasOneCache
        let toDisk = plan.originalStoreType.includesDisk || isSame && plan.storeType.includesDisk
        // For a layered cache, `StoreStage` has already stored the image in memory.
        let toMemory =
            plan.originalCache.layered == nil && isWhole
            && (plan.originalStoreType.includesMemory || isSame && plan.storeType.includesMemory)
        guard let type = ImageCacheType(memory: toMemory, disk: toDisk), isWhole || !original.data.isEmpty else {
            return []
        }
        return [
            StoreRequest(
                cache: plan.originalCache, key: plan.originalKey,
                image: isWhole && (toMemory || original.data.isEmpty) ? made.source : nil,
                serializedImage: isWhole ? made.source : nil,
                data: original.data.isEmpty ? nil : original.data, type: type,
                identity: plan.keys.original.map {
                    EntryIdentity(
                        key: $0, version: original.version, pixelSize: isWhole ? made.source.pixelSize : nil,
                        metadata: original.metadata, expires: plan.expires)
                })
        ]
    }

    /// Returns the request that stores the bytes of a fetch after all its subscribers were cancelled. Nil if there are
    /// no bytes, or if the load does not store originals on disk.
    static func abandoned(_ original: EncodedResource, _ plan: LoadPlan) -> StoreRequest? {
        let isSame = !plan.isVariant && plan.hasOneCache
        guard let key = plan.originalKey, !original.data.isEmpty,
            plan.originalStoreType.includesDisk || isSame && plan.storeType.includesDisk
        else { return nil }
        return StoreRequest(
            cache: plan.originalCache, key: key, data: original.data, type: .disk,
            identity: plan.keys.original.map {
                EntryIdentity(key: $0, metadata: original.metadata, expires: plan.expires)
            })
    }

    /// Returns the request that stores the image of the load. Returns an empty list if no cache layer must be written.
    /// For a load of the original, also returns an empty list if the original comes from a cache, or if
    /// `original(_:_:)` stores the same entry.
    private static func variant(_ made: DecodedImage, _ plan: LoadPlan) -> [StoreRequest] {
        if !plan.isVariant {
            guard !plan.hasOneCache, made.original.cacheType == .none else { return [] }
        }
        let isLayered = plan.cache.layered != nil
        // Do not write a thumbnail if its original is on disk, because decoding the original again is cheap. Always
        // write a transformed image, because transforming it again may be expensive.
        let isWorthIt =
            !plan.isVariant || made.image.isTransformed || plan.namesStoreType || !plan.keepsOriginalOnDisk(made)
        guard
            let type = ImageCacheType(
                memory: plan.storeType.includesMemory && !isLayered, disk: plan.storeType.includesDisk && isWorthIt)
        else { return [] }
        let data = plan.isVariant || made.original.data.isEmpty ? nil : made.original.data
        return [
            StoreRequest(
                cache: plan.cache, key: plan.variantKey, image: made.image, serializedImage: made.image, data: data,
                type: type,
                identity: plan.keys.variant.map {
                    EntryIdentity(key: $0, version: made.original.version, expires: plan.expires)
                })
        ]
    }
}

extension LoadPlan {
    /// The date at which an entry that is written now expires.
    var expires: Date? {
        request.expiration.map { Date(timeIntervalSinceNow: NumberLimits.finite($0) / .seconds(1)) }
    }

    fileprivate func keepsOriginalOnDisk(_ made: DecodedImage) -> Bool {
        made.original.cacheType == .disk || made.original.cacheType == .none && originalStoreType.includesDisk
    }
}

extension ImageCacheType {
    /// Creates the value that contains the given cache layers; nil if `memory` and `disk` are both false.
    fileprivate init?(memory: Bool, disk: Bool) {
        switch (memory, disk) {
        case (true, true): self = .all
        case (true, false): self = .memory
        case (false, true): self = .disk
        case (false, false): return nil
        }
    }
}
