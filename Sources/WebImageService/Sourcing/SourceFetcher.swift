import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// Provides sources from a folder, from a bucket, from a disk cache or from the network. Concurrent requests for a source
/// share one fetch.
///
/// Only this type uses the loader and the ``ImageCache`` of sources.
final class SourceFetcher: Sendable {
    private let loader: any ImageDataLoader
    private let cache: ImageCache?
    private let tiers: SharedTiers?
    private let purges: PurgeJournal
    private let folder: LocalFolder?
    /// Reads sources in buckets; nil if none is configured.
    private let objects: (any ImageDataLoader)?
    private let clock: any DelayClock
    private let fetches: CoalescedWork<Key, Source>

    private struct Key: Hashable, Sendable {
        let source: String
        let maxBytes: Int
        let generation: Int
        let fileVersion: String?
        /// Not 0 for a fetch that must know this purge.
        var purge = 0
    }

    /// The maximum total size in bytes of kept sources. A fetched source is kept in memory for requests that were
    /// accepted before the fetch ended.
    private static let keptBytes = 8 << 20

    init(
        loader: any ImageDataLoader, cache: ImageCache?, folder: LocalFolder?,
        objects: (any ImageDataLoader)? = nil, order: RequestOrder, clock: any DelayClock, purges: PurgeJournal,
        tiers: SharedTiers? = nil
    ) {
        self.objects = objects
        self.tiers = tiers
        self.purges = purges
        fetches = CoalescedWork(order: order, budget: Self.keptBytes) { $0.data.count + 1_024 }
        self.loader = loader
        self.cache = cache
        self.folder = folder
        self.clock = clock
    }

    /// Returns the current version of a source. A fresh source comes from the cache; any other source is revalidated or
    /// fetched.
    ///
    /// - Parameter demand: The request that needs the source. The request uses the result of a fetch that ended after
    ///   the request was accepted, unless the source was purged in between.
    /// - Throws: `.cancelled` if the calling task is cancelled; the error of the loader or the file system if the
    ///   source cannot be read. A running fetch is cancelled when no request waits for the source any more.
    func source(
        _ reference: SourcePolicy.Reference, maxBytes: Int, bounds: Lifetime.Bounds, for demand: SourceRequestContext
    ) async throws(WebImageError) -> Source {
        var key = Key(
            source: reference.key, maxBytes: maxBytes, generation: demand.generation,
            fileVersion: reference.fileVersion)
        while true {
            let source = try await fetches.value(for: key, of: demand.request) { _ throws(WebImageError) in
                try await self.located(reference, maxBytes: maxBytes, bounds: bounds, for: demand)
            }
            // This request may have joined a fetch that began before a purge.
            let verdict = purges.verdict(tags: demand.tags + source.tags, source: reference.key, seen: source.seen)
            guard verdict == .hard, key.purge == 0 else { return source }
            key.purge = purges.stamp
        }
    }

    private func located(
        _ reference: SourcePolicy.Reference, maxBytes: Int, bounds: Lifetime.Bounds, for demand: SourceRequestContext
    ) async throws(WebImageError) -> Source {
        let seen = purges.stamp
        switch reference.location {
        case .local(let path):
            guard let folder else { throw .posix(ENOENT, stage: .download) }
            var source = try await folder.source(
                path, version: reference.fileVersion, maxBytes: maxBytes, bounds: bounds)
            source.seen = seen
            return source
        case .fallback(let data):
            var source = Source(data: data, lifetime: Lifetime(maxAge: bounds.most))
            source.seen = seen
            return source
        case .web(let url), .object(let url):
            guard let loader = loader(of: reference.location) else { throw WebImageError(.invalidURL, stage: .request) }
            let key = Self.cacheKey(reference.cacheName, demand.generation)
            // This machine revalidates a source that is on its disk.
            let cached = await cached(key, reference, tags: demand.tags)
            let isStored = reference.storage.places.contains(.disk)
            func fetch() async throws(WebImageError) -> Source {
                try await self.fetch(
                    url, by: loader, cacheKey: isStored ? key : nil, cached: cached, maxBytes: maxBytes,
                    bounds: bounds, demand: demand, seen: seen)
            }
            // The tiers do not hold objects: all machines can read the bucket.
            guard cached == nil, case .web = reference.location else { return try await fetch() }
            return try await fetchedByOneMachine(
                url, cacheKey: key, reference: reference, maxBytes: maxBytes, bounds: bounds, demand: demand,
                fetch: fetch)
        }
    }

    /// Returns the source on the disk as it may be used after purges by tag or prefix.
    private func cached(
        _ key: String, _ reference: SourcePolicy.Reference, tags: [String]
    ) async -> EncodedResource? {
        await purges.load()
        guard reference.storage.places.contains(.disk), var cached = await cache?.diskResource(forKey: key) else {
            return nil
        }
        switch SourceMark.verdict(of: cached.metadata, source: reference.key, tags: tags, in: purges) {
        case .valid where !isTooOld(cached, reference.storage): return cached
        case .valid, .soft:
            cached.metadata = SourceMark.aged(cached.metadata)
            return cached
        case .hard: return nil
        }
    }

    /// Whether a source has been stored for longer than its rule allows.
    private func isTooOld(_ cached: EncodedResource, _ storage: StorageRules.Storage) -> Bool {
        guard let seconds = storage.seconds,
            let stored = cached.metadata.flatMap(StoredResponse.init(serialized:))
        else { return false }
        return abs(clock.date - stored.responseTime) >= Double(seconds)
    }

    /// Returns the source from a tier, or fetches it; of all machines one fetches it.
    private func fetchedByOneMachine(
        _ url: URL, cacheKey: String, reference: SourcePolicy.Reference, maxBytes: Int, bounds: Lifetime.Bounds,
        demand: SourceRequestContext, fetch: () async throws(WebImageError) -> Source
    ) async throws(WebImageError) -> Source {
        guard reference.storage.places.contains(.tiers), let shared = tiers,
            let key = shared.key(ofSource: cacheKey, url)
        else { return try await fetch() }
        let found = try await shared.value(for: key, budget: demand.budget) { entry in
            shared.source(entry, maxBytes: maxBytes, bounds: bounds).flatMap { found in
                let verdict = purges.verdict(tags: demand.tags + found.tags, source: reference.key, seen: found.seen)
                return verdict == .valid ? found : nil
            }
        } entry: { source in
            shared.entry(of: source, reference.storage)
        } make: { () throws(WebImageError) in
            try await fetch()
        }
        if found.level != nil, reference.storage.places.contains(.disk) {
            cache?.storeImageData(found.value.data, metadata: found.value.sharedMetadata, forKey: cacheKey)
        }
        return found.value
    }

    /// Returns the source with the current version of its file. Other sources are returned unchanged.
    func current(_ reference: SourcePolicy.Reference) async -> SourcePolicy.Reference {
        guard case .local(let path) = reference.location, let folder else { return reference }
        var reference = reference
        reference.fileVersion = await folder.version(path)
        return reference
    }

    private func loader(of location: SourcePolicy.Location) -> (any ImageDataLoader)? {
        if case .object = location { objects } else { loader }
    }

    private func fetch(
        _ url: URL, by loader: any ImageDataLoader, cacheKey: String?, cached: EncodedResource?, maxBytes: Int,
        bounds: Lifetime.Bounds, demand: SourceRequestContext, seen: Int
    ) async throws(WebImageError) -> Source {
        var limits = DecodingLimits()
        limits.maxEncodedBytes = maxBytes
        var context: [WebImageContextOption: Any] = [.decodingLimits: limits]
        if let traceParent = demand.traceParent {
            context[.downloadRequestModifier] = WebImageDownloaderRequestModifier(
                method: nil, headers: ["traceparent": traceParent], body: nil, cacheScope: .shared)
        }
        var load = ImageDataLoad(url: url, options: [.refreshCached], context: context)
        load.cached = cached
        load.epoch = demand.generation
        let result = try await loader.loadData(for: load, progress: nil)
        // A target must not name a user, and a redirect must not do so instead.
        guard result.response.url?.user() == nil, result.response.url?.password() == nil else {
            throw WebImageError(
                .invalidDownloadOperation, stage: .download, url: url,
                underlying: .message("the redirect leads to a URL with a user name"))
        }
        try limits.checkEncodedBytes(result.data.count)
        let stored = result.metadata.flatMap(StoredResponse.init(serialized:))
        let fields = stored?.fields ?? Self.fields(of: result.response)
        let age = stored.flatMap { HTTPCachePolicy().age($0, now: clock.date) } ?? 0
        // A server may send any number as `Age`.
        var lifetime = Lifetime(fields: fields, age: Int(min(age, 1e9)), bounds: bounds)
        let setsCookie = result.response.value(forHTTPHeaderField: "set-cookie") != nil
        if tiers != nil, !Self.mayShare(result.response, after: stored, to: url) { lifetime.staysHere = true }
        let redirect = Self.redirect(from: url, to: result.response.url)
        let metadata = SourceMark.marked(result.metadata, seen: seen)
        // The metadata in the cache does not contain the redirect. Without it, the bytes would still be used after the
        // configuration has forbidden the other host.
        // Neither does it contain `Set-Cookie`. Without it, results that are made from the stored bytes would be shared.
        if let cacheKey, result.mayBeStored, lifetime.mayBeStored, redirect == nil, tiers == nil || !setsCookie {
            if !result.isNotModified {
                cache?.storeImageData(result.data, metadata: metadata, forKey: cacheKey)
            } else {
                cache?.storeMetadata(metadata, forKey: cacheKey, version: load.cached?.record?.version)
            }
        }
        var source = Source(data: result.data, lifetime: lifetime, redirect: redirect)
        if tiers != nil, result.mayBeStored, lifetime.isShared, lifetime.staysHere != true, redirect == nil {
            source.sharedMetadata = metadata
        }
        source.tags = CacheTags.tags(fields)
        source.seen = SourceMark.seen(metadata) ?? seen
        return source
    }

    /// Whether other machines may receive a response. An answer of 304 may leave out fields that the stored response has.
    private static func mayShare(_ response: WebImageResponse, after stored: StoredResponse?, to url: URL) -> Bool {
        let responses = [response.allHeaderFields] + (stored.map { [$0.fields] } ?? [])
        return responses.allSatisfy {
            HTTPCachePolicy.mayShare(
                WebImageResponse(url: url, statusCode: 200, allHeaderFields: $0), to: WebImageRequest(url: url))
        }
    }

    private static func redirect(from source: URL, to target: URL?) -> String? {
        guard let target, let scheme = target.scheme,
            let host = URLComponents(url: target, resolvingAgainstBaseURL: false)?
                .percentEncodedHost, target.host() != source.host()
        else { return nil }
        return "\(scheme)://\(host)"
    }

    private static func fields(of response: WebImageResponse) -> [String: String] {
        var fields: [String: String] = [:]
        for name in ["cache-control", "expires", "date", "cache-tag", "surrogate-key"] {
            fields[name] = response.value(forHTTPHeaderField: name)
        }
        return fields
    }

    /// Removes the stored data of a source for the two generations before `generation`.
    ///
    /// A fetch that runs during a purge stores its bytes under the generation in which it began. Later requests do not
    /// read these bytes. The next purge removes them, because each purge covers two generations.
    func purge(_ reference: SourcePolicy.Reference, before generation: Int) {
        for old in max(generation - 2, 0)..<max(generation, 0) {
            cache?.removeImage(forKey: Self.cacheKey(reference.cacheName, old), withCompletion: nil)
        }
    }

    /// The total size in bytes of the sources on disk; nil without a disk cache.
    func diskByteCount() async -> Int? { await cache?.byteCount() }

    private static func cacheKey(_ key: String, _ generation: Int) -> String {
        generation == 0 ? "source:" + key : "source:\(generation):" + key
    }
}
