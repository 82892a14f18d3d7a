/// Two or more ways of doing one job, run in turn in one process.
///
/// Turns alternate, so that whatever else the machine does hits all alike; the first turns warm up and do not count.
/// Nobody sleeps and nobody's result is copied further than its own interface does.
public struct Contest {
    /// What is measured.
    public let name: String
    /// The largest ratio to the first peer that counts as met; nil when none is set.
    public let target: Double?
    /// Whether the target is about the fastest peer instead.
    public let judgesFastest: Bool
    /// What times are printed in.
    public let unit: TimeUnit
    /// How many operations one run does; times are printed of one.
    public let operations: Int
    /// How many frames one run shows; nil where it shows none.
    public let frames: Int?
    /// Whether a run changes what the next one finds, so that nobody can be run again alone: the memory is then how far it
    /// grew during the first, uncounted turn.
    public let isLasting: Bool
    /// Whether peers that cannot do the job stay away, instead of ending the contest.
    public let leavesOutUnable: Bool
    /// Ours first, then the peers.
    public let competitors: [Competitor]
    /// Throws when the competitors do not get the same result; asked before anybody is timed.
    private let agree: () throws -> Void

    /// Describes a contest.
    public init(
        _ name: String, target: Double? = nil, judgesFastest: Bool = false, unit: TimeUnit = .milliseconds,
        operations: Int = 1, frames: Int? = nil, isLasting: Bool = false,
        leavesOutUnable: Bool = false, _ competitors: [Competitor],
        agree: @escaping () throws -> Void = {}
    ) {
        self.name = name
        self.target = target
        self.judgesFastest = judgesFastest
        self.unit = unit
        self.operations = operations
        self.frames = frames
        self.isLasting = isLasting
        self.leavesOutUnable = leavesOutUnable
        self.competitors = competitors
        self.agree = agree
    }

    /// Runs every competitor `rounds` times after `warmUps` uncounted ones.
    public func run(rounds: Int, warmUps: Int = 2) throws -> ContestResult {
        try agree()
        let competitors = leavesOutUnable ? ableCompetitors : competitors
        for competitor in competitors { try competitor.prepare() }
        let meters = competitors.map(\.meter)
        var times = competitors.map { _ in [Double]() }
        var cpu = times
        var costs = competitors.map { _ in Cost() }
        let clock = ContinuousClock()
        for round in 0..<(warmUps + rounds) {
            for offset in competitors.indices {
                // Who comes first changes every round, so that nobody always inherits the other's warm caches.
                let index = (offset + round) % competitors.count
                let resident = isLasting && round == 0 ? meters[index].resetPeak() : nil
                let before = meters[index].cpu
                let time = try clock.measure { try competitors[index].run() }
                let spent = meters[index].cpu - before
                if let resident { costs[index].memory = meters[index].peak.map { max(0, $0 - resident) } }
                guard round >= warmUps else { continue }
                times[index].append(time.milliseconds)
                cpu[index].append(spent)
            }
        }
        for index in costs.indices { costs[index].cpu = cpu[index].median }
        return result(
            zip(competitors, zip(times, costs)).map { competitor, measured in
                ContestResult.Entry(
                    name: competitor.name, target: competitor.target, milliseconds: measured.0.sorted(),
                    cost: measured.1)
            })
    }

    /// Runs one competitor by itself, in a process that does nothing else; gives the bytes by which its resident memory
    /// grew at its most during the first run, what it loads of its libraries then included.
    public func alone(_ name: String, runs: Int = 1) throws -> Int? {
        guard let competitor = competitors.first(where: { $0.name == name }) else { throw NoSuchCompetitor(name: name) }
        try competitor.prepare()
        let meter = competitor.meter
        let before = meter.resetPeak()
        try competitor.run()
        let grown = before.flatMap { before in meter.peak.map { max(0, $0 - before) } }
        for _ in 1..<max(runs, 1) { try competitor.run() }
        return grown
    }

    /// Ours, and the peers whose first try succeeds.
    var ableCompetitors: [Competitor] {
        competitors.enumerated().filter { index, competitor in
            guard index > 0 else { return true }
            return (try? competitor.prepare()) != nil && (try? competitor.run()) != nil
        }.map(\.element)
    }

    /// What this contest measures, with these figures.
    public func result(_ entries: [ContestResult.Entry]) -> ContestResult {
        ContestResult(
            name: name, target: target, judgesFastest: judgesFastest, unit: unit, operations: operations,
            frames: frames, entries: entries)
    }

    /// A name that no competitor has.
    public struct NoSuchCompetitor: Error { let name: String }
}

extension Duration {
    /// Milliseconds with their fraction.
    public var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}

extension [Double] {
    /// What half of them stay under; not a number when there are none.
    public var median: Double {
        guard !isEmpty else { return .nan }
        let (sorted, middle) = (sorted(), count / 2)
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
