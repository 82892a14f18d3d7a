import Testing
import WebImageTestTraits

@testable import WebImageCore

@Suite(.timeLimit(minutes: 1))
struct PendingFlushTests {
    @Test func onlyTheFirstItemStartsAFlush() {
        var flush = PendingFlush<Int>()
        let starts = [flush.add(1), flush.add(2), flush.add(3)]
        #expect(starts == [true, false, false])
        let taken = flush.takeAll()
        #expect(taken == [1, 2, 3])
        let startsAgain = flush.add(4)
        #expect(startsAgain, "an item after a flush was not flushed")
    }

    @Test func itemAddedDuringAFlushIsPartOfIt() {
        var flush = PendingFlush<Int>()
        _ = flush.add(1)
        var seen: [Int] = []
        var starts = false
        while let item = flush.next() {
            seen.append(item)
            if item == 1 { starts = flush.add(2) }
        }
        #expect(seen == [1, 2])
        #expect(!starts, "two flushes run at the same time")
        let startsAgain = flush.add(3)
        #expect(startsAgain)
    }

    @Test func newestItemReplacesTheOthers() {
        var flush = PendingFlush<Int>()
        let starts = [flush.replace(with: 1), flush.replace(with: 2)]
        #expect(starts == [true, false])
        let taken = flush.takeAll()
        #expect(taken == [2])
    }

    @Test func pendingFlushOutlivesItsItems() {
        var flush = PendingFlush<Int>()
        _ = flush.add(1)
        flush.removeAll()
        let starts = flush.add(2)
        #expect(!starts, "the scheduled flush was forgotten")
        let taken = flush.takeAll()
        #expect(taken == [2])
    }

    @Test func appendedItemWaitsForARequest() {
        var flush = PendingFlush<Int>()
        flush.append(1)
        let starts = [flush.request(), flush.request()]
        #expect(starts == [true, false])
        let taken = flush.takeAll()
        #expect(taken == [1])
    }
}
