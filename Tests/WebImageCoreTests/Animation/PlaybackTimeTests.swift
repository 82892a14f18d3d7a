import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// Tests the player with a virtual clock.
@MainActor @Suite(.timeLimit(minutes: 2))
struct PlaybackTimeTests {
    let registry = FrameStoreRegistry(budget: 1 << 20)

    /// Returns a stopped player. The current frame is frame 0, and all frames are in memory.
    private func filled(_ animation: FakeAnimation, _ link: VirtualDisplayLink) async throws -> AnimatedImagePlayer {
        let player = try #require(AnimatedImagePlayer(provider: animation, displayLink: link, registry: registry))
        for index in (0..<animation.animatedImageFrameCount).reversed() {
            player.seekToFrame(at: index, loopCount: 0)
        }
        player.stopPlaying()
        try #require(player.bufferedFrameCount == animation.animatedImageFrameCount)
        return player
    }

    @Test func playbackPositionIsExactToAMillisecondAfterAnHour() async throws {
        let durations = [0.04, 0.1, 0.033, 0.25, 0.077]
        let loop = durations.reduce(0, +)
        let clock = VirtualClock()
        let link = VirtualDisplayLink(clock, ticksPerSecond: 60)
        let player = try await filled(FakeAnimation(durations: durations), link)
        var (shown, worst, start) = (0, 0.0, 0.0)
        player.animationFrameHandler = { index, _ in
            let now = clock.now / .seconds(1)
            if shown == 0 { start = now }
            // `due` is the time in seconds between the first frame and this frame. The first refresh at or after this
            // time shows the frame.
            let due = Double(shown / 5) * loop + durations.prefix(shown % 5).reduce(0, +)
            let late = now - start - due
            worst = max(worst, late < -0.001 ? .infinity : late)
            #expect(index == shown % 5)
            shown += 1
        }
        player.startPlaying()
        clock.advance(by: .seconds(3600))
        #expect(worst < 1.0 / 60 + 0.001)
        #expect(abs(shown - Int(3600 / loop * 5)) <= 2 && player.currentLoopCount == Int((3600 - start) / loop))
        player.stopPlaying()
        #expect(clock.waitingCount == 0)
    }

    @Test(.tags(.m5))
    func pausedPlayersDecodeNothing() async throws {
        let clock = VirtualClock()
        let animations = (0..<50).map { _ in FakeAnimation(durations: [Double](repeating: 0.02, count: 30), side: 32) }
        let players = try animations.map { animation in
            let link = VirtualDisplayLink(clock, ticksPerSecond: 60)
            return try #require(AnimatedImagePlayer(provider: animation, displayLink: link, registry: registry))
        }
        players.forEach { $0.startPlaying() }
        clock.advance(by: .milliseconds(500))
        players.forEach { $0.pausePlaying() }
        #expect(clock.waitingCount == 0)
        let decodes = animations.map { $0.decodes.values.reduce(0, +) }
        clock.advance(by: .seconds(3600))
        // A decode that began before the pause can finish after the pause. Each player has at most one such decode.
        for (before, animation) in zip(decodes, animations) {
            #expect(animation.decodes.values.reduce(0, +) <= before + 1)
        }
        players.forEach { $0.stopPlaying() }
    }
}

/// A display link with the given refresh rate in hertz. A virtual clock triggers its ticks.
@MainActor private final class VirtualDisplayLink: DisplayLink {
    private let clock: VirtualClock
    private let interval: Duration
    private var handler: (@MainActor (TimeInterval) -> Void)?
    private var waiting: (any WebImageOperation)?

    init(_ clock: VirtualClock, ticksPerSecond: Int) {
        self.clock = clock
        interval = .seconds(1) / ticksPerSecond
    }

    func start(_ tick: @escaping @MainActor (TimeInterval) -> Void) {
        handler = tick
        schedule(last: nil)
    }

    func stop() {
        waiting?.cancel()
        (handler, waiting) = (nil, nil)
    }

    private func schedule(last: Duration?) {
        waiting = clock.schedule(after: interval) { [weak self] in
            // The assumption is true because the tests advance the clock on the main actor.
            MainActor.assumeIsolated {
                guard let self, let handler = self.handler else { return }
                let now = self.clock.now
                self.schedule(last: now)
                handler(last.map { (now - $0) / .seconds(1) } ?? 0)
            }
        }
    }
}
