import Dispatch
import Foundation
import Testing

@testable import WebImageCore

@Suite struct CallbackQueueTests {
    /// Many threads create callback queues of one dispatch queue, as loads with `.callbackQueue` do, while others run on
    /// this queue and ask whether they may run inline. A mark that is replaced while a thread reads it ends the process.
    @Test func callbackQueuesOfOneQueueAreMadeOnManyThreads() async {
        let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
        let strangers = Locked(0)
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for _ in 0..<4 {
                queue.async(group: group) {
                    for _ in 0..<100_000
                    where !CallbackQueue(queue: queue).runsInline || CallbackQueue.current.policy != .safeExecute {
                        strangers.withLock { $0 += 1 }
                    }
                }
            }
            for _ in 0..<4 {
                let thread = Thread {
                    for _ in 0..<100_000 where CallbackQueue(queue: queue).runsInline { strangers.withLock { $0 += 1 } }
                    group.leave()
                }
                group.enter()
                thread.start()
            }
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(strangers.withLock { $0 } == 0)
    }

    /// A queue keeps its mark, so a callback queue that was made first still recognizes its queue.
    @Test func laterCallbackQueuesLeaveEarlierOnesValid() async {
        let queue = DispatchQueue(label: "callbacks")
        let first = CallbackQueue(queue: queue)
        let second = CallbackQueue(queue: queue)
        let inline = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: [first.runsInline, second.runsInline]) }
        }
        #expect(inline == [true, true])
        #expect(!first.runsInline)
    }

    /// Each access to a global queue returns another object for the same queue.
    @Test func globalQueueIsRecognizedThroughEachOfItsObjects() async {
        let first = CallbackQueue(queue: .global(qos: .utility))
        let second = CallbackQueue(queue: .global(qos: .utility))
        let inline = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(returning: [first.runsInline, second.runsInline])
            }
        }
        #expect(inline == [true, true])
    }
}
