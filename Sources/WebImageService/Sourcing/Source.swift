import Foundation
import WebImageCore
import WebImageHTTP

/// The bytes of a source with what is known of them.
struct Source: Sendable {
    let data: Data
    let lifetime: Lifetime
    /// Tells this version of the source from others.
    let version: String

    init(data: Data, lifetime: Lifetime) {
        self.data = data
        self.lifetime = lifetime
        version = ResultEntry.etag(of: data)
    }

    /// The media type of the bytes, for a source that is handed on as it is.
    var mediaType: String {
        OutputFormat(ImageFormat(sniffing: data))?.mediaType ?? "application/octet-stream"
    }
}

/// Fetches sources: one fetch for however many ask, with a disk cache of its own.
///
/// The only place that knows how bytes come here: a loader of bytes and an ``ImageCache``.
final class SourceFetcher: Sendable {
    private let loader: any ImageDataLoader
    private let cache: ImageCache?
    private let folder: LocalFolder?
    private let clock: any DelayClock
    private let fetches = SharedTasks<Key, Source>()

    private struct Key: Hashable, Sendable {
        let source: String
        let maxBytes: Int
    }

    init(loader: any ImageDataLoader, cache: ImageCache?, folder: LocalFolder?, clock: any DelayClock) {
        self.loader = loader
        self.cache = cache
        self.folder = folder
        self.clock = clock
    }

    /// The source as it is now: from the cache while its server says it is fresh, else confirmed or fetched.
    ///
    /// - Throws: `.cancelled` after a cancel; the fetch ends when no caller is left.
    func source(
        _ reference: SourcePolicy.Reference, maxBytes: Int, bounds: Lifetime.Bounds
    ) async throws(WebImageError) -> Source {
        let key = Key(source: reference.key, maxBytes: maxBytes)
        return try await fetches.withValue(for: key, priority: LoadPriorityHandle()) { _ throws(WebImageError) in
            switch reference.location {
            case .local(let path):
                guard let folder = self.folder else { throw .posix(ENOENT, stage: .download) }
                return try await folder.source(path, maxBytes: maxBytes, bounds: bounds)
            case .web(let url):
                return try await self.fetch(url, key: reference.key, maxBytes: maxBytes, bounds: bounds)
            }
        } body: { source throws(WebImageError) in
            source
        }
    }

    /// A local file by its descriptor, to be sent as it is.
    func file(_ path: String) async -> ServiceFile? { try? folder?.open(path) }

    private func fetch(
        _ url: URL, key: String, maxBytes: Int, bounds: Lifetime.Bounds
    ) async throws(WebImageError) -> Source {
        let cacheKey = "source:" + key
        var limits = DecodingLimits()
        limits.maxEncodedBytes = maxBytes
        var load = ImageDataLoad(
            url: url, options: [.refreshCached], context: [.decodingLimits: limits, .cacheScope: CacheScope.shared])
        load.cached = await cache?.diskResource(forKey: cacheKey)
        let result = try await loader.loadData(for: load, progress: nil)
        try limits.checkEncodedBytes(result.data.count)
        let stored = result.metadata.flatMap(StoredResponse.init(serialized:))
        let fields = stored?.fields ?? Self.fields(of: result.response)
        let age = stored.flatMap { HTTPCachePolicy().age($0, now: clock.date) } ?? 0
        let lifetime = Lifetime(fields: fields, age: Int(age), bounds: bounds)
        if result.mayBeStored, lifetime.mayBeStored {
            if !result.isNotModified { cache?.storeImageData(result.data, forKey: cacheKey) }
            cache?.storeMetadata(result.metadata, forKey: cacheKey)
        }
        return Source(data: result.data, lifetime: lifetime)
    }

    private static func fields(of response: WebImageResponse) -> [String: String] {
        var fields: [String: String] = [:]
        for name in ["cache-control", "expires", "date"] {
            fields[name] = response.value(forHTTPHeaderField: name)
        }
        return fields
    }

    /// Removes what is kept of a source.
    func purge(_ key: String) { cache?.removeImage(forKey: "source:" + key, withCompletion: nil) }
}
