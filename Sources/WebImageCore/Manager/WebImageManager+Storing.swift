import Foundation

/// The last stage before delivery: bytes to disk, the image to memory.
extension WebImageManager {
    func store(_ image: Image, _ original: OriginalData, _ plan: LoadPlan) async {
        keepInMemory(image, plan)
        let waits = plan.options.contains(.waitStoreCache)
        if original.cacheType == .none, plan.originalStoreType.includesDisk, !original.data.isEmpty {
            let isOriginal = !image.isTransformed && !image.isThumbnail
            let data = await serialized(isOriginal ? image : nil, original.data, plan)
            await put(nil, data, plan.originalKey, plan.originalCache, .disk, plan, waits: waits)
        }
        // A thumbnail is cheaply made again from its original; a transformed image may not be.
        if plan.isVariant, plan.storeType.includesDisk, image.isTransformed || plan.namesStoreType {
            let data = plan.serializer == nil ? nil : await serialized(image, nil, plan)
            await put(image, data, plan.variantKey, plan.cache, .disk, plan, waits: waits)
        }
        if !(plan.cache is any LayeredImageCaching) {
            await put(image, nil, plan.variantKey, plan.cache, .memory, plan, waits: waits)
        }
    }

    private func put(
        _ image: Image?, _ data: Data?, _ key: String?, _ cache: any ImageCaching, _ type: ImageCacheType,
        _ plan: LoadPlan, waits: Bool
    ) async {
        var context = plan.context ?? [:]
        context[.callbackQueue] = CallbackQueue.invoking
        guard waits else {
            cache.storeImage(
                image, imageData: data, forKey: key, options: plan.options, context: context, cacheType: type,
                completion: nil)
            return
        }
        await withCheckedContinuation { continuation in
            let once = Once<Void> { continuation.resume() }
            cache.storeImage(
                image, imageData: data, forKey: key, options: plan.options, context: context, cacheType: type
            ) { once.call(()) }
        }
    }

    private func serialized(_ image: Image?, _ data: Data?, _ plan: LoadPlan) async -> Data? {
        guard let serializer = plan.serializer else { return data }
        let url = plan.url
        let chosen = try? await decodePool.run { () throws(WebImageError) in
            serializer.cacheData(with: image, originalData: data, imageURL: url)
        }
        return chosen ?? data
    }

    func keepInMemory(_ image: Image, _ plan: LoadPlan) {
        guard plan.storeType.includesMemory, !image.isIncremental,
            let cache = plan.cache as? any LayeredImageCaching
        else { return }
        cache.storeImageToMemory(image, forKey: plan.variantKey)
    }
}
