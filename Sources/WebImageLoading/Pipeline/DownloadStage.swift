import Foundation
import WebImageCore

/// Step 4 of a load. Fetches the original from the loader.
struct DownloadStage: Sendable {
    let store: StoreStage

    /// Fetches the original. Nil if the load's options or the manager's delegate do not allow a download.
    ///
    /// - Throws: `.blackListed` if the URL has failed before.
    func original(_ plan: LoadPlan, _ handle: StageHandle) async throws(WebImageError) -> EncodedResource? {
        guard !plan.options.contains(.fromCacheOnly) else { return nil }
        if let refusal = plan.refusal { throw refusal }
        guard plan.host.mayDownload(plan.url) else { return nil }
        guard plan.loader.manager != nil || plan.loader.role.canLoad(plan.dataLoad) else {
            throw .notTaken(plan.url, by: plan.loader.role)
        }
        handle.send(.loaderStarted)
        let summary: (EncodedResource) -> StageSummary = {
            StageSummary(byteCount: $0.data.count, origin: ImageCacheType.none, statusCode: $0.response?.statusCode)
        }
        return try await plan.observed(.download, summary) { () throws(WebImageError) in
            try await fetched(plan, handle)
        }
    }

    private func fetched(_ plan: LoadPlan, _ handle: StageHandle) async throws(WebImageError) -> EncodedResource {
        let (kept, layer) = plan.isRefreshing && !plan.loader.returnsImages ? await resource(plan) : (nil, nil)
        let result = try await plan.loader.role.loadData(for: load(plan, cached: kept, handle)) {
            handle.send(.progress(received: $0, expected: $1, url: $2))
        }
        if let image = result.image { return EncodedResource(data: result.data, cacheType: .none, image: image) }
        guard !plan.loader.returnsImages || !result.data.isEmpty else {
            throw .badData("\(type(of: plan.loader.role))", "returned neither an image nor an error")
        }
        // Data beside equal bytes can be new: a page has another title and the same picture.
        if let kept, result.isNotModified || result.data == kept.data,
            result.extended == nil || result.extended == kept.extended
        {
            return try confirmed(kept, in: layer, by: result, plan)
        }
        var fetched = EncodedResource(result, isNewest: true)
        fetched.cacheType = .none
        // No layer has the bytes: the entry is only in memory, or the URL is a `file:` or `data:` URL. Compare the bytes
        // with the version of the delivered image.
        if kept == nil, let shown = plan.cachedVersion, !result.isLowDataImage, shown == ContentDigest(result.data) {
            fetched.version = shown
            await store.restore(fetched, plan)
            throw WebImageError(.cacheNotModified, stage: .download, url: plan.url)
        }
        return fetched
    }

    private func load(_ plan: LoadPlan, cached kept: EncodedResource?, _ handle: StageHandle) -> ImageDataLoad {
        var load = plan.dataLoad
        load.priority = handle.priority.priority
        load.priorityHandle = handle.priority
        load.cached = kept
        // Another loader may pass the load to a downloader with a progress block of its own.
        load.progressDemand = plan.loader.capabilities.preparation == nil ? .always : handle.demand
        if plan.loader.returnsImages {
            load.receivedImage = { image in
                image.isIncremental = true
                handle.send(.partial(image))
            }
        }
        let store = store
        load.finishedAfterCancel = { result in store.keepAbandoned(EncodedResource(result), plan) }
        guard plan.streams else { return load }
        let count = Locked(0)
        load.receivedData = { bytes, _ in
            let offset = count.withLock { count in
                defer { count += bytes.count }
                return count
            }
            handle.send(.bytes(bytes, offset: offset))
        }
        return load
    }

    /// Called when the fetch has confirmed that the cached bytes are current. Stores the new metadata of these bytes.
    ///
    /// The load has already delivered a cached image. If that image was made from another version of the bytes, returns
    /// the cached bytes. Otherwise throws `.cacheNotModified`.
    private func confirmed(
        _ kept: EncodedResource, in layer: RegisteredCache?, by result: ImageDataResult, _ plan: LoadPlan
    ) throws(WebImageError) -> EncodedResource {
        if let cache = layer?.imageCache {
            cache.storeMetadata(result.metadata, forKey: plan.originalKey, version: kept.record?.version)
        } else {
            layer?.layers?.storeMetadata(result.metadata, forKey: plan.originalKey)
        }
        guard let shown = plan.cachedVersion, shown != kept.record?.version ?? ContentDigest(kept.data) else {
            throw WebImageError(.cacheNotModified, stage: .download, url: plan.url)
        }
        var confirmed = kept
        confirmed.isNewest = true
        confirmed.response = result.response
        return confirmed
    }

    /// Returns the bytes of the original with their metadata, and the cache that has them. An ``ImageCachesManager`` is
    /// asked layer by layer.
    private func resource(_ plan: LoadPlan) async -> (EncodedResource?, RegisteredCache?) {
        for layer in plan.originalCache.queriedLayers {
            if let stored = await layer.layers?.diskResource(forKey: plan.originalKey),
                plan.originalDecoder.accepts(stored)
            {
                return (stored, layer)
            }
        }
        return (nil, nil)
    }
}

extension WebImageError {
    static func blackListed(_ url: URL, _ reason: WebImageError) -> WebImageError {
        WebImageError(
            .blackListed, stage: .request, url: url, underlying: reason.underlying,
            hint: "Use .retryFailed, or removeFailedURL(_:), to try it again.")
    }

    fileprivate static func notTaken(_ url: URL, by loader: any ImageLoader) -> WebImageError {
        WebImageError(
            .invalidURL, stage: .request, url: url,
            underlying: .message("\(type(of: loader)) does not accept this URL"),
            hint: "Use a loader that accepts the URL, or an ImageLoadersManager with such a loader.")
    }
}
