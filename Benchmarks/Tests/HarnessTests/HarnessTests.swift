import Dispatch
import Testing

@testable import Harness

// The tests run one after another, because they measure the processor time of the whole process. If two tests ran at
// the same time, the figures of each test would include the time of the other test.
@Suite(.serialized)
struct HarnessTests {
    /// A job that takes a few milliseconds. The job prints a text if its result is 0, so that the optimiser cannot
    /// remove the loop.
    private static func work() {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<300_000 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        if state == 0 { print("never") }
    }

    @Test(.timeLimit(.minutes(1))) func thePeerIsTreatedAsOurselves() throws {
        let contest = Contest("self", [.init("ours", run: Self.work), .init("ours again", run: Self.work)])
        // Both competitors do the same work. If the ratio is not 1, the harness favours one competitor. Other programs
        // on the machine can disturb single measurements. It is therefore sufficient if one of five ratios is within
        // 3 % of 1.
        let ratios = try (0..<5).map { _ in
            let result = try contest.run(rounds: 31)
            return result.ratio(to: result.entries[1])
        }
        #expect(ratios.contains { abs($0 - 1) <= 0.03 }, "\(ratios)")
    }

    @Test func theMedianOfAnEvenCountLiesBetween() {
        #expect(ContestResult.Entry(name: "a", milliseconds: [1, 2, 4, 9]).median == 3)
        #expect(ContestResult.Entry(name: "a", milliseconds: [1, 2, 4]).median == 2)
    }

    @Test func everyCompetitorRunsEquallyOften() throws {
        var counts = [0, 0, 0]
        let contest = Contest("count", (0..<3).map { index in .init("\(index)") { counts[index] += 1 } })
        _ = try contest.run(rounds: 5, warmUps: 2)
        #expect(counts == [7, 7, 7])
    }

    @Test func processorTimeIsThatOfAllThreads() throws {
        let contest = Contest(
            "threads",
            [
                .init("one", run: Self.work),
                .init("two") {
                    let thread = DispatchQueue.global()
                    let done = DispatchSemaphore(value: 0)
                    thread.async {
                        Self.work()
                        done.signal()
                    }
                    Self.work()
                    done.wait()
                },
            ])
        let ratios = try (0..<5).map { _ in
            let result = try contest.run(rounds: 15)
            return 1 / (result.cpuRatio(to: result.entries[1]) ?? .nan)
        }
        // "two" does the work of "one" on each of two threads, so it uses twice the processor time. If `ProcessMeter`
        // counted only one thread, the ratio would be 1. The ratio can exceed 2, because two threads on one core slow
        // each other down.
        #expect(ratios.contains { 1.7...3.2 ~= $0 }, "\(ratios)")
    }

    @Test func memoryIsWhatTheRunTookAtItsMost() throws {
        let contest = Contest(
            "memory",
            [
                .init("32 MB") {
                    let memory = [UInt8](repeating: .random(in: 1...9), count: 32 << 20)
                    #expect(memory.last != 0)
                }
            ])
        let grown = try #require(try contest.alone("32 MB"))
        #expect(abs(grown - 32 << 20) < 2 << 20, "\(grown)")
    }

    @Test func whoCannotDoTheJobStaysAway() throws {
        struct Unable: Error {}
        let contest = Contest(
            "able", skipsUnsupportedPeers: true,
            [
                .init("ours") {}, .init("able") {}, .init("not started", prepare: { throw Unable() }) {},
                .init("unable") { throw Unable() },
            ])
        #expect(try contest.run(rounds: 1).entries.map(\.name) == ["ours", "able"])
    }

    @Test func nobodyIsTimedForAnotherResult() {
        struct Disagreement: Error {}
        let contest = Contest("agree", [.init("ours") { Issue.record("was run") }], agree: { throw Disagreement() })
        #expect(throws: Disagreement.self) { try contest.run(rounds: 1) }
    }

    @Test func theVerdictIsOnTimeAndProcessorTime() {
        func entry(_ name: String, _ time: Double, _ cpu: Double) -> ContestResult.Entry {
            .init(name: name, milliseconds: [time], cost: Cost(cpu: cpu, memory: 2_500_000, instructions: 3_000_000))
        }
        let result = ContestResult(
            name: "get", target: 1.2, cpuTarget: 1.5, entries: [entry("ours", 3, 4), entry("peer", 3, 2)])
        #expect(
            result.lines[2]
                == "  peer       3.00 ms (spread  0 %)  CPU      2.00 ms      2.5 MB      3.00 M instr."
                + "  ours is 1.00x, CPU 2.00x  MISSED (<= 1.2, CPU <= 1.5)")
    }
}
