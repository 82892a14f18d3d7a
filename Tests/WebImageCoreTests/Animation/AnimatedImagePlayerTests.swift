import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// Tests the player with a display link. The tests trigger each tick of this display link.
@MainActor @Suite(.timeLimit(minutes: 1))
struct AnimatedImagePlayerTests {
    let registry = FrameStoreRegistry(budget: 1 << 20)
    let link = ManualDisplayLink()

    private func player(_ animation: FakeAnimation) throws -> AnimatedImagePlayer {
        try #require(AnimatedImagePlayer(provider: animation, displayLink: link, registry: registry))
    }

    /// Ticks the display link until `condition` returns true.
    private func tick(_ seconds: TimeInterval = 0.01, until condition: () -> Bool) async -> Bool {
        await eventually(within: 20) {
            link.tick(seconds)
            return condition()
        }
    }

    @Test func aStillHasNoPlayer() {
        let still = FakeAnimation(durations: [1])
        #expect(AnimatedImagePlayer(provider: still, displayLink: link, registry: registry) == nil)
    }

    @Test func everyLoopShowsEachFrameOnceInOrder() async throws {
        let player = try player(FakeAnimation(durations: [Double](repeating: 0.1, count: 5), loopCount: 2))
        var frames: [Int] = []
        var loops: [Int] = []
        player.animationFrameHandler = { index, frame in
            frames.append(index)
            #expect(frame.pixels.withUnsafeBytes { $0[0] } == UInt8(index))
        }
        player.animationLoopHandler = { loops.append($0) }
        player.startPlaying()
        #expect(await tick { player.bufferedFrameCount == 5 })
        #expect(await tick { !player.isPlaying })
        #expect(frames == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
        #expect(loops == [1, 2] && !link.isRunning)
    }

    @Test func pausedPlayerDecodesNothingAndKeepsItsPosition() async throws {
        let animation = FakeAnimation(durations: [Double](repeating: 0.1, count: 50))
        let player = try player(animation)
        player.startPlaying()
        #expect(await tick { player.currentFrameIndex >= 3 })
        player.pausePlaying()
        let (index, decodes) = (player.currentFrameIndex, animation.decodes)
        #expect(!link.isRunning)
        link.tick(5)
        #expect(player.currentFrameIndex == index && player.currentFrame != nil)
        #expect(animation.decodes.values.reduce(0, +) <= decodes.values.reduce(0, +) + 1)
        player.stopPlaying()
        #expect(player.currentFrameIndex == 0 && player.currentFrame == nil)
    }

    @Test func seekingShowsTheFrameAtOnceEvenWhilePaused() throws {
        let player = try player(FakeAnimation(durations: [Double](repeating: 0.1, count: 101)))
        var next = 0
        player.animationFrameHandler = { index, _ in
            #expect(index == next)
            next += 1
            if next < 101 { player.seekToFrame(at: next, loopCount: 0) }
        }
        player.seekToFrame(at: 0, loopCount: 0)
        #expect(next == 101 && player.currentFrameIndex == 100)
        player.seekToFrame(at: 101, loopCount: 0)
        #expect(player.currentFrameIndex == 100)
    }

    @Test func twoHundredPlayersOfOneAnimationDecodeEachFrameOnce() async throws {
        let animation = FakeAnimation(durations: [Double](repeating: 0.02, count: 8))
        let links = (0..<200).map { _ in ManualDisplayLink() }
        let players = try links.map {
            try #require(AnimatedImagePlayer(provider: animation, displayLink: $0, registry: registry))
        }
        players.forEach { $0.startPlaying() }
        #expect(
            await eventually(within: 20) {
                links.forEach { $0.tick(0.005) }
                return players.allSatisfy { $0.currentLoopCount >= 2 }
            })
        #expect(animation.decodes == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, 1) }))
        players.forEach { $0.stopPlaying() }
    }

    @Test func fiftyAnimationsStayWithinTheBudget() async throws {
        let players = try (0..<50).map { _ in
            let animation = FakeAnimation(durations: [Double](repeating: 0.02, count: 30), side: 32)
            return try #require(
                AnimatedImagePlayer(provider: animation, displayLink: TickRepeater(), registry: registry))
        }
        players.forEach { $0.startPlaying() }
        var (most, ticks) = (0, 0)
        // A busy machine decodes the first frame late.
        _ = await eventually(within: 20) {
            TickRepeater.tickAll(0.01)
            (most, ticks) = (max(most, registry.byteCount), ticks + 1)
            return ticks >= 300 && most > 0
        }
        // When the budget is divided again, each store can be decoding a frame that its new share does not cover.
        // The stores can therefore exceed the budget by one frame per store.
        #expect(most <= registry.budget + 50 * 32 * 32 * 4)
        #expect(most > 0)
        players.forEach { $0.stopPlaying() }
        TickRepeater.forgetAll()
    }

    @Test func slowDecoderSkipsFramesAndKeepsTime() async throws {
        // The animation is so long that even a busy machine shows several frames before the animation ends.
        let count = 8000
        let durations = [Double](repeating: 0.005, count: count)
        let animation = FakeAnimation(durations: durations, decodeSeconds: 0.02, side: 64)
        let small = FrameStoreRegistry(budget: 64 * 64 * 4 * 6)
        let player = try #require(AnimatedImagePlayer(provider: animation, displayLink: link, registry: small))
        var shown: [Int] = []
        player.animationFrameHandler = { index, _ in shown.append(index) }
        player.startPlaying()
        let clock = ContinuousClock()
        var last = clock.now
        var played = 0.0
        #expect(
            await eventually {
                let now = clock.now
                let elapsed = Double((now - last).components.attoseconds) / 1e18
                last = now
                if !shown.isEmpty { played += elapsed }
                link.tick(elapsed)
                return player.currentFrameIndex > 150 && shown.count > 5
            })
        // The position follows the clock. Some frames were skipped, and the other frames were shown in order.
        #expect(abs(Double(player.currentFrameIndex) * 0.005 - played) < 0.1)
        #expect(shown == shown.sorted() && shown.count < Int(player.currentFrameIndex))
        player.stopPlaying()
    }

    @Test func undecodableFrameIsSkipped() async throws {
        let player = try player(FakeAnimation(durations: [0.05, 0.05, 0.05], broken: [1]))
        var frames: [Int] = []
        player.animationFrameHandler = { index, _ in frames.append(index) }
        player.startPlaying()
        #expect(await tick { player.currentLoopCount >= 2 })
        #expect(!frames.contains(1) && frames.contains(2))
    }

    @Test func lastPlayerReleasesTheFrames() async throws {
        let animation = FakeAnimation(durations: [0.1, 0.1])
        do {
            let player = try player(animation)
            player.startPlaying()
            #expect(await tick { player.bufferedFrameCount == 2 })
            #expect(registry.byteCount > 0)
        }
        #expect(await eventually { registry.byteCount == 0 })
        #expect(!link.isRunning)
    }

    @Test func smallAnimationsGetAllTheirBytesAndOthersEqualShares() {
        #expect(FrameBudget.allot([10, 100, 100], of: 110) == [10, 50, 50])
        #expect(FrameBudget.allot([10, 10], of: 1000) == [10, 10])
        #expect(FrameBudget.allot([], of: 10).isEmpty)
    }
}

/// A display link that ticks many players at the same time.
@MainActor private final class TickRepeater: DisplayLink {
    private static var handlers: [ObjectIdentifier: @MainActor (TimeInterval) -> Void] = [:]

    static func tickAll(_ elapsed: TimeInterval) { handlers.values.forEach { $0(elapsed) } }
    static func forgetAll() { handlers = [:] }

    func start(_ tick: @escaping @MainActor (TimeInterval) -> Void) { Self.handlers[ObjectIdentifier(self)] = tick }
    func stop() { Self.handlers[ObjectIdentifier(self)] = nil }
}
