import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageS3

/// The cache tiers of a service, and the form in which they hold results, sources and purges.
final class SharedTiers: Sendable {
    let tiers: CacheTiers
    let clock: any DelayClock
    /// The keys whose last value on this machine could not be shared, and the time until which they are remembered, in
    /// seconds since 1970.
    private let unshared = RecentValues<CacheTierKey, TimeInterval>(budget: 10_000)

    /// The longest wait for another machine that makes a result or fetches a source.
    private static let patience = Duration.seconds(5)
    /// The time for which a key is not asked for after its value could not be shared, in seconds.
    private static let unsharedTime: TimeInterval = 60
    /// The time after which a tier that is not the nearest is asked again for the number of purges.
    static let farInterval = Duration.seconds(60)
    /// The longest time of one write of a purge.
    private static let purgeBudget = Duration.seconds(5)
    /// The time for which a purge is remembered, at least as long as the lifetime of any entry.
    private static let purgeLife = Duration.seconds(31_536_000)
    /// The longest time for which a tier holds a result or a source.
    private static let longestLife: TimeInterval = 30 * 86_400

    init(tiers: CacheTiers, clock: any DelayClock) { (self.tiers, self.clock) = (tiers, clock) }

    /// Returns the value of a tier, or makes it; of all machines one makes it.
    ///
    /// A value that cannot be shared, because of its response or its size, is made by each machine without asking: else
    /// the machines would wait for each other at every request, and make it one after the other.
    ///
    /// - Parameters:
    ///   - budget: The time of the request. At most half of the rest is spent on waiting for another machine.
    ///   - isFailure: Whether a made value is a failure, after which the key is not remembered as unshared.
    func value<Value: Sendable>(
        for key: CacheTierKey, budget: WorkBudget, isFailure: (Value) -> Bool = { _ in false },
        read: (CacheTierEntry) -> Value?, entry: (Value) -> CacheTierEntry?,
        make: () async throws(WebImageError) -> Value
    ) async throws(WebImageError) -> (value: Value, level: Int?) {
        if let end = unshared.value(for: key), end > clock.date { return (try await make(), nil) }
        let patience = min(Self.patience, .seconds(max(min(budget.remainingSeconds, 1e6), 0) / 2))
        return try await tiers.value(for: key, patience: patience, read: read) { () throws(WebImageError) in
            let value = try await make()
            let entry = entry(value)
            let isShared = entry.map { self.tiers.holds($0.byteCount) } ?? false
            if !isShared, !isFailure(value) {
                self.unshared.set(self.clock.date + Self.unsharedTime, for: key, cost: 1)
            }
            return (value, entry)
        }
    }

    // MARK: Results

    /// Nil if the result may not leave the machine: its source is a local file, or its URL has a user.
    func key(of result: ResultKey, _ reference: SourcePolicy.Reference) -> CacheTierKey? {
        switch reference.location {
        case .web(let url): tiers.key("result:" + result.digest, url: url)
        // The operator lets every client use the objects of the bucket.
        case .object: CacheTierKey(namespace: tiers.namespace, cacheKey: "result:" + result.digest)
        case .fallback, .local: nil
        }
    }

    /// Whether results of a source may be in the tiers.
    func holds(_ reference: SourcePolicy.Reference) -> Bool {
        switch reference.location {
        case .web, .object: true
        case .fallback, .local: false
        }
    }

    /// - Parameter seen: The entry's stamp for other machines; see ``PurgeJournal/sharedStamp(_:)``.
    func entry(of result: ResultEntry, _ job: PictureJob, seen: Int?) -> CacheTierEntry? {
        guard let record = result.head.record, result.head.lifetime.isStorable, result.head.lifetime.staysHere != true
        else { return nil }
        let lifetime = job.rules.sharedLifetime(record, job.storage)
        let left = Double(lifetime.maxAge - result.age(now: clock.date))
        guard left > 0 else { return nil }
        var shared = result
        // Neither the names nor the values of a tier contain the URL of a source. It can have a token in its query.
        shared.head.source = Self.mark(result.head.source)
        shared.head.seen = seen
        if case .web(let url) = job.reference.location {
            shared.head.record?.response = record.response.reduced(for: url)
        }
        return CacheTierEntry(
            .value(data: shared.envelope, metadata: nil, extended: nil), stored: clock.date,
            lifetime: .seconds(min(left, Self.longestLife)))
    }

    /// The result of an entry if this machine may use it by its own settings.
    func result(_ entry: CacheTierEntry, _ job: PictureJob) -> ResultEntry? {
        guard case .value(let data, _, _) = entry.content,
            var found = ResultEntry(envelope: data, source: Self.mark(job.key.source))
        else { return nil }
        found.head.record = found.head.record?.corrected(by: entry.clockAhead)
        if case .web(let url) = job.reference.location, let record = found.head.record {
            found.head.record?.response = record.response.completed(for: url)
        }
        guard var result = try? job.judged(found, now: clock.date), result.isFresh(now: clock.date),
            result.head.lifetime.isStorable
        else { return nil }
        result.head.source = job.key.source
        return result
    }

    /// What stands for the URL of a source in a tier.
    private static func mark(_ source: String) -> String { "sha256:" + ResultKey.digest(source) }

    // MARK: Sources

    func key(ofSource cacheKey: String, _ url: URL) -> CacheTierKey? { tiers.key(cacheKey, url: url) }

    /// - Parameter seen: The entry's stamp for other machines, of the one in the metadata.
    func entry(
        of source: Source, from url: URL, _ storage: StorageRules.Storage, rules: StoredRules, seen: (Int) -> Int
    ) -> CacheTierEntry? {
        guard let metadata = source.sharedMetadata else { return nil }
        let lifetime = rules.sharedLifetime(source.record, storage)
        let age = lifetime.age(storedAt: source.record.response.responseTime, now: clock.date)
        let left = Double(lifetime.maxAge - age)
        guard left > 0 else { return nil }
        return CacheTierEntry(
            .value(
                data: source.data,
                metadata: SourceMark.marked(
                    source.record.response.reduced(for: url).serialized, seen: seen(SourceMark.seen(metadata) ?? 0)),
                extended: nil), stored: clock.date,
            lifetime: .seconds(min(left, Self.longestLife)))
    }

    /// The source of an entry. The caller judges it by its own settings.
    func source(_ entry: CacheTierEntry, from url: URL, rules: StoredRules) -> Source? {
        guard case .value(let data, let metadata, _) = entry.content, let metadata,
            data.count <= rules.output.decoding.maxEncodedBytes, let stored = StoredResponse(serialized: metadata)
        else { return nil }
        let record = SourceRecord(stored.completed(for: url), of: data).corrected(by: entry.clockAhead)
        let lifetime = rules.lifetime(record)
        guard record.isPlausible, lifetime.isStorable else { return nil }
        var source = Source(data: data, record: record, lifetime: lifetime)
        source.sharedMetadata = SourceMark.marked(
            record.response.serialized, seen: SourceMark.seen(metadata) ?? 0)
        source.tags = CacheTags.tags(stored.fields)
        source.entityTag = SourceHead.entityTag(stored.fields)
        source.seen = SourceMark.seen(metadata) ?? 0
        return source
    }

    // MARK: Purges

    /// The time after which the nearest tier is asked again for the number of purges.
    var nearInterval: Duration { tiers.levels.first?.rules.purgeInterval ?? .seconds(1) }

    /// The number of purges of a source on all machines; `known` if the tiers have none or a lower one.
    ///
    /// - Parameters:
    ///   - known: The number that this machine knows. If the nearest tier has lost it, it is stored there again.
    ///   - asksAll: Whether all tiers are asked, or only the nearest one.
    ///   - budget: The longest time of each tier; nil for the tier's own.
    func generation(of source: String, known: Int, asksAll: Bool, within budget: Duration? = nil) async -> Int {
        guard let key = generationKey(source) else { return known }
        var (number, nearest) = (known, 0)
        for (index, level) in tiers.levels.enumerated() where asksAll || index == 0 {
            guard let entry = await level.tier.entry(for: key, within: budget ?? level.rules.budget),
                case .value(let data, _, _) = entry.content, let found = StoredNumber.read(data), found > 0
            else { continue }
            if index == 0 { nearest = found }
            number = max(number, found)
        }
        if number > nearest { tiers.put(generationEntry(number), for: key, onlyNearest: true) }
        return number
    }

    /// Stores the number of purges in every tier. Other machines find it when they ask the next time.
    ///
    /// - Returns: The names of the tiers that have not confirmed it.
    func announce(_ generation: Int, of source: String) async -> [String] {
        guard let key = generationKey(source) else { return [] }
        var silent: [String] = []
        for level in tiers.levels where level.rules.isWritten {
            let budget = min(level.rules.writeBudget, Self.purgeBudget)
            let isStored = await level.tier.put(generationEntry(generation), for: key, within: budget)
            if !isStored { silent.append(level.name) }
        }
        return silent
    }

    private func generationEntry(_ generation: Int) -> CacheTierEntry {
        CacheTierEntry(
            .value(data: Data(String(generation).utf8), metadata: nil, extended: nil), stored: clock.date,
            lifetime: Self.purgeLife)
    }

    /// Nil for a source that leaves no trace in the tiers, such as a local file.
    private func generationKey(_ source: String) -> CacheTierKey? {
        if S3ObjectName(source) != nil {
            return CacheTierKey(namespace: tiers.namespace, cacheKey: "generation:" + source)
        }
        return URL(string: source).flatMap { tiers.key("generation:" + source, url: $0) }
    }

    // MARK: Reports

    /// The names of the tiers that are not used now, because calls of them failed.
    var failing: [String] { tiers.statistics.levels.filter(\.tier.isOpen).map(\.name) }

    /// The counters as Prometheus text.
    var metrics: String {
        let statistics = tiers.statistics
        var text = PrometheusText(prefix: "webimage")
        func add(
            _ name: String, type: String = "counter", help: String, value: (CacheTiers.Statistics.Level) -> Double
        ) {
            text.describe(name, type, help)
            for level in statistics.levels { text.add(name, ["tier": level.name], value(level)) }
        }
        add("tier_reads_total", help: "Entries that each tier was asked for.") { Double($0.reads) }
        add("tier_hits_total", help: "Entries that were found.") { Double($0.hits) }
        add("tier_read_seconds_total", help: "Seconds of all reads.") { $0.readTime }
        add("tier_stored_total", help: "Entries that were stored.") { Double($0.tier.stored) }
        add("tier_failures_total", help: "Calls without an answer.") { Double($0.tier.failures) }
        add("tier_rejected_total", help: "Values that were no valid entry.") { Double($0.tier.rejected) }
        add("tier_read_bytes_total", help: "Bytes that were read.") { Double($0.tier.readBytes) }
        add("tier_written_bytes_total", help: "Bytes that were stored.") { Double($0.tier.writtenBytes) }
        add("tier_open", type: "gauge", help: "1 if the tier is not used now, because calls of it failed.") {
            $0.tier.isOpen ? 1 : 0
        }
        text.describe("tier_dropped_writes_total", "counter", "Entries that found no place in the queue of writes.")
        text.add("tier_dropped_writes_total", [:], statistics.droppedWrites)
        text.describe("tier_queued_bytes", "gauge", "Bytes of queued writes.")
        text.add("tier_queued_bytes", [:], statistics.queuedBytes)
        return text.text
    }
}

extension ResultProvider {
    /// Returns the result of another machine, or makes it; of all machines one makes it.
    func madeByOneMachine(
        _ job: PictureJob, _ progress: WorkProgress,
        make: () async throws(WebImageError) -> Result<Provided, ServiceRefusal>
    ) async throws(WebImageError) -> Result<Provided, ServiceRefusal> {
        guard job.storage.places.contains(.tiers), let shared = store.tiers,
            let key = shared.key(of: job.key, job.reference)
        else {
            return try await make()
        }
        let now = shared.clock.date
        // Other work may have ended between the lookup in the store and this one. A remembered failure is not made again.
        if let (entry, level) = await usable(job), entry.isFresh(now: now) {
            return .success(Provided(entry: entry, outcome: level))
        }
        if store.failure(for: job.key, now: now) != nil { return try await make() }
        // The other machine fetches or waits for its fetch. If this takes all the time, the source is slow.
        progress.enter(.fetch)
        let found = try await shared.value(for: key, budget: progress.budget) { outcome in
            if case .failure = outcome { true } else { false }
        } read: { entry -> Result<Provided, ServiceRefusal>? in
            guard var result = shared.result(entry, job),
                let seen = store.purges.stamp(
                    ofShared: result.head.tags ?? [], source: result.head.source, seen: result.head.seen ?? 0)
            else {
                return nil
            }
            result.head.seen = seen
            return .success(Provided(entry: result, outcome: .tier))
        } entry: { outcome in
            (try? outcome.get()).flatMap {
                shared.entry(of: $0.entry, job, seen: $0.entry.head.seen.map(store.purges.sharedStamp))
            }
        } make: { () throws(WebImageError) in
            progress.enter(.queue)
            return try await make()
        }
        if found.level != nil, case .success(let provided) = found.value {
            store.store(provided.entry, for: job.key, in: job.storage.places)
        }
        return found.value
    }
}
