import Foundation
import Synchronization
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Tests which frames a frame store keeps, and when the store releases frames.
@Suite(.timeLimit(minutes: 1))
struct FrameStoreTests {
    let registry = FrameStoreRegistry(budget: 1 << 20)

    @Test func frameDecodedAfterRemoveAllFramesIsDropped() async throws {
        let animation = GatedAnimation()
        let store = registry.acquire(animation)
        defer { registry.release(store) }
        store.prefetch([0, 1, 2])
        #expect(await eventually { animation.isDecoding })
        store.removeAllFrames()
        animation.open()
        #expect(await eventually { store.decodeCount == 1 })
        #expect(store.currentFrameCount == 0 && store.byteCount == 0 && store.frame(at: 0) == nil)
        // If the decode of a frame begins after the removal, the store keeps the frame.
        store.prefetch([0, 1, 2])
        #expect(await eventually { store.frame(at: 0) != nil })
    }

    /// For example because memory was short, or because a decoder process had ended.
    @Test func frameThatFailedForATimeIsDecodedAgain() async throws {
        let clock = VirtualClock()
        let registry = FrameStoreRegistry(budget: 1 << 20, clock: clock)
        let animation = RecoveringAnimation()
        let store = registry.acquire(animation)
        defer { registry.release(store) }
        var decodes = 0
        for (delay, other) in [(5, 0), (10, 2)] {
            store.prefetch([1])
            decodes += 1
            #expect(await eventually { store.decodeCount == decodes })
            // Playback passes the frame.
            #expect(store.isReady(1) && store.frame(at: 1) == nil)
            clock.advance(by: .seconds(delay - 1))
            store.prefetch([1])
            // The store decodes one frame at a time, so it would not decode this one if it had begun with the other.
            store.prefetch([other])
            decodes += 1
            #expect(await eventually { store.frame(at: other) != nil })
            #expect(store.decodeCount == decodes)
            clock.advance(by: .seconds(1))
        }
        animation.isFailing.withLock { $0 = false }
        store.prefetch([1])
        #expect(await eventually { store.frame(at: 1) != nil })
    }

    @Test func completeAnimationReusesFramesOfThePartialOne() throws {
        let part = FakeAnimation(durations: [0.1, 0.1, 0.1])
        let whole = FakeAnimation(durations: [0.1, 0.1, 0.1, 0.1])
        let (first, second) = (registry.acquire(part), registry.acquire(whole))
        for index in 0..<3 { _ = first.decodeNow(index) }
        second.adoptFrames(of: first)
        #expect(second.currentFrameCount == 3 && whole.decodes.isEmpty)
        #expect(second.frame(at: 2) === first.frame(at: 2))
        registry.release(first)
        registry.release(second)
        #expect(registry.byteCount == 0)
    }

    @Test func reusedFramesStayWithinTheBudget() throws {
        let small = FrameStoreRegistry(budget: 4 * 64 * 2)
        let (first, second) = (
            small.acquire(FakeAnimation(durations: [0.1, 0.1, 0.1])),
            small.acquire(FakeAnimation(durations: [0.1, 0.1]))
        )
        for index in 0..<3 { _ = first.decodeNow(index) }
        second.adoptFrames(of: first)
        #expect(second.byteCount <= small.budget)
    }

    @Test func shareOfAReleasedStoreIsFreeAtOnce() {
        let alone = FrameStoreRegistry(budget: 16)
        let registry = FrameStoreRegistry(budget: 16)
        let whole = alone.capacity(of: alone.acquire(FakeAnimation(durations: [Double](repeating: 0.1, count: 100))))
        let stays = registry.acquire(FakeAnimation(durations: [Double](repeating: 0.1, count: 100)))
        let animation = HookedAnimation()
        let leaves = registry.acquire(animation)
        #expect(registry.capacity(of: stays) < whole)
        // The hook releases the store `leaves` while the registry computes the shares of all stores. In a program,
        // another thread can release a store at this moment.
        animation.hook.withLock { $0 = { registry.release(leaves) } }
        animation.frameCount.withLock { $0 = 200 }
        _ = registry.capacity(of: leaves)
        #expect(registry.capacity(of: stays) == whole)
    }

    @Test func memoryPressureKeepsOnlyTheShownFrame() async throws {
        let registry = FrameStoreRegistry.shared
        let store = registry.acquire(FakeAnimation(durations: [Double](repeating: 0.1, count: 8)))
        defer { registry.release(store) }
        #expect(
            await eventually {
                store.prefetch(Array(0..<8))
                return store.currentFrameCount == 8
            })
        MemoryPressureRelay.system.report(.warning)
        #expect(store.currentFrameCount == 1 && store.frame(at: 0) != nil)
    }
}

/// An animation that calls the closure in `hook` once. The call occurs when the frame count is read for the second
/// time after the closure was set.
private final class HookedAnimation: AnimatedImageProvider {
    let hook = Locked<(@Sendable () -> Void)?>(nil)
    let frameCount = Locked(100)
    private let reads = Locked(0)

    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: Int {
        // To compute the capacity of a store, the registry first reads the frame count of this store. Then the
        // registry reads the frame count of every store.
        if let hook = hook.withLock({ $0 }) {
            let isSecond = reads.withLock { reads in
                reads += 1
                return reads == 2
            }
            if isSecond { hook() }
        }
        return frameCount.withLock { $0 }
    }
    var animatedImageLoopCount: Int { 0 }
    func animatedImageDuration(at index: Int) -> TimeInterval { 0.1 }
    func animatedImageFrame(at index: Int) -> Image? { nil }
}

/// An animation whose frame 1 cannot be decoded while ``isFailing`` is true.
private final class RecoveringAnimation: AnimatedImageProvider {
    let isFailing = Locked(true)

    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: Int { 3 }
    var animatedImageLoopCount: Int { 0 }
    func animatedImageDuration(at index: Int) -> TimeInterval { 0.1 }
    func animatedImageFrame(at index: Int) -> Image? {
        index == 1 && isFailing.withLock { $0 } ? nil : try? TestImages.solid(width: 4, height: 4)
    }
}

/// An animation. Its first decode blocks until the test calls `open()`.
private final class GatedAnimation: AnimatedImageProvider {
    private let gate = DispatchSemaphore(value: 0)
    private let state = Mutex((isDecoding: false, isOpen: false))

    var isDecoding: Bool { state.withLock { $0.isDecoding } }
    func open() {
        state.withLock { $0.isOpen = true }
        gate.signal()
    }

    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: Int { 3 }
    var animatedImageLoopCount: Int { 0 }
    func animatedImageDuration(at index: Int) -> TimeInterval { 0.1 }
    func animatedImageFrame(at index: Int) -> Image? {
        let waits = state.withLock { state in
            state.isDecoding = true
            return !state.isOpen
        }
        if waits { gate.wait() }
        return try? TestImages.solid()
    }
}
