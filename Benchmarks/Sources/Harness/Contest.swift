/// Two or more ways of doing one job, run in turn in one process.
///
/// Turns alternate, so that whatever else the machine does hits all alike; the first turns warm up and do not count.
/// Nobody sleeps and nobody's result is copied further than its own interface does.
public struct Contest {
    /// One way of doing the job.
    public struct Competitor {
        /// The name in reports.
        public let name: String
        /// Does the whole job once; throws when it was not done.
        public let run: () throws -> Void

        /// Names a way of doing the job.
        public init(_ name: String, run: @escaping () throws -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// What is measured.
    public let name: String
    /// The largest ratio to the first peer that counts as met; nil when none is set.
    public let target: Double?
    /// Whether the target is about the fastest peer instead.
    public let judgesFastest: Bool
    /// Ours first, then the peers.
    public let competitors: [Competitor]

    /// Describes a contest.
    public init(
        _ name: String, target: Double? = nil, judgesFastest: Bool = false, _ competitors: [Competitor]
    ) {
        self.name = name
        self.target = target
        self.judgesFastest = judgesFastest
        self.competitors = competitors
    }

    /// Runs every competitor `rounds` times after `warmUps` uncounted ones.
    public func run(rounds: Int, warmUps: Int = 2) throws -> ContestResult {
        var samples = competitors.map { _ in [Double]() }
        let clock = ContinuousClock()
        for round in 0..<(warmUps + rounds) {
            for offset in competitors.indices {
                // Who comes first changes every round, so that nobody always inherits the other's warm caches.
                let index = (offset + round) % competitors.count
                let time = try clock.measure { try competitors[index].run() }
                if round >= warmUps { samples[index].append(time.milliseconds) }
            }
        }
        return ContestResult(
            name: name, target: target, judgesFastest: judgesFastest,
            entries: zip(competitors, samples).map { ContestResult.Entry(name: $0.name, milliseconds: $1.sorted()) })
    }
}

extension Duration {
    /// Milliseconds with their fraction.
    public var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
