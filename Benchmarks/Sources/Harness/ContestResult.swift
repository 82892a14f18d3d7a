import Foundation

/// The measurements of a contest.
public struct ContestResult: Codable, Sendable {
    /// The figures of one competitor.
    public struct Entry: Codable, Sendable {
        /// The competitor's name.
        public let name: String
        /// The largest allowed ratio of our time to this competitor's time, or nil if only the contest's target
        /// applies.
        public var target: Double?
        /// The time of each counted run in milliseconds, ascending.
        public let milliseconds: [Double]
        /// The costs of one run besides its time.
        public var cost: Cost

        /// Creates the figures of one competitor.
        public init(name: String, target: Double? = nil, milliseconds: [Double], cost: Cost = Cost()) {
            self.name = name
            self.target = target
            self.milliseconds = milliseconds.sorted()
            self.cost = cost
        }

        /// The median time of a run.
        public var median: Double { milliseconds.median }

        /// The interquartile range of the times as a fraction of the median.
        public var spread: Double {
            guard !milliseconds.isEmpty else { return .nan }
            let last = milliseconds.count - 1
            return (milliseconds[last * 3 / 4] - milliseconds[last / 4]) / median
        }
    }

    /// The name of the contest.
    public let name: String
    /// The largest allowed ratio of our median time to that of the judged peer, or nil if there is no target.
    /// ``judgesFastest`` determines the judged peer.
    public let target: Double?
    /// The largest allowed ratio of our processor time to that of the judged peer, or nil if there is no such
    /// target.
    public var cpuTarget: Double?
    /// Whether the target refers to the fastest peer. Otherwise it refers to the first peer.
    public var judgesFastest = false
    /// The unit in which times are printed.
    public var unit = TimeUnit.milliseconds
    /// The number of operations per run. Reports contain the time per operation.
    public var operations = 1
    /// The number of frames that one run shows, or nil if a run shows no frames.
    public var frames: Int?
    /// The figures of all competitors. The first entry is our competitor.
    public var entries: [Entry]

    /// Creates a result. ``Contest/run(rounds:warmUps:)`` calls this initialiser. Scenarios that measure whole
    /// processes also call it.
    public init(
        name: String, target: Double? = nil, cpuTarget: Double? = nil, judgesFastest: Bool = false,
        unit: TimeUnit = .milliseconds, operations: Int = 1, frames: Int? = nil, entries: [Entry]
    ) {
        self.name = name
        self.target = target
        self.cpuTarget = cpuTarget
        self.judgesFastest = judgesFastest
        self.unit = unit
        self.operations = operations
        self.frames = frames
        self.entries = entries
    }

    /// Returns our median time divided by the median time of a peer.
    public func ratio(to peer: Entry) -> Double { entries[0].median / peer.median }

    /// Returns our processor time divided by that of a peer, or nil if one of the two times is unknown.
    public func cpuRatio(to peer: Entry) -> Double? {
        guard let own = entries[0].cost.cpu, let other = peer.cost.cpu else { return nil }
        return own / other
    }

    private var fastestPeer: Int? {
        entries.indices.dropFirst().min { entries[$0].median < entries[$1].median }
    }

    /// The report as lines of text: the name of the contest, then the median, the costs and the ratio of each
    /// competitor.
    public var lines: [String] {
        let width = entries.map(\.name.count).max() ?? 0
        return [name]
            + entries.indices.map { index in
                let entry = entries[index]
                var columns = [entry.name + String(repeating: " ", count: width - entry.name.count)]
                columns.append(
                    unit.text(entry.median, of: operations) + String(format: " (spread %2.0f %%)", entry.spread * 100))
                if let frames { columns.append(String(format: "%7.0f frames/s", Double(frames) / entry.median * 1000)) }
                columns.append(entry.cost.text(unit: unit, operations: operations))
                if index > 0 { columns.append(verdict(on: index)) }
                return "  " + columns.filter { !$0.isEmpty }.joined(separator: "  ")
            }
    }

    private func verdict(on index: Int) -> String {
        let peer = entries[index]
        let (ratio, cpu) = (ratio(to: peer), cpuRatio(to: peer))
        let isJudged = index == (judgesFastest ? fastestPeer : 1)
        let limit = peer.target ?? (isJudged ? target : nil)
        let cpuLimit = isJudged ? cpuTarget : nil
        var text = "ours is " + String(format: "%.2fx", ratio)
        if let cpu { text += String(format: ", CPU %.2fx", cpu) }
        guard let limit else { return text }
        let isMet = ratio <= limit && cpuLimit.map { (cpu ?? .infinity) <= $0 } ?? true
        text += String(format: isMet ? "  met (<= %.3g" : "  MISSED (<= %.3g", limit)
        return text + (cpuLimit.map { String(format: ", CPU <= %.3g)", $0) } ?? ")")
    }
}
