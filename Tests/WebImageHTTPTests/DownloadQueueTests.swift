import Testing
import WebImageCore
import WebImageTesting

@testable import WebImageHTTP

/// Tests the decisions of `DownloadQueue`: which loads share a download, which download starts next, and
/// which download is cancelled.
struct DownloadQueueTests {
    typealias Queue = DownloadQueue<String, Int>

    /// Returns the downloads that these actions start.
    private func starts(_ actions: [Queue.Action]) -> [Int] {
        actions.compactMap { if case .start(let download) = $0 { download } else { nil } }
    }

    /// Finishes download `first`, then the download that starts in its slot, and so on. Returns the downloads
    /// in the order of their starts.
    private func drain(_ queue: inout Queue, from first: Int) -> [Int] {
        var order = [first]
        while let last = order.last, let next = starts(queue.finish(last).actions).first { order.append(next) }
        return order
    }

    @Test func sameKeySharesOneDownload() {
        var queue = Queue(maxConcurrent: 2)
        let first = queue.join(1, key: "a", priority: .normal)
        let second = queue.join(2, key: "a", priority: .normal)
        #expect(first.actions == [.start(0)])
        #expect(second.actions.isEmpty)
        #expect(!second.isNew)
        #expect(Set(queue.finish(first.download).subscribers) == [1, 2])
        #expect(queue.count == 0)
    }

    @Test func lastSubscribersCancelFreesTheSlot() {
        var queue = Queue(maxConcurrent: 1)
        _ = queue.join(1, key: "a", priority: .normal)
        _ = queue.join(2, key: "a", priority: .normal)
        _ = queue.join(3, key: "b", priority: .normal)
        #expect(queue.leave(1).isEmpty)
        #expect(queue.leave(2) == [.cancel(0), .start(1)])
        #expect(queue.leave(2).isEmpty)
        #expect(queue.finish(0).subscribers.isEmpty)
    }

    @Test func aKeptSlotIsFreedOnce() {
        var queue = Queue(maxConcurrent: 1)
        for number in 1...3 { _ = queue.join(number, key: "\(number)", host: "host", priority: .normal) }
        let end = queue.finish(0) { $0 == [1] }
        #expect(end.subscribers == [1] && end.actions.isEmpty && queue.count == 2)
        // The total limit of 2 would allow a second start. The limit of 1 per host does not, because the
        // finished download still occupies its slot.
        #expect(queue.setMaxConcurrent(2, perHost: 1).isEmpty)
        #expect(queue.free(0) == [.start(1)] && queue.free(0).isEmpty)
        #expect(queue.finish(1) { _ in false }.actions == [.start(2)])
    }

    /// Only the host waits, and it waits no longer than the downloads that hold it exist.
    @Test(arguments: [true, false]) func pausedDownloadsCanHoldTheirHost(isCancelled: Bool) {
        var queue = Queue(maxConcurrent: 2)
        for number in 0...1 { _ = queue.join(number, key: "\(number)", host: "busy", priority: .normal) }
        for number in 2...3 { _ = queue.join(number, key: "\(number)", host: "busy", priority: .high) }
        #expect(queue.pause(0, holdingHost: true).isEmpty)
        #expect(queue.pause(1, holdingHost: true).isEmpty)
        #expect(queue.join(4, key: "4", host: "idle", priority: .low).actions == [.start(4)])
        #expect((isCancelled ? queue.leave(0) : queue.resume(0)).filter { $0 != .cancel(0) }.isEmpty)
        #expect(starts(queue.resume(1)) == [2])
    }

    @Test func cancelledKeyStartsANewDownload() {
        var queue = Queue(maxConcurrent: 1)
        let first = queue.join(1, key: "a", priority: .normal)
        _ = queue.leave(1)
        let second = queue.join(2, key: "a", priority: .normal)
        #expect(second.isNew)
        #expect(queue.finish(first.download).subscribers.isEmpty)
        #expect(queue.finish(second.download).subscribers == [2])
    }

    @Test func waitingDownloadsAreOrderedByPriorityThenArrival() {
        var queue = Queue(maxConcurrent: 1)
        _ = queue.join(0, key: "0", priority: .normal)
        let priorities: [LoadPriority] = [.low, .normal, .high, .normal, .high, .low]
        for (number, priority) in priorities.enumerated() {
            _ = queue.join(number + 1, key: "\(number + 1)", priority: priority)
        }
        #expect(drain(&queue, from: 0) == [0, 3, 5, 2, 4, 1, 6])
    }

    @Test func joiningRaisesThePriorityAndLeavingLowersIt() {
        var queue = Queue(maxConcurrent: 1)
        _ = queue.join(0, key: "0", priority: .normal)
        for number in 1...3 { _ = queue.join(number, key: "\(number)", priority: .low) }
        _ = queue.join(20, key: "2", priority: .high)
        _ = queue.join(30, key: "3", priority: .high)
        _ = queue.leave(30)
        #expect(drain(&queue, from: 0) == [0, 2, 1, 3])
    }

    @Test func lastInFirstOutEqualsTheOriginalsOrder() {
        var queue = Queue(maxConcurrent: 1)
        queue.newestFirst = true
        for number in 1...7 { _ = queue.join(number, key: "\(number)", priority: .normal) }
        var order = [0]
        order += starts(queue.finish(0).actions)
        for number in 8...14 { _ = queue.join(number, key: "\(number)", priority: .normal) }
        order += drain(&queue, from: order[1]).dropFirst()
        #expect(order.map { $0 + 1 } == [1, 7, 14, 13, 12, 11, 10, 9, 8, 6, 5, 4, 3, 2])
    }

    @Test func suspendedQueueStartsNothingUntilResumed() {
        var queue = Queue(maxConcurrent: 2)
        #expect(queue.setSuspended(true).isEmpty)
        for number in 0..<3 { #expect(queue.join(number, key: "\(number)", priority: .normal).actions.isEmpty) }
        #expect(queue.setSuspended(false) == [.start(0), .start(1)])
    }

    @Test func raisingTheMaximumStartsQueuedDownloads() {
        var queue = Queue(maxConcurrent: 0)
        for number in 0..<4 { _ = queue.join(number, key: "\(number)", priority: .normal) }
        #expect(queue.setMaxConcurrent(3) == [.start(1), .start(2)])
    }

    @Test func limitPerHostIncludesRunningDownloads() {
        var queue = Queue(maxConcurrent: 2)
        for number in 0..<4 { _ = queue.join(number, key: "\(number)", host: "a", priority: .normal) }
        _ = queue.join(4, key: "4", host: "b", priority: .normal)
        #expect(queue.setMaxConcurrent(4, perHost: 2) == [.start(4)])
        #expect(queue.finish(0).actions == [.start(2)])
    }

    @Test func cancelAllReturnsEverySubscriber() {
        var queue = Queue(maxConcurrent: 1)
        for number in 0..<4 { _ = queue.join(number, key: "\(number / 2)", priority: .normal) }
        let (subscribers, actions) = queue.cancelAll()
        #expect(subscribers.sorted() == [0, 1, 2, 3])
        #expect(actions == [.cancel(0), .cancel(1)])
        #expect(queue.join(9, key: "0", priority: .normal).actions == [.start(2)])
    }

    /// Sends random joins, leaves and ends to the queue. At most three downloads run at the same time, and each
    /// subscriber receives an end.
    @Test(arguments: 0..<20) func randomEventsNeverExceedTheMaximumOrLoseAnybody(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var queue = Queue(maxConcurrent: 3)
        var running: Set<Int> = []
        var waiting: Set<Int> = []
        func apply(_ actions: [Queue.Action]) {
            for action in actions {
                switch action {
                case .start(let download):
                    let isNew = running.insert(download).inserted
                    #expect(isNew)
                case .cancel(let download): running.remove(download)
                }
            }
            #expect(running.count <= 3)
        }
        for subscriber in 0..<1000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let priority = [LoadPriority.low, .normal, .high].randomElement(using: &random) ?? .normal
                let key = "\(Int.random(in: 0..<12, using: &random))"
                apply(queue.join(subscriber, key: key, priority: priority).actions)
                waiting.insert(subscriber)
            case 2:
                guard let leaving = waiting.sorted().randomElement(using: &random) else { continue }
                waiting.remove(leaving)
                apply(queue.leave(leaving))
            default:
                guard let download = running.sorted().randomElement(using: &random) else { continue }
                running.remove(download)
                let (subscribers, actions) = queue.finish(download)
                for subscriber in subscribers {
                    let waited = waiting.remove(subscriber) != nil
                    #expect(waited)
                }
                apply(actions)
            }
        }
        while let download = running.popFirst() {
            let (subscribers, actions) = queue.finish(download)
            waiting.subtract(subscribers)
            apply(actions)
        }
        #expect(waiting.isEmpty)
        #expect(queue.count == 0)
    }
}
