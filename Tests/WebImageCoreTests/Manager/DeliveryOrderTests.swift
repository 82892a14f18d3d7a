import Dispatch
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests the order in which one load delivers its results on a concurrent queue.
@Suite(.timeLimit(minutes: 1))
struct DeliveryOrderTests {
    let fixture: ManagerFixture
    private let queue = CallbackQueue(
        queue: DispatchQueue(label: "concurrent", attributes: .concurrent), policy: .dispatch)

    init() throws { fixture = try ManagerFixture() }

    /// Records the completions of a load. The first completion blocks until the test calls `open()`. The next
    /// completion must not start before the first completion ends.
    private final class SlowFirst: Sendable {
        private let state = Locked((started: 0, ended: [Bool](), isOpen: false))
        private let gate = DispatchSemaphore(value: 0)
        var started: Int { state.withLock { $0.started } }
        var ended: [Bool] { state.withLock { $0.ended } }

        func receive(finished: Bool) {
            let number = state.withLock { state in
                state.started += 1
                return state.started
            }
            if number == 1 { gate.wait() }
            state.withLock { $0.ended.append(finished) }
        }

        func open() { gate.signal() }
    }

    @Test func finalImageIsDeliveredAfterARunningPartialDelivery() async throws {
        let slow = SlowFirst()
        fixture.manager.loadImage(
            with: fixture.url, options: .progressiveLoad,
            context: [.imageCoder: FakeProgressiveCoder(), .callbackQueue: queue]
        ) { _, _, _, _, finished, _ in slow.receive(finished: finished) }
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        fixture.loader.send(FakeCoder.file() + [1], for: fixture.url)
        #expect(await eventually { slow.started == 1 })
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        #expect(await eventually { fixture.cache.memoryKeys.count == 1 })
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
        #expect(slow.started == 1, "the final image does not wait for the partial one")
        slow.open()
        #expect(await eventually { slow.ended == [false, true] })
    }

    @Test func refreshedImageIsDeliveredAfterTheCachedOne() async throws {
        fixture.answer()
        _ = try await fixture.result()
        fixture.answer(width: 9, height: 9)
        let slow = SlowFirst()
        let images = Locked<[Int]>([])
        fixture.manager.loadImage(
            with: fixture.url, options: .refreshCached, context: fixture.context([.callbackQueue: queue])
        ) { image, _, _, _, finished, _ in
            slow.receive(finished: finished)
            images.withLock { $0.append(image?.pixelSize.width ?? 0) }
        }
        #expect(await eventually { slow.started == 1 })
        #expect(await eventually { fixture.loader.requests.count == 2 && fixture.manager.sharedTaskCount == 0 })
        slow.open()
        #expect(await eventually { images.withLock { $0 } == [4, 9] })
    }

    @Test func afterACancelOnlyTheCancelledCompletionRuns() async throws {
        for round in 0..<50 {
            let url = try #require(URL(string: "http://host/\(round).png"))
            let codes = Locked<[WebImageError.Code?]>([])
            fixture.loader.answer(url, with: .success(FakeCoder.file()))
            let operation = fixture.manager.loadImage(
                with: url, context: fixture.context([.callbackQueue: queue])
            ) { _, _, error, _, _, _ in codes.withLock { $0.append(error?.code) } }
            if round % 2 == 0 { _ = await eventually { !fixture.loader.requests.isEmpty } }
            operation.cancel()
            #expect(await eventually { !codes.withLock { $0.isEmpty } })
            // A cancel that comes after the delivery has begun changes nothing.
            #expect(codes.withLock { $0 } == [operation.isCancelled ? .cancelled : nil])
        }
    }

    @Test func cancelDoesNotWaitForACompletionThatRuns() async throws {
        let slow = SlowFirst()
        let operation = fixture.manager.loadImage(
            with: fixture.url, options: .progressiveLoad,
            context: [.imageCoder: FakeProgressiveCoder(), .callbackQueue: queue]
        ) { _, _, _, _, finished, _ in slow.receive(finished: finished) }
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        fixture.loader.send(FakeCoder.file() + [1], for: fixture.url)
        #expect(await eventually { slow.started == 1 })
        operation.cancel()
        #expect(slow.ended.isEmpty)
        slow.open()
        #expect(await eventually { slow.ended == [false, true] })
    }
}
