import Foundation
import WebImageCore

/// Results in memory and on disk, and remembered failures.
final class ResultStore: Sendable {
    private let memory: RecentValues<String, ResultEntry>
    private let failures = RecentValues<String, RememberedFailure>(budget: 10_000)
    private let generations = RecentValues<String, Int>(budget: 100_000)
    private let disk: ImageCache?

    struct RememberedFailure: Sendable {
        var refusal: ServiceRefusal
        /// Seconds since 1970.
        var until: TimeInterval
    }

    /// - Parameter disk: Nil keeps results in memory alone.
    init(memoryBytes: Int, disk: ImageCache?) {
        memory = RecentValues(budget: memoryBytes)
        self.disk = disk
    }

    /// A stored result and the level it came from.
    func entry(for key: ResultKey) async -> (entry: ResultEntry, level: ServiceRecord.Outcome)? {
        if let known = memory.value(for: key.digest) { return (known, .memory) }
        guard let data = await disk?.diskImageData(forKey: Self.diskKey(key)),
            let entry = ResultEntry(envelope: data, source: key.source)
        else { return nil }
        memory.set(entry, for: key.digest, cost: entry.body.count + 1024)
        return (entry, .disk)
    }

    /// Keeps a result in memory now and on disk soon.
    func store(_ entry: ResultEntry, for key: ResultKey) {
        memory.set(entry, for: key.digest, cost: entry.body.count + 1024)
        disk?.storeImageData(entry.envelope, forKey: Self.diskKey(key))
    }

    func remove(_ key: ResultKey) {
        memory.remove(key.digest)
        failures.remove(key.digest)
        disk?.removeImage(forKey: Self.diskKey(key), withCompletion: nil)
    }

    private static func diskKey(_ key: ResultKey) -> String { "result:" + key.digest }

    // MARK: Failures

    func failure(for key: ResultKey, now: TimeInterval) -> RememberedFailure? {
        guard let failure = failures.value(for: key.digest), failure.until > now else { return nil }
        return failure
    }

    func remember(_ refusal: ServiceRefusal, for key: ResultKey, until: TimeInterval) {
        failures.set(RememberedFailure(refusal: refusal, until: until), for: key.digest, cost: 1)
    }

    // MARK: Generations: a purge of a source begins a new one, so that all its results are out of reach at once.

    func generation(of source: String) async -> Int {
        if let known = generations.value(for: source) { return known }
        var found = 0
        if let data = await disk?.diskImageData(forKey: Self.generationKey(source)) {
            found = Int(String(decoding: data, as: UTF8.self)) ?? 0
        }
        generations.set(found, for: source, cost: 1)
        return found
    }

    /// Makes all results of a source unreachable, those of other processes with this folder when they next look.
    func purge(_ source: String) async {
        let next = await generation(of: source) + 1
        generations.set(next, for: source, cost: 1)
        disk?.storeImageData(Data(String(next).utf8), forKey: Self.generationKey(source))
    }

    private static func generationKey(_ source: String) -> String { "generation:" + ResultKey.digest(source) }

    func flush() async { await disk?.flush() }
}
