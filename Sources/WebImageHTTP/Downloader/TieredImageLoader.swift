public import Foundation
public import WebImageCore
public import WebImageLoading

/// A loader that asks cache tiers before another loader, below the caches of the manager.
///
/// Memory hits and disk hits do not reach a loader, so they stay as they are. A picture from a tier is stored in the local
/// caches with the validators of its response. Only loads whose scope is shared, and responses that a shared cache may
/// store, use the tiers; see ``HTTPCachePolicy/mayShare(_:to:)``. Loads with a named scope use the tiers that are
/// ``CacheTier/isPrivate``. Thumbnails and transformed images never use a tier: they are made from the original. A load that
/// revalidates an entry (`.refreshCached`) asks the other loader, and stores a new picture in the tiers. If the other loader
/// fails, or returns bytes that are no picture, and the local caches have no picture, the picture of a tier is the result.
/// Bytes that no coder recognises are never stored in a tier.
public final class TieredImageLoader: ImageLoader {
    private let loader: any ImageLoader
    private let tiers: CacheTiers
    private let clock: any DelayClock
    /// The longest wait for another machine that fetches the same picture.
    private let patience: Duration

    /// Creates a loader that asks tiers before another loader.
    ///
    /// - Parameters:
    ///   - loader: Fetches what no tier has, such as `WebImageDownloader.shared`.
    ///   - tiers: The tiers, the nearest first. A read of a tier of your own may add 50 ms to a load, of Valkey 5 ms and of
    ///     S3 250 ms.
    ///   - namespace: Separates programs that store different bytes of one URL. Letters, digits and hyphens.
    public convenience init(_ loader: any ImageLoader, tiers: [any CacheTier], namespace: String = "webimage") {
        self.init(loader, tiers: CacheTiers(tiers.map { CacheTiers.Level($0) }, namespace: namespace))
    }

    package init(
        _ loader: any ImageLoader, tiers: CacheTiers, patience: Duration = .seconds(10),
        clock: any DelayClock = SystemClock()
    ) {
        (self.loader, self.tiers, self.patience, self.clock) = (loader, tiers, patience, clock)
    }

    /// Waits until all queued writes to the tiers have ended, for at most `budget`. Call it before the program ends.
    public func flush(within budget: Duration) async { await tiers.flush(within: budget) }

    /// See `ImageLoader`.
    public func canLoad(_ load: ImageDataLoad) -> Bool { loader.canLoad(load) }

    /// See `ImageLoader`.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool {
        loader.shouldBlock(load, after: error)
    }

    /// See `ImageLoader`.
    public func identity(of load: ImageDataLoad) -> LoadIdentity { loader.identity(of: load) }

    /// See `ImageLoader`.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { loader.cacheScope(of: load) }

    /// The key of a load in the tiers; nil if the load may not use them.
    ///
    /// It is a digest of everything that decides the bytes: URL, method, header fields, limits and roles. Roles of the
    /// program, such as a decryptor, have a different text in every process, so such loads share nothing.
    package func key(of load: ImageDataLoad) -> CacheTierKey? {
        let identity = loader.identity(of: load)
        guard let sharing = identity.sharing else { return nil }
        if let key = tiers.key(sharing, url: load.url, scope: identity.cacheScope) { return key }
        guard identity.isPortable, load.options.isDisjoint(with: [.handleCookies, .allowInvalidSSLCertificates]) else {
            return nil
        }
        return tiers.privateKey(sharing, url: load.url, scope: identity.cacheScope)
    }

    /// Returns the picture of a tier, or loads it; of all machines that need it at the same time, one loads it.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        guard let key = key(of: load) else { return try await loader.loadData(for: load, progress: progress) }
        // A load that revalidates an entry needs the origin's answer.
        if load.isRefresh {
            return try await refreshedData(for: load, key: key, progress: progress)
        }
        let found = try await tiers.value(for: key, patience: patience) { entry in
            Self.result(entry, for: load)
        } make: { () throws(WebImageError) in
            let result = try await self.loader.loadData(for: load, progress: progress)
            return (result, self.entry(result, of: load, key: key))
        }
        if found.level != nil {
            let count = found.value.data.count
            progress?(count, count, load.url)
            load.receivedData?(found.value.data, found.value.response)
        }
        return found.value
    }

    /// Removes a body that no coder can decode from the tiers, and lets the other loader remove it.
    ///
    /// A body is stored in the tiers before it is decoded: other machines wait for it. The beginning of a picture, for example,
    /// would otherwise reach all machines until its lifetime ends.
    public func discard(_ body: Data, of load: ImageDataLoad, after error: WebImageError) {
        loader.discard(body, of: load, after: error)
        // A refresh stores nothing that it has not decoded.
        guard !load.isRefresh, load.recognizes(body), let key = key(of: load) else { return }
        tiers.discard(body, of: key) { await load.isUndecodable(body, after: error) }
    }

    /// Asks the other loader. If it fails, or returns no picture, and this machine has no picture, returns that of a tier: a
    /// valid picture is never replaced by a failure.
    private func refreshedData(
        for load: ImageDataLoad, key: CacheTierKey, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        do throws(WebImageError) {
            let result = try await loader.loadData(for: load, progress: progress)
            let entry = entry(result, of: load, key: key)
            // Nothing depends on the bytes if they are not stored here and this machine has a picture.
            guard !result.isNotModified, entry != nil || !load.hasPicture else { return result }
            guard await load.decodes(result.data) else {
                return await knownData(for: load, key: key, progress: progress) ?? result
            }
            // A decode that was cancelled has verified nothing.
            if let entry, !Task.isCancelled { tiers.put(entry, for: key) }
            return result
        } catch {
            guard !error.isCancellation, let known = await knownData(for: load, key: key, progress: progress) else {
                throw error
            }
            return known
        }
    }

    /// Returns the picture of a tier; nil if this machine has a picture.
    private func knownData(
        for load: ImageDataLoad, key: CacheTierKey, progress: ImageLoaderProgressBlock?
    ) async -> ImageDataResult? {
        guard !load.hasPicture, let (entry, _) = await tiers.entry(for: key),
            let known = Self.result(entry, for: load)
        else { return nil }
        // Not as received data: the other loader may have passed on a part of another body.
        progress?(known.data.count, known.data.count, load.url)
        return known
    }

    private static func result(_ entry: CacheTierEntry, for load: ImageDataLoad) -> ImageDataResult? {
        guard case .value(let data, let metadata, let extended) = entry.content, load.recognizes(data),
            let stored = metadata.flatMap(StoredResponse.init(serialized:))
        else { return nil }
        var result = ImageDataResult(
            data: data,
            response: WebImageResponse(
                url: load.url, statusCode: 200, allHeaderFields: stored.fields, expectedContentLength: data.count))
        result.metadata = metadata
        result.extended = extended
        return result
    }

    private func entry(_ result: ImageDataResult, of load: ImageDataLoad, key: CacheTierKey) -> CacheTierEntry? {
        let request = WebImageRequest(url: load.url)
        guard result.mayBeStored, !result.isNotModified, !result.isLowDataImage, load.recognizes(result.data),
            key.isPrivate
                ? HTTPCachePolicy.mayHandOver(result.response, to: request)
                : HTTPCachePolicy.mayShare(result.response, to: request),
            let metadata = result.metadata, let stored = StoredResponse(serialized: metadata),
            let lifetime = HTTPCachePolicy.lifetime(stored, isPrivate: key.isPrivate, now: clock.date)
        else { return nil }
        return CacheTierEntry(
            .value(data: result.data, metadata: metadata, extended: result.extended), stored: clock.date,
            lifetime: lifetime)
    }
}

extension ImageDataLoad {
    /// Whether the load revalidates an entry.
    fileprivate var isRefresh: Bool { hasCached || options.contains(.refreshCached) }

    /// Whether this machine has a picture. The manager keeps one that it has already delivered, and reports a failure beside
    /// it.
    fileprivate var hasPicture: Bool { hasCached || request.cachedImage != nil }
}
