import Foundation
import Harness

/// Compares stores for values on disk: our disk cache, plain files, SQLite without a wrapper, and PyPI's `diskcache`.
/// Before the measurement, each store contains entries of 200 bytes.
///
/// The contest `open` opens the store a second time and reads one value. Plain files do not take part, because they do
/// not need to be opened. The contest `evict` removes the oldest sixteenth of the entries. A turn of `put` stores many
/// values and then commits or flushes once. The time per put therefore includes a share of the commit. The target
/// always refers to the fastest peer.
struct DiskScenario {
    private let entries: Int
    private let rounds: Int
    private let rivals: [any DiskCompetitor]

    static func run(_ options: Options, _ report: Report) throws {
        for entries in options.entries {
            let folder = NSTemporaryDirectory() + "webimage-disk-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var rivals: [any DiskCompetitor] = [
                try WebImageStoreCompetitor(folder + "/ours"), PlainFiles(folder + "/files"),
                try BareSQLite(folder + "/bare.sqlite"),
            ]
            let python = PythonDiskCache(folder + "/diskcache")
            do {
                try python.start()
                rivals.append(python)
            } catch { print("disk: without diskcache, \(error)") }
            let scenario = DiskScenario(entries: entries, rounds: options.rounds(5, quick: 3), rivals: rivals)
            try scenario.run(sizes: options.sizes, report)
        }
    }

    private func run(sizes: [Int], _ report: Report) throws {
        for rival in rivals { try rival.fill(from: 0, to: entries) }
        let openers = rivals.filter { !($0 is PlainFiles) }
        report.add(try contest("open", .milliseconds, among: openers) { try $0.open() }.run(rounds: rounds))
        report.add(try evicting())
        for (number, size) in sizes.enumerated() {
            // Store as many values per turn as fit into 8 MiB, but at least 20 and at most 200. Otherwise a turn
            // with large values would write gigabytes.
            let count = max(20, min(200, (8 << 20) / size))
            let value = Data((0..<size).map { _ in UInt8.random(in: .min ... .max) })
            let name = "\(size >> 10) KB"
            let base = number * 1000
            var turns = [Int](repeating: base, count: rivals.count)
            let put = contest("put \(name)", .microseconds, count) { rival in
                guard let index = rivals.firstIndex(where: { $0 === rival }) else { return }
                try rival.put(value, count: count, round: turns[index])
                turns[index] += 1
            }
            report.add(try put.run(rounds: rounds))
            let get = contest("get \(name)", .microseconds, count) { try $0.get(count: count, round: base) }
            report.add(try get.run(rounds: rounds))
        }
    }

    /// Measures evictions. Then stores as many new entries as were removed, so that the next contest starts with the
    /// same number of entries.
    private func evicting() throws -> ContestResult {
        let warmUps = 1
        var result = try contest("evict a sixteenth", .milliseconds) { try $0.evict() }
            .run(rounds: rounds, warmUps: warmUps)
        for (index, rival) in rivals.enumerated() {
            let gone = entries - (try rival.count())
            result.entries[index].cost.counts = ["evicted a turn": Double(gone / (rounds + warmUps))]
            try rival.fill(from: entries, to: entries + gone)
        }
        return result
    }

    private func contest(
        _ job: String, _ unit: TimeUnit, _ operations: Int = 1, among some: [any DiskCompetitor]? = nil,
        _ run: @escaping (any DiskCompetitor) throws -> Void
    ) -> Contest {
        Contest(
            "disk \(job), \(entries) entries", target: 1, judgesFastest: true, unit: unit, operations: operations,
            changesState: true,
            (some ?? rivals).map { rival in
                Contest.Competitor(rival.name, process: { rival.process }, run: { try run(rival) })
            })
    }
}
