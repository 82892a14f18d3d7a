import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

@Suite("List prefetching", .timeLimit(minutes: 1)) struct ListsPolicyTests {
    var policy = ScrollPrefetchPolicy(screensAhead: 2, screensBehind: 0.5)

    @Test(arguments: [-1.0, -.infinity, .nan, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func strangeNumbersOfScreensAreLimited(screens: Double) {
        var policy = ScrollPrefetchPolicy(screensAhead: screens, screensBehind: screens)
        policy.screensAhead = screens
        let change = policy.update(visible: 4..<8, count: .max)
        #expect(change.prefetch.count <= ScrollPrefetchPolicy.maxRows + 4)
        #expect(change.prefetch.isEmpty == !(screens > 0))
        _ = policy.update(visible: Int.max - 3..<Int.max, count: .max)
        _ = policy.update(visible: Int.max - 4..<Int.max - 1, count: .max)
        #expect(policy.direction == .backward && policy.wanted.upperBound <= .max)
        _ = policy.update(visible: Int.min..<Int.min + 1, count: .min)
    }

    @Test mutating func theFirstUpdatePrefetchesRowsAheadOnly() {
        let change = policy.update(visible: 0..<4, count: 100)
        #expect(change.prefetch == [4, 5, 6, 7, 8, 9, 10, 11])
        #expect(change.cancelled == [])
        #expect(policy.interest(in: 0) == .visible)
        #expect(policy.interest(in: 11) == .near)
        #expect(policy.interest(in: 12) == .none)
    }

    @Test mutating func scrollPrefetchesRowsAheadAndCancelsRowsFarBehind() {
        _ = policy.update(visible: 0..<4, count: 100)
        #expect(policy.update(visible: 2..<6, count: 100).prefetch == [12, 13])
        let change = policy.update(visible: 5..<9, count: 100)
        #expect(policy.direction == .forward)
        #expect(policy.wanted == 3..<17)
        #expect(change.cancelled == [0, 1, 2])
        #expect(change.prefetch == [14, 15, 16])
    }

    @Test mutating func fastScrollPrefetchesNothingUntilItSlows() {
        _ = policy.update(visible: 0..<4, count: 1000)
        for first in stride(from: 10, to: 500, by: 10) {
            let change = policy.update(visible: first..<first + 4, count: 1000)
            #expect(policy.isRacing && change.prefetch.isEmpty)
            #expect(policy.interest(in: first) == .none)
            #expect(change.cancelled == (first == 10 ? Array(0..<12) : []))
        }
        #expect(policy.update(visible: 490..<494, count: 1000).prefetch == Array(494..<502) + [489, 488])
        #expect(policy.interest(in: 490) == .visible)
    }

    @Test mutating func reversedScrollPrefetchesTheOtherDirection() {
        _ = policy.update(visible: 40..<44, count: 100)
        let change = policy.update(visible: 39..<43, count: 100)
        #expect(policy.direction == .backward)
        #expect(policy.wanted == 31..<45)
        #expect(change.prefetch == Array((31..<38).reversed()))
        #expect(change.cancelled == Array(45..<52))
    }

    @Test mutating func listAtRestKeepsTheDirection() {
        _ = policy.update(visible: 40..<44, count: 100)
        _ = policy.update(visible: 30..<34, count: 100)
        #expect(policy.update(visible: 30..<34, count: 100).prefetch.first == 29)
        let change = policy.update(visible: 30..<34, count: 100)
        #expect(change.prefetch.isEmpty && change.cancelled.isEmpty)
        #expect(policy.direction == .backward)
    }

    @Test mutating func prefetchStaysWithinTheList() {
        #expect(policy.update(visible: 96..<100, count: 100).prefetch == [95, 94])
        #expect(policy.wanted == 94..<100)
        let change = policy.update(visible: 0..<2, count: 2)
        #expect(change.prefetch == [])
        #expect(change.cancelled == Array(94..<100))
    }

    @Test mutating func nothingVisibleWantsNothing() {
        _ = policy.update(visible: 10..<14, count: 100)
        #expect(policy.update(visible: 0..<0, count: 100).cancelled == Array(8..<22))
        #expect(policy.wanted.isEmpty)
    }

    @Test mutating func extremePrefetchDistanceIsTheWholeList() {
        policy = ScrollPrefetchPolicy(screensAhead: .greatestFiniteMagnitude, screensBehind: -3)
        #expect(policy.update(visible: 1..<2, count: 5).prefetch == [2, 3, 4])
    }

    @Test func startedPrefetchIsUsedOrCancelledExactlyOnce() {
        // `open` contains the rows whose prefetch has begun and has not been cancelled. After each change, `open` must
        // equal the rows that the policy wants.
        var random = SeededRandom.printingSeed()
        for _ in 0..<50 {
            var policy = ScrollPrefetchPolicy(
                screensAhead: .random(in: 0...4, using: &random), screensBehind: .random(in: 0...2, using: &random))
            var open: Set<Int> = []
            for _ in 0..<200 {
                let count = Int.random(in: 0...300, using: &random)
                let first = Int.random(in: 0...300, using: &random)
                let visible = first..<first + Int.random(in: 0...20, using: &random)
                let change = policy.update(visible: visible, count: count)
                #expect(open.isSuperset(of: change.cancelled), "a prefetch that was not begun is cancelled")
                open.subtract(change.cancelled)
                #expect(open.isDisjoint(with: change.prefetch), "a prefetch is begun twice")
                open.formUnion(change.prefetch)
                if !policy.isRacing { open.formUnion(policy.visible) }
                #expect(open == Set(policy.wanted))
                #expect(policy.wanted.isEmpty || policy.wanted.upperBound <= count)
            }
        }
    }

    @Test(arguments: [0..<1, 0..<200, 5000..<5200, 0..<100_000, -3..<40])
    func rowOrderEqualsASort(_ positions: Range<Int>) throws {
        var random = SeededRandom.printingSeed()
        for count in [0, 1, 2, 37, 205] {
            let rows = try (0..<count).map { number in
                let widget = try #require(OpaquePointer(bitPattern: 16 + 16 * number))
                return PlacedRow(position: Int.random(in: positions, using: &random), widget: widget)
            }
            let (ordered, sorted) = (PlacedRow.inOrder(rows), rows.sorted { $0.position < $1.position })
            #expect(ordered.map(\.position) == sorted.map(\.position) && ordered.map(\.widget) == sorted.map(\.widget))
            let unlike = Array(Dictionary(rows.map { ($0.position, $0) }) { $1 }.values)
            #expect(PlacedRow.inOrder(unlike).map(\.position) == unlike.map(\.position).sorted())
        }
    }
}
