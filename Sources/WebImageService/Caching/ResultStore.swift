import Dispatch
import Foundation
import WebImageCore
import WebImageLoading

/// Stores results in memory and on disk, and remembers failures and purges.
final class ResultStore: Sendable {
    private let memory: RecentValues<String, ResultEntry>
    private let failures = RecentValues<String, RememberedFailure>(budget: 10_000)
    private let generations = RecentValues<String, Generation>(budget: 100_000)
    private let clock: any DelayClock
    private let memoryBytes: Int
    private let disk: ImageCache?
    let tiers: SharedTiers?
    let purges: PurgeJournal

    private struct Generation {
        var number: Int
        var readAt: Duration
        /// The time at which the nearest tier was asked.
        var askedAt: Duration
        /// The time at which all tiers were asked.
        var allAskedAt: Duration
    }

    /// The time after which a generation is read from disk and from the nearest tier again. Another process may have
    /// purged the source since the last read.
    private var generationLife: Duration { min(tiers?.nearInterval ?? .seconds(5), .seconds(5)) }

    struct RememberedFailure: Sendable {
        var refusal: ServiceRefusal
        /// The time until which the failure is remembered, in seconds since 1970.
        var until: TimeInterval
        /// The time of the failure, in seconds since 1970.
        var since: TimeInterval
        /// The tags of the target, and of the result that it had before.
        var tags: [String]
        /// The newest purge that was known when the work began that failed.
        var seen: Int
    }

    /// - Parameter disk: The disk cache; nil stores results only in memory.
    init(
        memoryBytes: Int, disk: ImageCache?, clock: any DelayClock, purges: PurgeJournal, tiers: SharedTiers? = nil
    ) {
        self.tiers = tiers
        self.purges = purges
        self.clock = clock
        self.memoryBytes = memoryBytes
        memory = RecentValues(budget: memoryBytes)
        self.disk = disk
    }

    /// Returns a stored result and the cache that contains the result: `memory` or `disk`. A purged result is removed.
    ///
    /// - Parameters:
    ///   - places: A result on disk is also stored in memory if this contains `memory`.
    ///   - judge: Returns the entry with the lifetime that the settings allow; nil if they forbid the entry.
    func entry(
        for key: ResultKey, in places: StorageRules.Places, judge: (ResultEntry) -> ResultEntry?
    ) async -> (entry: ResultEntry, level: ServiceLogEntry.Outcome)? {
        await purges.load()
        if let known = entryInMemory(for: key, judge: judge) { return (known, .memory) }
        guard let data = await disk?.diskImageData(forKey: Self.diskKey(key)),
            let stored = ResultEntry(envelope: data, source: key.source), let entry = judge(stored)
        else { return nil }
        guard let usable = unpurged(entry) else {
            remove(key)
            return nil
        }
        remember(entry, for: key, in: places)
        return (usable, .disk)
    }

    func entryInMemory(for key: ResultKey, judge: (ResultEntry) -> ResultEntry?) -> ResultEntry? {
        memory.value(for: key.digest).flatMap(judge).flatMap(unpurged)
    }

    /// Returns the entry as it may be used after purges by tag or prefix; nil if it may not be used.
    private func unpurged(_ entry: ResultEntry) -> ResultEntry? {
        switch purges.verdict(of: entry) {
        case .valid: entry
        case .soft: entry.softlyPurged(now: clock.date)
        case .hard: nil
        }
    }

    /// Stores a result in memory immediately and on disk soon after, if the places contain them.
    func store(_ entry: ResultEntry, for key: ResultKey, in places: StorageRules.Places) {
        remember(entry, for: key, in: places)
        if places.contains(.disk) { disk?.storeImageData(entry.envelope, forKey: Self.diskKey(key)) }
    }

    /// Whether a later request can find a result in one of the places.
    func canHold(_ entry: ResultEntry, of job: PictureJob) -> Bool {
        let (reference, places) = (job.reference, job.storage.places)
        guard entry.head.lifetime.isStorable else { return false }
        // The memory holds no entry that is larger than a quarter of it.
        return (places.contains(.memory) && Self.memoryCost(entry) <= memoryBytes / 4)
            || (places.contains(.disk) && disk != nil)
            || (places.contains(.tiers) && tiers?.holds(reference) == true
                && tiers?.entry(of: entry, job, seen: nil) != nil)
    }

    private static func memoryCost(_ entry: ResultEntry) -> Int { entry.body.count + 1024 }

    private func remember(_ entry: ResultEntry, for key: ResultKey, in places: StorageRules.Places) {
        if places.contains(.memory) { memory.set(entry, for: key.digest, cost: Self.memoryCost(entry)) }
    }

    func remove(_ key: ResultKey) {
        memory.remove(key.digest)
        failures.remove(key.digest)
        disk?.removeImage(forKey: Self.diskKey(key), withCompletion: nil)
    }

    /// Whether a later process finds none of these removed results. False after ``flush()`` if the disk is full.
    func areRemovedFromDisk(_ keys: [ResultKey]) async -> Bool {
        for key in keys where await disk?.awaitsDiskRemoval(forKey: Self.diskKey(key)) == true { return false }
        return true
    }

    private static func diskKey(_ key: ResultKey) -> String { "result:" + key.digest }

    // MARK: Failures

    /// The remembered failure, with the time for which it is still remembered.
    func failure(for key: ResultKey, now: TimeInterval) -> RememberedFailure? {
        guard var failure = failures.value(for: key.digest), failure.until > now,
            purges.verdict(tags: failure.tags, source: key.source, seen: failure.seen) == .valid
        else { return nil }
        failure.refusal.lifetime = Int((failure.until - now).rounded(.up))
        let passed = Int(max(now - failure.since, 0))
        failure.refusal.retryAfter = failure.refusal.retryAfter.map { max($0 - passed, 1) }
        return failure
    }

    func remember(
        _ refusal: ServiceRefusal, for key: ResultKey, from since: TimeInterval, until: TimeInterval, tags: [String],
        seen: Int
    ) {
        var refusal = refusal
        refusal.isFromMemory = true
        failures.set(
            RememberedFailure(refusal: refusal, until: until, since: since, tags: tags, seen: seen), for: key.digest,
            cost: 1 + tags.count / 16)
    }

    // MARK: Generations: result keys contain the source's generation. A purge starts a new generation, so that all
    // earlier results of the source become unreachable.

    /// The generation of a source; nil if the disk must be read to determine the generation.
    func knownGeneration(of source: String) -> Int? { number(of: generations.value(for: Self.tableKey(source))) }

    private func number(of known: Generation?) -> Int? {
        guard let known, disk == nil && tiers == nil || clock.now - known.readAt < generationLife else { return nil }
        return known.number
    }

    func generation(of source: String) async -> Int {
        let known = generations.value(for: Self.tableKey(source))
        if let number = number(of: known) { return number }
        let now = clock.now
        // The number on disk may be lower than the known number, because a purge of this process may not be written yet
        // or the disk entry may have been evicted. Use the larger number, because a generation never decreases.
        var found = max(known?.number ?? 0, await numberOnDisk(of: source))
        var (askedAt, allAskedAt) = (known?.askedAt ?? now, known?.allAskedAt ?? now)
        if let tiers, known == nil || now - askedAt >= tiers.nearInterval {
            let asksAll = known == nil || now - allAskedAt >= SharedTiers.farInterval
            found = await tiers.generation(of: source, known: found, asksAll: asksAll)
            askedAt = now
            if asksAll { allAskedAt = now }
        }
        // A purge may have raised the number meanwhile.
        found = max(found, generations.value(for: Self.tableKey(source))?.number ?? 0)
        let read = Generation(number: found, readAt: clock.now, askedAt: askedAt, allAskedAt: allAskedAt)
        generations.set(read, for: Self.tableKey(source), cost: 1)
        return found
    }

    private func numberOnDisk(of source: String) async -> Int {
        guard let data = await disk?.diskImageData(forKey: Self.generationKey(source)) else { return 0 }
        return StoredNumber.read(data) ?? 0
    }

    /// Makes all results of a source unreachable and returns the new generation. Other processes with the same cache
    /// folder detect the purge within five seconds. Other machines detect it if their tiers have the new number; see
    /// ``SharedTiers/announce(_:of:)``.
    @discardableResult
    func purge(_ source: String) async -> Int {
        var next = await generation(of: source) + 1
        // Another machine may have purged the source since the last read. With its number, this purge would have no
        // effect on what was made since then.
        if let tiers {
            next = await tiers.generation(of: source, known: next - 1, asksAll: true, within: .seconds(1)) + 1
        }
        let now = clock.now
        generations.set(
            Generation(number: next, readAt: now, askedAt: now, allAskedAt: now), for: Self.tableKey(source), cost: 1)
        disk?.storeImageData(Data(String(next).utf8), forKey: Self.generationKey(source))
        return next
    }

    /// The key of a source in the table of generations. Long URLs are replaced by their digest: clients choose them, and
    /// 100,000 URLs of 8 KB would need 800 MB.
    static func tableKey(_ source: String) -> String {
        source.utf8.count <= 200 ? source : ResultKey.digest(source)
    }

    private static func generationKey(_ source: String) -> String { "generation:" + ResultKey.digest(source) }

    func flush() async { await disk?.flush() }

    // MARK: Sizes

    /// The total size in bytes of the results in memory.
    var memoryByteCount: Int { memory.totalCost }

    /// The total size in bytes of the entries on disk; nil without a disk cache.
    func diskByteCount() async -> Int? { await disk?.byteCount() }
}

extension ImageCache {
    // A serial queue has its own thread. `calculateSize` would deliver on the main queue, which a service need not run.
    private static let sizes = DispatchQueue(label: "webimage.service.sizes")

    /// The total size in bytes of the entries on disk. Does not block the caller's thread.
    func byteCount() async -> Int {
        await withValueContinuation { continuation in
            Self.sizes.async { continuation.resume(returning: self.totalDiskSize()) }
        }
    }
}
