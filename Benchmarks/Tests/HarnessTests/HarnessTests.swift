import Testing

@testable import Harness

struct HarnessTests {
    /// A job of a few milliseconds that the optimiser cannot drop.
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
        // Other programs share the machine: one quiet measurement of five is proof enough that the harness is fair.
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
}
