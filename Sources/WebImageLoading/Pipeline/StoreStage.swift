import Foundation
import WebImageCore

/// Step 7 of a load. Stores the bytes of the original on disk and the image in memory. If the image is expensive to
/// make, also stores the image on disk.
struct StoreStage: Sendable {
    let pool: DecodePool
    /// The versions of originals, for caches that do not record versions themselves.
    private let originalVersions = OriginalVersions()

    init(pool: DecodePool) { self.pool = pool }

    /// Stores the image in memory and starts the disk writes. Waits for the disk writes only with `.waitStoreCache`.
    ///
    /// - Throws: `.cancelled` if the load was cancelled before this call. Nothing is stored in this case.
    func store(_ made: DecodedImage, _ plan: LoadPlan) async throws(WebImageError) {
        guard !Task.isCancelled else { throw .cancelled }
        guard !made.original.isLowDataImage else { return }
        let version = await version(made.original, plan)
        keepInMemory(made.image, plan, version: version)
        keepOriginalInMemory(made, plan, version: version)
        let requests = StoreRequest.requests(for: made, plan)
        guard !requests.isEmpty else { return }
        let observation = plan.observation(of: .store)
        await write(requests, plan, waits: plan.options.contains(.waitStoreCache))
        observation?.end(StageSummary(byteCount: made.original.data.isEmpty ? nil : made.original.data.count), nil)
    }

    func write(_ requests: [StoreRequest], _ plan: LoadPlan, waits: Bool) async {
        guard waits || plan.serializer != nil else {
            for request in requests { await put(request, plan, waits: false) }
            return
        }
        plan.host.changePendingStores(by: 1)
        // Use a separate task, so that a cancel of the load does not cancel the serializer. If the serializer were
        // cancelled, the bytes would be stored without its changes.
        let writing = Task.detached {
            for request in requests { await put(await serialized(request, plan), plan, waits: waits) }
            plan.host.changePendingStores(by: -1)
        }
        if waits { await writing.value }
    }

    /// Stores the bytes of an original that the disk has lost, while an image that was made from the same bytes is in
    /// memory. Otherwise every later refresh would fetch the bytes again, and nothing would be left after a restart.
    func restore(_ original: EncodedResource, _ plan: LoadPlan) async {
        guard original.mayBeStored, let request = StoreRequest.abandoned(original, plan) else { return }
        await write([request], plan, waits: plan.options.contains(.waitStoreCache))
    }

    // MARK: Results whose subscribers were all cancelled

    /// Stores the result of a task after all its subscribers were cancelled. Stores the bytes of the original on disk.
    /// If the load has no transformer, also stores the image in memory.
    func keepAbandoned(_ made: DecodedImage?, _ plan: LoadPlan) {
        guard let made else { return }
        if plan.transformer == nil, !made.original.isLowDataImage, made.original.cacheType != .memory {
            keepInMemory(made.image, plan, joining: made.original.version)
        }
        keepAbandoned(made.original, plan)
    }

    /// Stores the bytes of a download after all its subscribers were cancelled. Bytes that no coder recognizes are not
    /// stored.
    func keepAbandoned(_ original: EncodedResource?, _ plan: LoadPlan) {
        guard let original, original.cacheType == .none, original.image == nil, original.mayBeStored,
            !plan.host.isShutDown,
            // Do not store the bytes if a delegate must first approve or replace the full-size image.
            !plan.host.hasDelegate || plan.thumbnail != nil,
            let request = StoreRequest.abandoned(original, plan)
        else { return }
        let coder = plan.decoding.coder
        Task.detached {
            // Run the check with high priority, so that it runs before waiting decodes. Until the bytes are stored, a
            // new load of this URL would fetch them again.
            let isPicture = try? await pool.run(priority: LoadPriorityHandle(.high)) { () throws(WebImageError) in
                coder.canDecode(from: original.data)
            }
            if isPicture == true { await write([request], plan, waits: false) }
        }
    }

    // MARK: Memory

    /// Returns the version to record in images that are made from this original.
    private func version(_ original: EncodedResource, _ plan: LoadPlan) async -> OriginalVersion? {
        guard let digest = original.version, let key = plan.keys.original else { return nil }
        if original.isNewest {
            let version = versions(plan).declare(digest, for: key.sourceFingerprint)
            if original.cacheType == .disk { version.noteStored() }
            return version
        }
        guard original.cacheType == .disk else { return versions(plan).join(digest, for: key.sourceFingerprint) }
        return await versionOnDisk(digest, of: key, plan)
    }

    /// Returns the version of bytes that were read from disk. If another process has replaced the known version, the
    /// version on disk becomes the newest version. Otherwise every image that is made from it would be stale, and would
    /// be made again by every load.
    private func versionOnDisk(_ digest: ContentDigest, of key: EntryKey, _ plan: LoadPlan) async -> OriginalVersion {
        let (versions, source) = (versions(plan), key.sourceFingerprint)
        if versions.mayTakeIn(digest, for: source), let cache = plan.originalCache.versioned,
            await cache.diskVersion(of: key) == digest
        {
            return versions.takeIn(digest, for: source)
        }
        return versions.join(digest, for: source, isStored: true)
    }

    /// Returns the newest version that is recorded in memory for the original of a plan; nil if no version is recorded.
    func newestVersion(_ plan: LoadPlan) -> ContentDigest? {
        plan.keys.original.flatMap { versions(plan).newest(for: $0.sourceFingerprint) }
    }

    /// Whether a version on disk must be newer than the newest version that is recorded in memory.
    func mayBeReplaced(by version: ContentDigest, _ plan: LoadPlan) -> Bool {
        plan.keys.original.map { versions(plan).mayTakeIn(version, for: $0.sourceFingerprint) } ?? false
    }

    private func versions(_ plan: LoadPlan) -> OriginalVersions {
        plan.originalCache.versioned?.originalVersions ?? originalVersions
    }

    /// Stores an image that was read from disk in memory. `version` is the version of the original from which the image
    /// was made. Takes a newer version in, which another process has stored.
    func keepInMemory(_ image: Image, _ plan: LoadPlan, fromDisk version: ContentDigest?) async {
        guard let version, let key = plan.keys.original else { return keepInMemory(image, plan, version: nil) }
        keepInMemory(image, plan, version: await versionOnDisk(version, of: key, plan))
    }

    /// Does the same, but blocks the calling thread if the version must be compared with the version on disk.
    func keepInMemorySync(_ image: Image, _ plan: LoadPlan, fromDisk version: ContentDigest?) {
        guard let version, let key = plan.keys.original else { return keepInMemory(image, plan, version: nil) }
        let (versions, source) = (versions(plan), key.sourceFingerprint)
        if versions.mayTakeIn(version, for: source), let cache = plan.originalCache.versioned,
            cache.diskVersionSync(of: key) == version
        {
            return keepInMemory(image, plan, version: versions.takeIn(version, for: source))
        }
        keepInMemory(image, plan, version: versions.join(version, for: source, isStored: true))
    }

    /// Stores an image in memory. `version` is the version of the original from which the image was made. If a
    /// different version of this original is already known, the stored image is stale.
    func keepInMemory(_ image: Image, _ plan: LoadPlan, joining version: ContentDigest?) {
        let joined = version.flatMap { version in
            plan.keys.original.map { versions(plan).join(version, for: $0.sourceFingerprint) }
        }
        keepInMemory(image, plan, version: joined)
    }

    private func keepInMemory(_ image: Image, _ plan: LoadPlan, version: OriginalVersion?) {
        guard plan.storeType.includesMemory, !image.isIncremental,
            let cache = plan.cache.layers, cache.keepsImagesInMemory, let key = plan.keys.variant
        else { return }
        image.noteEntry(ImageEntries.Entry(identity: .key(key), version: version))
        cache.storeImageToMemory(image, forKey: key.string)
    }

    private func keepOriginalInMemory(_ made: DecodedImage, _ plan: LoadPlan, version: OriginalVersion?) {
        guard plan.originalStoreType.includesMemory, plan.thumbnail == nil, made.original.cacheType != .memory,
            let cache = plan.originalCache.layers, cache.keepsImagesInMemory,
            let key = plan.keys.original
        else { return }
        made.source.noteEntry(ImageEntries.Entry(identity: .key(key), version: version))
        cache.storeImageToMemory(made.source, forKey: key.string)
    }

    // MARK: Disk

    private func put(_ request: StoreRequest, _ plan: LoadPlan, waits: Bool) async {
        if waits {
            await withCheckedContinuation { continuation in
                let completion = Completion<Void> { continuation.resume() }
                request.put(plan) { completion.complete(with: ()) }
            }
        } else {
            request.put(plan, completion: nil)
        }
        // A versioned cache has stored the metadata of the identity together with the bytes. For other caches, store
        // the metadata here.
        if let metadata = request.identity?.metadata, request.cache.imageCache == nil {
            request.cache.layers?.storeMetadata(metadata, forKey: request.key)
        }
    }

    private func serialized(_ request: StoreRequest, _ plan: LoadPlan) async -> StoreRequest {
        guard let serializer = plan.serializer, request.type.includesDisk else { return request }
        var request = request
        let image = request.serializedImage
        let data = request.data
        let url = plan.url
        // The serializer is code of the program and may wait.
        let chosen = try? await UserCodePool.shared.run {
            serializer.cacheData(with: image, originalData: data, imageURL: url)
        }
        request.data = chosen ?? data
        return request
    }
}

/// One entry that a load stores. A load stores the same entries that SDWebImage stores, but writes each key only once.
struct StoreRequest: Sendable {
    let cache: RegisteredCache
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
        guard let key else {
            completion?()
            return
        }
        let request = ImageCacheRequest(
            key: key, layers: type, options: plan.options, values: plan.context.forCache(identity))
        cache.store(image, data: data, for: request, completion: completion)
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
            plan.originalCache.layers == nil && isWhole
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
                        metadata: original.metadata, extended: original.extended, expires: plan.expires)
                })
        ]
    }

    /// Returns the request that stores the bytes of a fetch whose image is not stored: because all its subscribers were
    /// cancelled, or because the image is in memory. Nil if there are no bytes, or if the load does not store originals on
    /// disk.
    static func abandoned(_ original: EncodedResource, _ plan: LoadPlan) -> StoreRequest? {
        let isSame = !plan.isVariant && plan.hasOneCache
        guard let key = plan.originalKey, !original.data.isEmpty,
            plan.originalStoreType.includesDisk || isSame && plan.storeType.includesDisk
        else { return nil }
        return StoreRequest(
            cache: plan.originalCache, key: key, data: original.data, type: .disk,
            identity: plan.keys.original.map {
                EntryIdentity(
                    key: $0, version: original.version, metadata: original.metadata, extended: original.extended,
                    expires: plan.expires)
            })
    }

    /// Returns the request that stores the image of the load. Returns an empty list if no cache layer must be written.
    /// For a load of the original, also returns an empty list if the original comes from a cache, or if
    /// `original(_:_:)` stores the same entry.
    private static func variant(_ made: DecodedImage, _ plan: LoadPlan) -> [StoreRequest] {
        if !plan.isVariant {
            guard !plan.hasOneCache, made.original.cacheType == .none else { return [] }
        }
        let isLayered = plan.cache.layers != nil
        // Do not write a thumbnail if its original is on disk, because decoding the original again is cheap. Always
        // write a transformed image, because transforming it again may be expensive.
        let isWorthIt =
            !plan.isVariant
            || plan.keepsVariantOnDisk
                && (made.image.isTransformed || plan.namesStoreType || !plan.keepsOriginalOnDisk(made))
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
                    EntryIdentity(
                        key: $0, version: made.original.version,
                        quality: plan.isVariant
                            ? VariantQuality(of: made.original.data, format: made.image.imageFormat) : nil,
                        expires: plan.expires)
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
