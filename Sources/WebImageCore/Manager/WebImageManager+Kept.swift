import Foundation

/// What caches hold of a load.
extension WebImageManager {
    /// The wanted variant: from memory, or from disk under its own key. Originals of variants are a later stage's.
    func keptVariant(
        _ plan: LoadPlan, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly), plan.variantKey != nil, plan.queryType != .none else {
            return nil
        }
        guard let cache = plan.cache as? any LayeredImageCaching else {
            guard let found = await queried(plan.cache, plan.keys.variant, plan.queryType, plan) else { return nil }
            guard let image = found.image, plan.transformer == nil || image.isVariant(for: plan.options) else {
                return nil
            }
            return WebImageResult(image: image, data: found.data.isEmpty ? nil : found.data, cacheType: found.cacheType)
        }
        if plan.queryType.includesMemory, let image = memoryImage(plan, cache) {
            return await memoryHit(image, plan, cache)
        }
        guard plan.isVariant, plan.queryType.includesDisk else { return nil }
        return try await diskVariant(plan, cache, handle)
    }

    private func memoryImage(_ plan: LoadPlan, _ cache: any LayeredImageCaching) -> Image? {
        guard let key = plan.keys.variant, let image = cache.imageFromMemoryCache(forKey: key.string),
            image.isEntry(of: key), plan.transformer == nil || image.isVariant(for: plan.options)
        else { return nil }
        return MemoryMatch.adapted(image, options: plan.options, context: plan.context)
    }

    private func memoryHit(
        _ image: Image, _ plan: LoadPlan, _ cache: any LayeredImageCaching
    ) async -> WebImageResult {
        guard plan.options.contains(.queryMemoryData), !plan.isVariant else {
            return WebImageResult(image: image, cacheType: .memory)
        }
        let stored = await cache.diskResource(forKey: plan.variantKey)
        let data = stored.flatMap { plan.variantDecoder.accepts($0) ? $0.data : nil }
        return WebImageResult(image: image, data: data, encodedByteCount: data?.count, cacheType: .memory)
    }

    private func diskVariant(
        _ plan: LoadPlan, _ cache: any LayeredImageCaching, _ handle: StageHandle
    ) async throws(WebImageError) -> WebImageResult? {
        let decoder = plan.variantDecoder
        guard let stored = try await read(plan, from: cache, plan.variantKey), decoder.accepts(stored),
            await !isStale(stored, plan)
        else { return nil }
        do throws(WebImageError) {
            let image = try await decode(stored, decoder, plan, handle)
            guard let adapted = MemoryMatch.adapted(image, options: plan.options, context: plan.context) else {
                return nil
            }
            keepInMemory(image, plan, joining: stored.record?.version)
            return WebImageResult(image: adapted, encodedByteCount: stored.data.count, cacheType: .disk)
        } catch {
            guard !error.isCancellation else { throw error }
            if try await isWorthless(stored.data, after: error, plan, handle) {
                cache.removeCorruptDiskEntry(forKey: plan.variantKey)
            }
            return nil
        }
    }

    /// Whether a variant was made from another version of its original than the one on disk.
    private func isStale(_ stored: CachedResource, _ plan: LoadPlan) async -> Bool {
        guard let version = stored.record?.version, let original = plan.keys.original,
            let current = await (plan.originalCache as? any VersionedImageCache)?.diskVersion(of: original)
        else { return false }
        return version != current
    }

    private func read(
        _ plan: LoadPlan, from cache: any LayeredImageCaching, _ key: String?
    ) async throws(WebImageError) -> CachedResource? {
        guard !Task.isCancelled else { throw .cancelled }
        return try await observed(.disk, plan.url, { ($0?.data.count, $0 == nil ? nil : .disk) }) {
            () throws(WebImageError) in await cache.diskResource(forKey: key)
        }
    }

    /// The bytes of the original on disk, or the image of a cache that decodes on its own.
    func keptOriginal(_ plan: LoadPlan) async throws(WebImageError) -> OriginalData? {
        let (cache, type) = plan.source
        guard type != .none else { return nil }
        guard let layered = cache as? any LayeredImageCaching else {
            // Without a variant it was asked for this key already.
            return plan.isVariant ? await queried(cache, plan.keys.original, type, plan) : nil
        }
        guard type.includesDisk, let stored = try await read(plan, from: layered, plan.originalKey),
            plan.originalDecoder.accepts(stored)
        else { return nil }
        return OriginalData(
            data: stored.data, cacheType: .disk, extended: stored.extended, version: stored.record?.version)
    }

    /// The full-size image in memory, where one may serve: never for a thumbnail, which it is not.
    func originalInMemory(_ plan: LoadPlan) -> Image? {
        guard plan.isVariant, plan.thumbnail == nil, plan.source.type.includesMemory, let key = plan.keys.original,
            let cache = plan.source.cache as? any LayeredImageCaching,
            let image = cache.imageFromMemoryCache(forKey: key.string), image.isEntry(of: key)
        else { return nil }
        return MemoryMatch.adapted(image, options: plan.options, context: plan.context)
    }

    /// Asks a cache that decodes on its own.
    private func queried(
        _ cache: any ImageCaching, _ key: EntryKey?, _ type: ImageCacheType, _ plan: LoadPlan
    ) async -> OriginalData? {
        let query = Completion<OriginalData?>()
        return await withTaskCancellationHandler {
            await withHandover { continuation in
                query.whenCompleted { continuation.resume(returning: $0) }
                var context = plan.context ?? [:]
                context[.callbackQueue] = CallbackQueue.invoking
                context[.entryNote] = key.map { EntryNote(key: $0) }
                if key == plan.keys.variant {
                    // What is kept under a thumbnail's key is decoded as it is.
                    context[.imageThumbnailPixelSize] = nil
                    context[.imagePreserveAspectRatio] = nil
                }
                let operation = cache.queryImage(
                    forKey: key?.string, options: plan.options, context: context, cacheType: type
                ) {
                    image, data, origin in
                    query.complete(
                        with: image.map { OriginalData(data: data ?? Data(), cacheType: origin, image: $0) })
                }
                if let operation { query.whenCancelled { operation.cancel() } }
            }
        } onCancel: {
            query.cancel(with: nil)
        }
    }
}
