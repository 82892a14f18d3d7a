import Foundation

/// What a contest measured.
public struct ContestResult: Codable, Sendable {
    /// One competitor's times.
    public struct Entry: Codable, Sendable {
        /// The competitor.
        public let name: String
        /// Every counted time, ascending.
        public let milliseconds: [Double]

        /// The time half of the runs stayed under.
        public var median: Double {
            guard !milliseconds.isEmpty else { return .nan }
            let middle = milliseconds.count / 2
            return milliseconds.count % 2 == 1
                ? milliseconds[middle] : (milliseconds[middle - 1] + milliseconds[middle]) / 2
        }

        /// Between the first and the third quarter of the times, as a part of the median.
        public var spread: Double {
            guard !milliseconds.isEmpty else { return .nan }
            let last = milliseconds.count - 1
            return (milliseconds[last * 3 / 4] - milliseconds[last / 4]) / median
        }
    }

    /// What was measured.
    public let name: String
    /// The largest ratio that counts as met.
    public let target: Double?
    /// Whether the target is about the fastest peer, not the first one named.
    public var judgesFastest = false
    /// Ours first.
    public let entries: [Entry]

    /// Our median divided by a peer's.
    public func ratio(to peer: Entry) -> Double { entries[0].median / peer.median }

    private var fastestPeer: Int? {
        entries.indices.dropFirst().min { entries[$0].median < entries[$1].median }
    }

    /// Lines for a reader: medians, and ratios with their target.
    public var lines: [String] { lines() }

    /// The same where one run does `operations` of them, in nanoseconds of one; nil is milliseconds of a run.
    public func lines(operations: Int? = nil) -> [String] {
        let scale = operations.map { 1e6 / Double($0) } ?? 1
        let width = entries.map(\.name.count).max() ?? 0
        let judged = judgesFastest ? fastestPeer : 1
        return [name]
            + entries.enumerated().map { index, entry in
                let name = entry.name + String(repeating: " ", count: width - entry.name.count)
                let median =
                    String(format: operations == nil ? "%9.2f ms" : "%9.1f ns", entry.median * scale)
                    + String(format: " (spread %.0f %%)", entry.spread * 100)
                guard index > 0 else { return "  \(name) \(median)" }
                let ratio = ratio(to: entry)
                let verdict =
                    index == judged ? target.map { ratio <= $0 ? "  met (<= \($0))" : "  MISSED (<= \($0))" } : nil
                return "  \(name) \(median)   ours is \(String(format: "%.2f", ratio))x" + (verdict ?? "")
            }
    }
}
