import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

/// A load of a loader that decodes on its own: a cancel reaches its work whenever it comes.
@Suite(.timeLimit(.minutes(1)))
struct ForeignCallTests {
    private final class Operation: WebImageOperation {
        private let state = Locked(false)
        var isCancelled: Bool { state.withLock { $0 } }
        func cancel() { state.withLock { $0 = true } }
    }

    @Test func cancelBesideTheStartCancelsTheWork() {
        var lost = 0
        for _ in 0..<50_000 {
            let call = ForeignCall<Int>()
            let operation = Operation()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { call.started(operation) } else { call.cancel(with: 0) }
            }
            if !operation.isCancelled { lost += 1 }
        }
        #expect(lost == 0)
    }

    @Test func endBeforeACancelLeavesTheWorkAlone() {
        let call = ForeignCall<Int>()
        let operation = Operation()
        call.started(operation)
        call.end(1)
        call.cancel(with: 0)
        #expect(!operation.isCancelled)
        #expect(call.isOver)
    }
}
