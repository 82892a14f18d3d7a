/// Compares two or more implementations of one job. One process runs them in turn.
///
/// The competitors alternate, so that other load on the machine affects all competitors equally. The first turns
/// warm up caches and are not counted. No competitor sleeps. A competitor copies its result only if its API does
/// so.
public struct Contest {
    /// The name of the job.
    public let name: String
    /// The largest allowed ratio of our median time to that of the first peer, or nil if there is no target.
    public let target: Double?
    /// Whether the target refers to the fastest peer. Otherwise it refers to the first peer.
    public let judgesFastest: Bool
    /// The unit in which times are printed.
    public let unit: TimeUnit
    /// The number of operations per run. Reports contain the time per operation.
    public let operations: Int
    /// The number of frames that one run shows, or nil if a run shows no frames.
    public let frames: Int?
    /// Whether a run changes the state for the next run. For example, a put changes a disk cache. If this is true,
    /// the measured memory is the growth during the first warm-up turn, because ``alone(_:runs:)`` would start from
    /// a different state.
    public let changesState: Bool
    /// Whether the contest skips a peer if its `prepare` or its first run throws. Otherwise the error ends the contest.
    public let skipsUnsupportedPeers: Bool
    /// Our competitor first, then the peers.
    public let competitors: [Competitor]
    /// Throws if the competitors do not produce the same result. The contest calls this closure before it measures
    /// times, so that it does not compare competitors that do different work.
    private let agree: () throws -> Void

    /// Creates a contest.
    public init(
        _ name: String, target: Double? = nil, judgesFastest: Bool = false, unit: TimeUnit = .milliseconds,
        operations: Int = 1, frames: Int? = nil, changesState: Bool = false,
        skipsUnsupportedPeers: Bool = false, _ competitors: [Competitor],
        agree: @escaping () throws -> Void = {}
    ) {
        self.name = name
        self.target = target
        self.judgesFastest = judgesFastest
        self.unit = unit
        self.operations = operations
        self.frames = frames
        self.changesState = changesState
        self.skipsUnsupportedPeers = skipsUnsupportedPeers
        self.competitors = competitors
        self.agree = agree
    }

    /// Runs every competitor `warmUps` times without counting, and then `rounds` times with counting.
    public func run(rounds: Int, warmUps: Int = 2) throws -> ContestResult {
        try agree()
        let competitors = skipsUnsupportedPeers ? ableCompetitors : competitors
        for competitor in competitors { try competitor.prepare() }
        let meters = competitors.map(\.meter)
        var times = competitors.map { _ in [Double]() }
        var cpu = times
        var costs = competitors.map { _ in Cost() }
        let clock = ContinuousClock()
        for round in 0..<(warmUps + rounds) {
            for offset in competitors.indices {
                // Each round starts with a different competitor. If the order were the same in every round, each
                // competitor would always profit from the processor caches that the same predecessor has filled.
                let index = (offset + round) % competitors.count
                let resident = changesState && round == 0 ? meters[index].resetPeak() : nil
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

    /// Runs one competitor `runs` times. The caller must use a process that does nothing else. Returns the maximum
    /// growth in bytes of the resident memory during the first run. This includes libraries that the run loads.
    /// Returns nil if the kernel does not allow the measurement.
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

    /// Our competitor and all peers that can do the job. A peer can do the job if its first run succeeds.
    var ableCompetitors: [Competitor] {
        competitors.enumerated().filter { index, competitor in
            guard index > 0 else { return true }
            return (try? competitor.prepare()) != nil && (try? competitor.run()) != nil
        }.map(\.element)
    }

    /// Returns a result of this contest with the given entries.
    public func result(_ entries: [ContestResult.Entry]) -> ContestResult {
        ContestResult(
            name: name, target: target, judgesFastest: judgesFastest, unit: unit, operations: operations,
            frames: frames, entries: entries)
    }

    /// The error if no competitor has the given name.
    public struct NoSuchCompetitor: Error { let name: String }
}

extension Duration {
    /// The duration in fractional milliseconds.
    public var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}

extension [Double] {
    /// The median of the values, or NaN if there are no values.
    public var median: Double {
        guard !isEmpty else { return .nan }
        let (sorted, middle) = (sorted(), count / 2)
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
