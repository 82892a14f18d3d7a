import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageCore

/// A completion runs only once, even if several threads complete it at the same time.
@Suite(.timeLimit(minutes: 1))
struct CompletionTests {
    @Test func onlyTheFirstResultIsDelivered() {
        let ends = Locked<[Int]>([])
        let completion = Completion<Int> { end in ends.withLock { $0.append(end) } }
        #expect(completion.complete(with: 1) && !completion.complete(with: 2) && !completion.cancel(with: 3))
        #expect(ends.withLock { $0 } == [1] && completion.isCompleted && !completion.isCancelled)
    }

    @Test func handlerSetAfterTheResultReceivesIt() {
        let completion = Completion<Int>()
        completion.complete(with: 1)
        let ends = Locked<[Int]>([])
        for _ in 0..<2 { completion.whenCompleted { end in ends.withLock { $0.append(end) } } }
        #expect(ends.withLock { $0 } == [1])
    }

    @Test func concurrentResultsDeliverOneAndACancelRunsItsActionOnce() {
        for _ in 0..<5_000 {
            let (ends, actions) = (Locked(0), Locked(0))
            let completion = Completion<Int> { _ in ends.withLock { $0 += 1 } }
            DispatchQueue.concurrentPerform(iterations: 3) { index in
                switch index {
                case 0: completion.whenCancelled { actions.withLock { $0 += 1 } }
                case 1: completion.cancel(with: 1)
                default: completion.complete(with: 2)
                }
            }
            #expect(ends.withLock { $0 } == 1)
            #expect(actions.withLock { $0 } == (completion.isCancelled ? 1 : 0))
        }
    }

    @Test func resultBeforeACancelDropsTheAction() {
        let completion = Completion<Int>()
        let isRun = Locked(false)
        completion.whenCancelled { isRun.withLock { $0 = true } }
        completion.complete(with: 1)
        completion.cancel(with: 0)
        #expect(!isRun.withLock { $0 })
    }

    @Test func claimedResultIsDeliveredByTheClaimant() {
        let ends = Locked<[Int]>([])
        let completion = Completion<Int> { end in ends.withLock { $0.append(end) } }
        let handler = completion.claim()
        #expect(!completion.complete(with: 1) && completion.claim() == nil)
        handler?(2)
        #expect(ends.withLock { $0 } == [2])
    }
}
