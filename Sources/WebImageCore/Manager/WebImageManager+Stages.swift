import Foundation

/// The encoded original of a picture and where it came from.
struct OriginalData: Sendable {
    var data: Data
    var cacheType: ImageCacheType
    /// The image itself, from loaders and caches that decode on their own.
    var image: Image?
}

/// The way of one image, stage by stage; `load` reads top to bottom.
extension WebImageManager {
    /// The whole of a load that memory could not answer; nil is a miss under `.fromCacheOnly`.
    func load(_ plan: LoadPlan, progress: ImageLoaderProgressBlock?) async throws(WebImageError) -> WebImageResult? {
        try await variants.withValue(
            for: plan.variantIdentity, priority: plan.priority, progress: progress,
            work: { handle throws(WebImageError) in try await self.produce(plan, handle) },
            body: { result throws(WebImageError) in result })
    }

    private func produce(
        _ plan: LoadPlan, _ handle: SharedTaskHandle
    ) async throws(WebImageError) -> WebImageResult? {
        if let hit = memoryHit(plan) { return hit }
        if let hit = try await storedVariant(plan, handle) { return hit }
        do throws(WebImageError) {
            return try await produceFromOriginal(plan, handle)
        } catch {
            // The picture is remembered as failed once, by the work that failed, not by each subscriber.
            if !Task.isCancelled, plan.loader.shouldBlockFailedURL(with: plan.url, error: error) {
                rememberFailure(error, of: plan.url)
            }
            throw error
        }
    }

    // MARK: Memory

    func memoryHit(_ plan: LoadPlan) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly), plan.queryType.includesMemory,
            let cache = plan.cache as? any LayeredImageCaching,
            let image = cache.imageFromMemoryCache(forKey: plan.variantKey)
        else { return nil }
        return WebImageResult(image: image, cacheType: .memory)
    }

    // MARK: Disk

    /// The wanted variant as a cache holds it; for originals see ``original(_:_:)``.
    private func storedVariant(
        _ plan: LoadPlan, _ handle: SharedTaskHandle
    ) async throws(WebImageError) -> WebImageResult? {
        guard !plan.options.contains(.fromLoaderOnly) else { return nil }
        guard let cache = plan.cache as? any LayeredImageCaching else { return await queriedVariant(plan) }
        guard plan.isVariant, plan.queryType.includesDisk, let data = await cache.diskImageData(forKey: plan.variantKey)
        else { return nil }
        // It was stored at its size: decoding must not scale it again.
        var decoding = plan.decoding
        decoding.scaleDownLimitBytes = nil
        guard let image = try? await decode(data, decoding, plan, handle) else {
            cache.removeCorruptDiskEntry(forKey: plan.variantKey)
            return nil
        }
        image.isTransformed = plan.transformer != nil
        keepInMemory(image, plan)
        return WebImageResult(image: image, encodedByteCount: data.count, cacheType: .disk)
    }

    /// A hit of a cache that decodes on its own.
    private func queriedVariant(_ plan: LoadPlan) async -> WebImageResult? {
        await withCheckedContinuation { continuation in
            let once = Once<WebImageResult?> { continuation.resume(returning: $0) }
            var context = plan.context ?? [:]
            context[.imageThumbnailPixelSize] = nil
            context[.callbackQueue] = CallbackQueue.invoking
            _ = plan.cache.queryImage(
                forKey: plan.variantKey, options: plan.options, context: context, cacheType: plan.queryType
            ) { image, data, cacheType in
                once.call(image.map { WebImageResult(image: $0, data: data, cacheType: cacheType) })
            }
        }
    }

    /// Reads and decodes before returning, for views that must not flash.
    func synchronousDiskHit(_ plan: LoadPlan) -> WebImageResult? {
        guard let cache = plan.cache as? any LayeredImageCaching, !plan.options.contains(.fromLoaderOnly) else {
            return nil
        }
        if plan.isVariant, plan.queryType.includesDisk, let data = cache.diskImageDataSync(forKey: plan.variantKey),
            let image = try? plan.coder.decodeWithReason(data, options: plan.decoding)
        {
            keepInMemory(image, plan)
            return WebImageResult(image: image, encodedByteCount: data.count, cacheType: .disk)
        }
        guard plan.queriesOriginalOnDisk, plan.transformer == nil,
            let original = plan.originalCache as? any LayeredImageCaching,
            let data = original.diskImageDataSync(forKey: plan.originalKey),
            let image = try? plan.coder.decodeWithReason(data, options: plan.decoding)
        else { return nil }
        keepInMemory(image, plan)
        return deliverable(image, OriginalData(data: data, cacheType: .disk), plan)
    }

    // MARK: Original, decode, transform, store

    private func produceFromOriginal(
        _ plan: LoadPlan, _ handle: SharedTaskHandle, skippingDisk: Bool = false
    ) async throws(WebImageError) -> WebImageResult? {
        let report: ImageLoaderProgressBlock = { handle.report(received: $0, expected: $1, url: $2) }
        var damage: WebImageError?
        let result = try await originals.withValue(
            for: plan.originalIdentity, priority: handle.priority, progress: report,
            work: { inner throws(WebImageError) in
                try await self.original(plan, inner, skippingDisk: skippingDisk)
            },
            body: { original throws(WebImageError) -> WebImageResult? in
                guard let original else { return nil }
                do throws(WebImageError) {
                    return try await self.make(original, plan, handle)
                } catch  where original.cacheType == .disk && error.code == .badImageData && !skippingDisk {
                    damage = error
                    return nil
                }
            })
        guard damage != nil else { return result }
        // What the disk held is no picture: forget it and fetch it again.
        (plan.originalCache as? any LayeredImageCaching)?.removeCorruptDiskEntry(forKey: plan.originalKey)
        return try await produceFromOriginal(plan, handle, skippingDisk: true)
    }

    /// The original bytes, from disk or the loader; nil is a miss under `.fromCacheOnly`.
    private func original(
        _ plan: LoadPlan, _ handle: SharedTaskHandle, skippingDisk: Bool
    ) async throws(WebImageError) -> OriginalData? {
        if !skippingDisk, plan.queriesOriginalOnDisk, let cache = plan.originalCache as? any LayeredImageCaching,
            let data = await cache.diskImageData(forKey: plan.originalKey)
        {
            return OriginalData(data: data, cacheType: .disk)
        }
        guard !plan.options.contains(.fromCacheOnly) else { return nil }
        guard !Task.isCancelled else { throw .cancelled }
        guard let loader = plan.loader as? any ImageDataLoader else { return try await loaded(plan, handle) }
        let load = ImageDataLoad(
            url: plan.url, options: plan.options, context: plan.context, priority: handle.priority)
        let result = try await loader.loadData(for: load) { received, expected, url in
            handle.report(received: received, expected: expected, url: url)
        }
        return OriginalData(data: result.data, cacheType: .none)
    }

    private func make(
        _ original: OriginalData, _ plan: LoadPlan, _ handle: SharedTaskHandle
    ) async throws(WebImageError) -> WebImageResult {
        var image: Image
        if let ready = original.image {
            image = ready
        } else {
            image = try await decode(original.data, plan.decoding, plan, handle)
        }
        image = try await transform(image, plan, handle)
        await store(image, original, plan)
        return deliverable(image, original, plan)
    }

    private func decode(
        _ data: Data, _ decoding: DecodingOptions, _ plan: LoadPlan, _ handle: SharedTaskHandle
    ) async throws(WebImageError) -> Image {
        let coder = plan.coder
        return try await decodePool.run(
            cost: Self.decodingCost(data, decoding, coder), priority: { handle.priority },
            work: { () throws(WebImageError) in
                let image = try coder.decodeWithReason(data, options: decoding)
                image.decodingOptions = decoding
                return image
            })
    }

    /// Bytes the decoded picture will take, from its header; 0 when the coder cannot tell.
    private static func decodingCost(_ data: Data, _ decoding: DecodingOptions, _ coder: any ImageCoder) -> Int {
        guard let detailed = coder as? any DetailedImageCoder,
            let info = try? detailed.imageInfo(of: data, limits: decoding.limits)
        else { return 0 }
        let target = decoding.targetSize(for: info.pixelSize)
        let (bytes, overflow) = target.pixelCount.multipliedReportingOverflow(by: decoding.pixelFormat.bytesPerPixel)
        return overflow ? .max / 2 : bytes
    }

    private func transform(
        _ image: Image, _ plan: LoadPlan, _ handle: SharedTaskHandle
    ) async throws(WebImageError) -> Image {
        guard let transformer = plan.transformer, let key = plan.variantKey ?? plan.originalKey,
            !image.isAnimated || plan.options.contains(.transformAnimatedImage),
            !image.isVector || plan.options.contains(.transformVectorImage)
        else { return image }
        return try await decodePool.run(cost: image.pixels.byteCount, priority: { handle.priority }) {
            () throws(WebImageError) in
            guard let result = transformer.transformedImage(with: image, forKey: key) else { return image }
            if transformer.preserveImageMetadata { result.copyMetadata(from: image) }
            result.isTransformed = true
            return result
        }
    }

    func deliverable(_ image: Image, _ original: OriginalData, _ plan: LoadPlan) -> WebImageResult {
        let isOriginal = !image.isTransformed && plan.decoding.thumbnailPixelSize == nil
        return WebImageResult(
            image: image, data: isOriginal && !original.data.isEmpty ? original.data : nil,
            encodedByteCount: original.data.isEmpty ? nil : original.data.count, cacheType: original.cacheType)
    }

    // MARK: Loaders that decode on their own

    private func loaded(_ plan: LoadPlan, _ handle: SharedTaskHandle) async throws(WebImageError) -> OriginalData? {
        let call = ForeignLoad()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.begin(continuation)
                call.started(
                    plan.loader.requestImage(
                        with: plan.url, options: plan.options, context: plan.context,
                        progress: { handle.report(received: $0, expected: $1, url: $2) },
                        completed: { image, data, error, finished in
                            guard finished else { return }
                            if let image {
                                call.end(.success(OriginalData(data: data ?? Data(), cacheType: .none, image: image)))
                            } else {
                                call.end(.failure(error ?? .badData("loader", "gave neither image nor error")))
                            }
                        }))
            }
        } onCancel: {
            call.cancel()
        }
        return try outcome.get()
    }
}
