import Foundation
import WebImageCore
public import WebImageLoading

/// Checks that a cache tier keeps the promises of ``CacheTier``. Any test framework can use it: it returns the broken
/// promises instead of reporting them.
///
/// ```swift
/// let faults = await CacheTierConformance(MyTier()).faults()
/// #expect(faults.isEmpty)
/// ```
public struct CacheTierConformance: Sendable {
    /// The budget of each call. A tier that cannot answer within it fails.
    public var budget: Duration = .seconds(5)
    /// The largest value that the tier is tested with, in bytes.
    public var mostValueBytes = 200_000
    /// The number of concurrent callers.
    public var callers = 64
    /// How long an entry may be read after its lifetime, in seconds.
    package var patience = 10.0

    private let tier: any CacheTier
    /// Keys of two runs differ, so that a store may keep its entries between them.
    private let run = String(UInt64.random(in: .min ... .max), radix: 36)

    /// - Parameter tier: The tier. The run stores some hundred entries with random names in it.
    public init(_ tier: any CacheTier) { self.tier = tier }

    /// Runs all checks. Takes about a second and the time of some hundred calls.
    ///
    /// - Returns: The broken promises, each a sentence; empty if the tier keeps all.
    public func faults() async -> [String] {
        var faults: [String] = []
        faults += await roundTrips()
        faults += await replacingAndRemoving()
        faults += await lifetimes()
        faults += await concurrentCalls()
        faults += await budgets()
        return faults
    }

    private func key(_ name: String, namespace: String = "conformance") -> CacheTierKey {
        CacheTierKey(namespace: namespace, cacheKey: "\(run) \(name)")
    }

    private func entry(_ bytes: Int, seed: UInt8 = 0, lifetime: Duration = .seconds(600)) -> CacheTierEntry {
        // 251 is a prime, so that shifted blocks of common sizes differ.
        let block = Data((0..<251).map { UInt8($0) &+ seed })
        var data = Data(capacity: bytes + block.count)
        while data.count < bytes { data.append(block) }
        data.removeLast(data.count - bytes)
        return CacheTierEntry(
            .value(data: data, metadata: nil, extended: nil), stored: Date().timeIntervalSince1970, lifetime: lifetime)
    }

    private func roundTrips() async -> [String] {
        var faults: [String] = []
        if await tier.entry(for: key("nothing"), within: budget) != nil {
            faults.append("A key under which nothing was stored has an entry.")
        }
        var entries: [(String, CacheTierEntry)] = []
        for size in [0, 1, 1000, 65_536, mostValueBytes] where size <= mostValueBytes {
            entries.append(("\(size) bytes", entry(size)))
        }
        for (name, metadata, extended) in [
            ("metadata", Data("m".utf8), nil), ("extended data", nil, Data([0, 255])),
            ("empty metadata", Data(), Data(count: 1000)),
        ] as [(String, Data?, Data?)] {
            var entry = entry(100)
            entry.content = .value(data: Data("v".utf8), metadata: metadata, extended: extended)
            entry.pixelSize = PixelSize(width: 40, height: 30)
            entries.append((name, entry))
        }
        var absent = entry(0)
        absent.content = .absent
        entries.append(("the absence of a picture", absent))
        for (name, stored) in entries {
            guard await tier.put(stored, for: key(name), within: budget) else {
                faults.append("An entry with \(name) is not stored.")
                continue
            }
            let read = await tier.entry(for: key(name), within: budget)
            if read?.content != stored.content || read?.pixelSize != stored.pixelSize {
                faults.append("An entry with \(name) is not read as it was stored.")
            } else if let read, abs(read.stored - stored.stored) > 0.01 || read.lifetime > stored.lifetime {
                faults.append("The time or the lifetime of an entry with \(name) changes.")
            }
        }
        return faults
    }

    private func replacingAndRemoving() async -> [String] {
        var faults: [String] = []
        let (first, second, other) = (key("first"), key("second"), key("first", namespace: "other"))
        _ = await tier.put(entry(10, seed: 1), for: first, within: budget)
        _ = await tier.put(entry(10, seed: 3), for: second, within: budget)
        if await tier.entry(for: other, within: budget) != nil {
            faults.append("An entry is read in another namespace.")
        }
        _ = await tier.put(entry(20, seed: 2), for: first, within: budget)
        if await tier.entry(for: first, within: budget)?.content != entry(20, seed: 2).content {
            faults.append("A second entry does not replace the first.")
        }
        if !(await tier.remove([first, key("nothing")], within: budget)) {
            faults.append("Removing an entry and a key without one is not confirmed.")
        }
        if await tier.entry(for: first, within: budget) != nil { faults.append("A removed entry is still read.") }
        if await tier.entry(for: second, within: budget)?.content != entry(10, seed: 3).content {
            faults.append("Removing an entry changes another one.")
        }
        if !(await tier.remove([], within: budget)) { faults.append("Removing nothing is not confirmed.") }
        return faults
    }

    private func lifetimes() async -> [String] {
        var faults: [String] = []
        var old = entry(10)
        old.stored -= 700
        _ = await tier.put(old, for: key("old"), within: budget)
        if await tier.entry(for: key("old"), within: budget) != nil {
            faults.append("An entry whose lifetime was over when it was stored is read.")
        }
        _ = await tier.put(entry(10, lifetime: .milliseconds(300)), for: key("short"), within: budget)
        let hasEnded = await waitUntil(within: patience) { await tier.entry(for: key("short"), within: budget) == nil }
        if !hasEnded { faults.append("An entry is read after its lifetime.") }
        return faults
    }

    private func concurrentCalls() async -> [String] {
        let wrong = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<callers {
                group.addTask {
                    let own = entry(number * 97 % (mostValueBytes + 1), seed: UInt8(truncatingIfNeeded: number))
                    guard await tier.put(own, for: key("caller \(number)"), within: budget) else { return true }
                    return await tier.entry(for: key("caller \(number)"), within: budget)?.content != own.content
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        return wrong == 0 ? [] : ["\(wrong) of \(callers) concurrent callers do not read their own entry."]
    }

    private func budgets() async -> [String] {
        var faults: [String] = []
        let start = ContinuousClock.now
        _ = await tier.entry(for: key("first"), within: .zero)
        _ = await tier.put(entry(mostValueBytes), for: key("late"), within: .zero)
        _ = await tier.remove([key("late")], within: .zero)
        if ContinuousClock.now - start > Sanitizer.time(.seconds(2)) {
            faults.append("Calls without a budget take more than two seconds.")
        }
        let cancelled = Task {
            // The checks below run in a task that is cancelled before its call.
            while !Task.isCancelled { await Task.yield() }
            _ = await tier.entry(for: key("first"), within: .seconds(60))
        }
        cancelled.cancel()
        let begin = ContinuousClock.now
        await cancelled.value
        if ContinuousClock.now - begin > Sanitizer.time(.seconds(5)) {
            faults.append("A cancelled call goes on for more than five seconds.")
        }
        // The tier still works.
        _ = await tier.put(entry(10), for: key("after"), within: budget)
        if await tier.entry(for: key("after"), within: budget) == nil {
            faults.append("After late and cancelled calls the tier does not work.")
        }
        return faults
    }

    private func waitUntil(within seconds: Double, _ condition: () async -> Bool) async -> Bool {
        let polling = Polling(seconds: seconds)
        while !(await condition()) {
            guard !polling.isOver else { return false }
            await polling.suspend()
        }
        return true
    }
}
