import Foundation

/// The original of a picture: from disk, else from the loader.
extension WebImageManager {
    /// Nil is a miss that may not be fetched.
    func original(
        _ plan: LoadPlan, _ handle: StageHandle, skippingDisk: Bool
    ) async throws(WebImageError) -> OriginalData? {
        if !skippingDisk, let kept = try await keptOriginal(plan) { return kept }
        guard !Task.isCancelled else { throw .cancelled }
        guard !plan.options.contains(.fromCacheOnly),
            delegate?.imageManager(self, shouldDownloadImageFor: plan.url) ?? true
        else { return nil }
        guard
            plan.loader is ImageLoadersManager
                || plan.loader.canRequestImage(for: plan.url, options: plan.options, context: plan.context)
        else {
            throw WebImageError(
                .invalidURL, stage: .request, url: plan.url,
                underlying: .message("\(type(of: plan.loader)) does not take this URL"),
                hint: "Use a loader for it, or an ImageLoadersManager with one.")
        }
        handle.tell(.loaderStarted)
        return try await observed(.download, plan.url, { ($0.data.count, ImageCacheType.none) }) {
            () throws(WebImageError) in
            guard let loader = plan.loader as? any ImageDataLoader else { return try await loaded(plan, handle) }
            return try await fetched(plan, loader, handle)
        }
    }

    private func fetched(
        _ plan: LoadPlan, _ loader: any ImageDataLoader, _ handle: StageHandle
    ) async throws(WebImageError) -> OriginalData {
        let kept = plan.isRefreshing ? await resource(plan) : nil
        var load = ImageDataLoad(
            url: plan.url, options: plan.options, context: plan.context, priority: handle.priority.priority)
        load.priorityHandle = handle.priority
        load.cached = kept
        let keep: @Sendable (ImageDataResult) async -> Void = { [weak self] in await self?.keepFinished($0, plan) }
        load.finishedAfterCancel = { result in Task.detached { await keep(result) } }
        if plan.streams {
            let count = Locked(0)
            load.receivedData = { bytes, _ in
                let offset = count.withLock { count in
                    defer { count += bytes.count }
                    return count
                }
                handle.tell(.bytes(bytes, offset: offset))
            }
        }
        let result = try await loader.loadData(for: load) {
            handle.tell(.progress(received: $0, expected: $1, url: $2))
        }
        if let kept, result.isNotModified || result.data == kept.data {
            keepMetadata(result.resourceMetadata, plan)
            if let image = plan.cachedVersion, image != kept.record?.version ?? ContentDigest(kept.data) {
                // What is on disk is the newest, but the image shown was made from an older version.
                return OriginalData(
                    data: kept.data, cacheType: .disk, extended: kept.extended, version: kept.record?.version,
                    isNewest: true)
            }
            throw WebImageError(.cacheNotModified, stage: .download, url: plan.url)
        }
        return OriginalData(
            data: result.data, cacheType: .none, resourceMetadata: result.resourceMetadata,
            mayBeStored: result.mayBeStored, isStandIn: result.isStandIn, isNewest: !result.isStandIn,
            unclaimed: Unclaimed { await keep(result) })
    }

    private func resource(_ plan: LoadPlan) async -> CachedResource? {
        let stored = await (plan.originalCache as? any LayeredImageCaching)?.diskResource(forKey: plan.originalKey)
        return stored.flatMap { plan.originalDecoder.accepts($0) ? $0 : nil }
    }

    func keepMetadata(_ metadata: Data?, _ plan: LoadPlan) {
        (plan.originalCache as? any LayeredImageCaching)?.storeResourceMetadata(metadata, forKey: plan.originalKey)
    }

    /// From a loader that decodes on its own.
    private func loaded(_ plan: LoadPlan, _ handle: StageHandle) async throws(WebImageError) -> OriginalData {
        let call = Completion<Result<OriginalData, WebImageError>>()
        let outcome = await withTaskCancellationHandler {
            await withHandover { continuation in
                call.whenCompleted { continuation.resume(returning: $0) }
                guard !call.isCompleted else { return }
                let operation = plan.loader.requestImage(
                    with: plan.url, options: plan.options, context: plan.context,
                    progress: { handle.tell(.progress(received: $0, expected: $1, url: $2)) },
                    completed: { image, data, error, finished in
                        guard finished else {
                            if let image, !call.isCompleted { handle.tell(.partial(image.asPreview)) }
                            return
                        }
                        if let image {
                            call.complete(
                                with: .success(OriginalData(data: data ?? Data(), cacheType: .none, image: image)))
                        } else {
                            call.complete(with: .failure(error ?? .badData("loader", "gave neither image nor error")))
                        }
                    })
                if let operation { call.whenCancelled { operation.cancel() } }
            }
        } onCancel: {
            call.cancel(with: .failure(.cancelled))
        }
        return try outcome.get()
    }
}

extension Image {
    fileprivate var asPreview: Image {
        isIncremental = true
        return self
    }
}
