import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageVideoLoading

/// Provides sources from a folder, from a bucket, from a disk cache or from the network. Concurrent requests for a source
/// share one fetch.
///
/// Only this type uses the loader and the ``ImageCache`` of sources.
final class SourceFetcher: Sendable {
    private let loader: any ImageLoader
    /// Reads the parts of videos; nil if the program's own loader fetches sources.
    private let downloader: WebImageDownloader?
    private let cache: ImageCache?
    private let tiers: SharedTiers?
    private let purges: PurgeJournal
    private let folder: LocalFolder?
    /// Reads sources in buckets; nil if none is configured.
    private let objects: (any PartLoader)?
    private let clock: any DelayClock
    private let fetches: CoalescedWork<Key, Source>
    /// The sources whose bytes on the disk could not be decoded, with the time until which they are used, in seconds since
    /// 1970.
    private let undecodable = RecentValues<String, TimeInterval>(budget: 10_000)
    /// How often a source had more tags than are stored.
    private let unpurgeable = Locked(0)
    var unpurgeableCount: Int { unpurgeable.withLock { $0 } }
    /// The number of requests that wait for a fetch.
    var subscriberCount: Int { fetches.subscriberCount }
    /// The fetches that run.
    private let arriving = Locked([Key: ArrivingSource]())

    private struct Key: Hashable, Sendable {
        let source: String
        let maxBytes: Int
        let generation: Int
        let fileVersion: String?
        /// The longest time in seconds for which the result of the source may be fresh; nil for no limit.
        var seconds: Int?
        /// Not 0 for a fetch that must know this purge.
        var purge = 0
        /// The frame of which only the parts are fetched; nil for the whole source, and for one that is found to be a video only
        /// when it is fetched.
        var frame: String?

        /// Marks the fetch of every byte of a source that is known to be a video.
        static let wholeVideo = "whole"

        init(
            _ reference: SourcePolicy.Reference, maxBytes: Int, seconds: Int?, generation: Int, frame: String? = nil
        ) {
            source = reference.key
            self.frame = frame
            self.maxBytes = maxBytes
            self.seconds = seconds
            self.generation = generation
            fileVersion = reference.fileVersion
        }
    }

    /// The maximum total size in bytes of kept sources. A fetched source is kept in memory for requests that were
    /// accepted before the fetch ended.
    private static let keptBytes = 8 << 20

    init(
        loader: any ImageLoader, downloader: WebImageDownloader? = nil, cache: ImageCache?, folder: LocalFolder?,
        objects: (any PartLoader)? = nil, order: RequestOrder, clock: any DelayClock, purges: PurgeJournal,
        tiers: SharedTiers? = nil
    ) {
        self.objects = objects
        self.tiers = tiers
        self.purges = purges
        fetches = CoalescedWork(order: order, budget: Self.keptBytes) { $0.data.count + 1_024 }
        self.loader = loader
        self.downloader = downloader
        self.cache = cache
        self.folder = folder
        self.clock = clock
    }

    /// Returns the current version of a source. A fresh source comes from the cache; any other source is revalidated or
    /// fetched.
    ///
    /// - Parameters:
    ///   - rules: The settings by which a stored source is judged.
    ///   - storage: The rule for the result. A source that is older than it allows is revalidated.
    ///   - demand: The request that needs the source. The request uses the result of a fetch that ended after the request
    ///     was accepted, unless the source was purged in between.
    ///   - poster: What the result reads if the source is a video; nil for a request that needs every byte.
    ///   - reader: Given by a request that can read the source while it arrives.
    /// - Throws: `.cancelled` if the calling task is cancelled; the error of the loader or the file system if the
    ///   source cannot be read. A running fetch is cancelled when no request waits for the source any more.
    func source(
        _ reference: SourcePolicy.Reference, rules: StoredRules, storage: StorageRules.Storage = .init(),
        for demand: SourceRequestContext, poster: VideoPoster? = nil, reader: SourceReader? = nil
    ) async throws(WebImageError) -> Source {
        let poster = poster.flatMap { reads($0, of: reference) ? $0 : nil }
        let first = Key(
            reference, maxBytes: rules.output.decoding.maxEncodedBytes, seconds: storage.seconds,
            generation: demand.generation, frame: isNamedVideo(reference) ? poster?.mark : nil)
        var key = first
        let listener = reader.map { reader -> StageEventListener in
            { event in
                // The event arrives only while this request waits for the fetch.
                guard case .loaderStarted = event, let found = self.arriving.withLock({ $0[first] }) else { return }
                reader.begin(found)
            }
        }
        while true {
            let work = key
            let source = try await fetches.value(
                for: key, of: demand.request, listener: key == first ? listener : nil
            ) { handle throws(WebImageError) in
                try await self.fetched(work, for: handle) { arriving throws(WebImageError) in
                    reader?.passPermit(to: arriving)
                    return try await self.located(
                        reference, rules: rules, storage: storage, for: demand, poster: poster, arriving: arriving)
                }
            }
            // This request may have joined a fetch of another frame of a video.
            if let frame = source.frame, frame != poster?.mark {
                key.frame = poster?.mark ?? Key.wholeVideo
                continue
            }
            // This request may have joined a fetch that began before a purge.
            let verdict = purges.verdict(tags: demand.tags + source.tags, source: reference.key, seen: source.seen)
            guard verdict == .hard, source.seen < demand.seen, key.purge == 0 else { return source }
            key.purge = purges.stamp
        }
    }

    /// Whether a fetch runs that holds a permit, so that a request that joins it needs none.
    func hasPermit(_ reference: SourcePolicy.Reference, maxBytes: Int, generation: Int) -> Bool {
        let key = Key(reference, maxBytes: maxBytes, seconds: nil, generation: generation)
        return arriving.withLock { $0[key] }?.hasPermit ?? false
    }

    /// Runs a fetch whose source other requests can read while it arrives.
    private func fetched(
        _ key: Key, for handle: SharedTaskHandle, _ fetch: (ArrivingSource) async throws(WebImageError) -> Source
    ) async throws(WebImageError) -> Source {
        let source = ArrivingSource(seen: purges.stamp) { handle.send(.loaderStarted) }
        arriving.withLock { $0[key] = source }
        defer { arriving.withLock { if $0[key] === source { $0[key] = nil } } }
        do throws(WebImageError) {
            let whole = try await fetch(source)
            source.end(.success(whole))
            return whole
        } catch {
            source.end(.failure(error))
            throw error
        }
    }

    private func located(
        _ reference: SourcePolicy.Reference, rules: StoredRules, storage: StorageRules.Storage,
        for demand: SourceRequestContext, poster: VideoPoster?, arriving: ArrivingSource
    ) async throws(WebImageError) -> Source {
        let seen = arriving.seen
        switch reference.location {
        case .local(let path):
            guard let folder else { throw .posix(ENOENT, stage: .download) }
            var source = try await folder.source(
                path, version: reference.fileVersion, rules: rules, now: clock.date)
            source.seen = seen
            return source
        case .fallback(let data):
            let record = SourceRecord.local(data, maxAge: rules.bounds.most, now: clock.date)
            var source = Source(data: data, record: record, lifetime: rules.lifetime(record))
            source.seen = seen
            return source
        case .web(let url), .object(let url):
            guard let loader = loader(of: reference.location) else { throw WebImageError(.invalidURL, stage: .request) }
            let key = Self.cacheKey(reference.cacheName, demand.generation)
            // This machine revalidates a source that is on its disk.
            let cached = await cached(key, reference, rules: rules, tags: demand.tags)
            let storages = [reference.storage, storage]
            let isStored = reference.storage.places.contains(.disk)
            func fetch() async throws(WebImageError) -> Source {
                try await self.fetch(
                    url, by: loader, cacheKey: isStored ? key : nil, cached: cached, rules: rules, storages,
                    demand: demand, poster: poster, arriving: arriving)
            }
            // The tiers hold neither objects, because all machines can read the bucket, nor videos that are known by their names.
            guard cached == nil, poster == nil || !isNamedVideo(reference), case .web = reference.location else {
                return try await fetch()
            }
            return try await fetchedByOneMachine(
                url, cacheKey: key, reference: reference, rules: rules, storages, demand: demand, fetch: fetch)
        }
    }

    /// A source on the disk.
    private struct Cached {
        let resource: EncodedResource
        let record: SourceRecord
        /// Whether it was purged, but may be used while it is revalidated.
        let isSoftlyPurged: Bool
    }

    /// Returns the source on the disk if the rules allow it and no purge by tag or prefix excludes it.
    private func cached(
        _ key: String, _ reference: SourcePolicy.Reference, rules: StoredRules, tags: [String]
    ) async -> Cached? {
        await purges.load()
        guard reference.storage.places.contains(.disk), let cached = await cache?.diskResource(forKey: key) else {
            return nil
        }
        if let end = undecodable.value(for: key), end <= clock.date {
            // Not revalidated: the server would confirm the bytes.
            undecodable.remove(key)
            cache?.removeCorruptDiskEntry(forKey: key)
            return nil
        }
        guard let stored = cached.metadata.flatMap(StoredResponse.init(serialized:)) else { return nil }
        let record = SourceRecord(stored, of: cached.data)
        guard (try? rules.check(record, reference.location)) != nil else { return nil }
        let verdict = SourceMark.verdict(of: cached.metadata, source: reference.key, tags: tags, in: purges)
        return verdict == .hard
            ? nil : Cached(resource: cached, record: record, isSoftlyPurged: verdict == .soft)
    }

    /// Returns the source from a tier, or fetches it; of all machines one fetches it.
    private func fetchedByOneMachine(
        _ url: URL, cacheKey: String, reference: SourcePolicy.Reference, rules: StoredRules,
        _ storages: [StorageRules.Storage], demand: SourceRequestContext,
        fetch: () async throws(WebImageError) -> Source
    ) async throws(WebImageError) -> Source {
        guard reference.storage.places.contains(.tiers), let shared = tiers,
            let key = shared.key(ofSource: cacheKey, url)
        else { return try await fetch() }
        let found = try await shared.value(for: key, budget: demand.budget) { entry in
            shared.source(entry, from: url, rules: rules).flatMap { found in
                var found = found
                guard (try? rules.check(found.record, reference.location)) != nil,
                    rules.verdict(found.record, of: url, storages, now: clock.date) == .fresh
                else { return nil }
                let tags = demand.tags + found.tags
                guard let seen = purges.stamp(ofShared: tags, source: reference.key, seen: found.seen) else {
                    return nil
                }
                found.seen = seen
                found.sharedMetadata = SourceMark.marked(found.record.response.serialized, seen: seen)
                return found
            }
        } entry: { source in
            shared.entry(of: source, from: url, reference.storage, rules: rules, seen: purges.sharedStamp)
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

    private func loader(of location: SourcePolicy.Location) -> (any ImageLoader)? {
        if case .object = location { objects } else { loader }
    }

    private func fetch(
        _ url: URL, by loader: any ImageLoader, cacheKey: String?, cached: Cached?, rules: StoredRules,
        _ storages: [StorageRules.Storage], demand: SourceRequestContext, poster: VideoPoster?,
        arriving: ArrivingSource
    ) async throws(WebImageError) -> Source {
        var limits = DecodingLimits()
        limits.maxEncodedBytes = rules.output.decoding.maxEncodedBytes
        var request = ImageRequest(url: url, cachePolicy: .refresh)
        request.limits = limits
        if let traceParent = demand.traceParent {
            request.requestModifier = WebImageDownloaderRequestModifier(
                method: nil, headers: ["traceparent": traceParent], body: nil, cacheScope: .shared)
        }
        var load = ImageDataLoad(request)
        let (clock, isShared, sent, bounds) = (clock, tiers != nil, clock.date, rules.bounds)
        load.cached = cached?.resource
        load.epoch = demand.generation
        if let cached {
            load.verdict = { _ in
                let verdict = rules.verdict(cached.record, of: url, storages, now: clock.date)
                return cached.isSoftlyPurged && verdict == .fresh ? .usableAfterError : verdict
            }
        }
        load.receivedBody = { body, response in
            let stored = StoredResponse(
                response, to: WebImageRequest(url: url), requestTime: sent, responseTime: clock.date)
            // A response that is refused here is refused again when it is complete.
            guard
                let head = try? SourceHead(
                    response, stored, of: url, now: clock.date, bounds: bounds, isShared: isShared)
            else { return }
            let coding = response.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? "identity"
            let isPlain = coding == "identity" || coding.isEmpty
            let length = isPlain ? response.expectedContentLength.flatMap { $0 > 0 ? $0 : nil } : nil
            arriving.receive(
                body, head, byteCount: length, isStored: cacheKey != nil && self.mayStore(response, head))
        }
        let seen = arriving.seen
        let result =
            if let poster { try await parts(of: load, for: poster, by: loader) } else {
                try await loader.loadData(for: load, progress: nil)
            }
        let stored =
            result.metadata.flatMap(StoredResponse.init(serialized:))
            ?? StoredResponse(
                result.response, to: WebImageRequest(url: url), requestTime: sent, responseTime: clock.date)
        let head = try SourceHead(result.response, stored, of: url, now: clock.date, bounds: bounds, isShared: isShared)
        try limits.checkEncodedBytes(result.data.count)
        let (lifetime, redirect) = (head.lifetime, head.redirect)
        if lifetime.isPurgeable == false { unpurgeable.withLock { $0 += 1 } }
        let metadata = SourceMark.marked(result.metadata ?? stored.serialized, seen: seen)
        if let cacheKey, result.mayBeStored, mayStore(result.response, head) {
            if !result.isNotModified {
                cache?.storeImageData(result.data, metadata: metadata, forKey: cacheKey)
            } else {
                cache?.storeMetadata(metadata, forKey: cacheKey, version: load.cached?.record?.version)
            }
        }
        var source = Source(
            data: result.data, record: SourceRecord(stored, of: result.data), lifetime: lifetime, redirect: redirect)
        if isShared, result.metadata != nil, result.mayBeStored, lifetime.isStorable, lifetime.staysHere != true,
            redirect == nil
        {
            source.sharedMetadata = metadata
        }
        source.tags = head.tags
        source.entityTag = head.entityTag
        source.seen = SourceMark.seen(metadata) ?? seen
        if VideoParts.areParts(result.data) { source.frame = poster?.mark }
        return source
    }

    /// Whether only the parts of a source that a poster needs are fetched, if the source is a video. Its name decides first, and
    /// otherwise its first bytes, so that other sources cost no further request.
    private func reads(_ poster: VideoPoster, of reference: SourcePolicy.Reference) -> Bool {
        guard let name = videoName(reference), poster.isAccepted else { return false }
        if case .other = name { return false }
        return true
    }

    private func isNamedVideo(_ reference: SourcePolicy.Reference) -> Bool {
        if case .video = videoName(reference) { true } else { false }
    }

    /// What the name of a source says; nil for a source that is not read in parts.
    private func videoName(_ reference: SourcePolicy.Reference) -> VideoPosterLoader.Name? {
        switch reference.location {
        case .web(let url): downloader == nil ? nil : .init(fileExtension: url.pathExtension)
        case .object(let url): .init(fileExtension: url.pathExtension)
        case .local, .fallback: nil
        }
    }

    /// Fetches the parts of a video that a poster needs, under the policy and within the limits of the loader; the whole
    /// source if it is no video, or its server has no ranges.
    private func parts(
        of load: ImageDataLoad, for poster: VideoPoster, by loader: any ImageLoader
    ) async throws(WebImageError) -> ImageDataResult {
        let deadline = downloader?.config.downloadDeadline.map { Duration.seconds($0) } ?? .seconds(60)
        let videos: VideoPosterLoader
        if let objects, load.url.scheme?.lowercased() == "s3" {
            videos = VideoPosterLoader(parts: objects, schemes: ["s3"], maxDuration: deadline)
        } else if let downloader {
            videos = VideoPosterLoader(downloader, readsUnnamed: true, maxDuration: deadline)
        } else {
            return try await loader.loadData(for: load, progress: nil)
        }
        return try await videos.loadData(for: load, progress: nil) { data throws(WebImageError) in
            try await DecodePool.shared.run { () throws(WebImageError) in try poster.read(data) }
        }
    }

    /// Whether the disk may hold a source.
    private func mayStore(_ response: WebImageResponse, _ head: SourceHead) -> Bool {
        // The metadata in the cache does not contain the redirect. Without it, the bytes would still be used after the
        // configuration has forbidden the other host.
        guard cache != nil, head.lifetime.isStorable, head.redirect == nil else { return false }
        // Neither does it contain `Set-Cookie`. Without it, results that are made from the stored bytes would be shared.
        return tiers == nil || response.value(forHTTPHeaderField: "set-cookie") == nil
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

    /// Records that a source cannot be decoded, such as the beginning of a picture. Its bytes leave the tiers, if they are
    /// still there. On the disk they answer requests for other results of the source, so that these need no fetch each; after
    /// `seconds`, the source is fetched again.
    func noteUndecodable(_ source: Source, of reference: SourcePolicy.Reference, generation: Int, for seconds: Int) {
        let key = Self.cacheKey(reference.cacheName, generation)
        if undecodable.value(for: key) == nil { undecodable.set(clock.date + Double(seconds), for: key, cost: 1) }
        guard case .web(let url) = reference.location, let tiers, let shared = tiers.key(ofSource: key, url) else {
            return
        }
        tiers.tiers.discard(source.data, of: shared)
    }

    func flush() async { await cache?.flush() }

    /// The total size in bytes of the sources on disk; nil without a disk cache.
    func diskByteCount() async -> Int? { await cache?.byteCount() }

    private static func cacheKey(_ key: String, _ generation: Int) -> String {
        generation == 0 ? "source:" + key : "source:\(generation):" + key
    }
}
