import Foundation
import Testing
import WebImageCore

/// Tests the policy that chooses the frame for each tick. The policy is a value type, so the tests need no clock and
/// no decoder.
struct PlaybackTests {
    private func shown(
        _ playback: inout Playback, ticks: Int, of seconds: TimeInterval, frame: TimeInterval = 0.1,
        ready: (Int) -> Bool = { _ in true }
    ) -> [Playback.Event] {
        (0..<ticks).flatMap { _ in playback.advance(by: seconds, duration: { _ in frame }, isReady: ready) }
    }

    private func playback(_ count: Int, _ mode: AnimatedImagePlaybackMode = .normal, loops: Int = 0) -> Playback {
        var playback = Playback(frameCount: count)
        playback.mode = mode
        playback.totalLoopCount = loops
        playback.reset()
        return playback
    }

    @Test(arguments: [
        (AnimatedImagePlaybackMode.normal, [0, 1, 2, 3, 0, 1]), (.reverse, [3, 2, 1, 0, 3, 2]),
        (.bounce, [0, 1, 2, 3, 2, 1]), (.reversedBounce, [3, 2, 1, 0, 1, 2]),
    ])
    func framesFollowThePlaybackMode(_ mode: AnimatedImagePlaybackMode, _ expected: [Int]) {
        var playback = playback(4, mode)
        let frames = shown(&playback, ticks: 6, of: 0.1).compactMap { event -> Int? in
            if case .show(let index) = event { return index }
            return nil
        }
        #expect(frames == expected)
    }

    @Test(arguments: [(AnimatedImagePlaybackMode.normal, 2), (.reverse, 0), (.bounce, 1), (.reversedBounce, 1)])
    func playbackEndsOnTheLastFrameAfterItsLoops(_ mode: AnimatedImagePlaybackMode, _ last: Int) {
        var playback = playback(3, mode, loops: 2)
        var events: [Playback.Event] = []
        while events.last != .end, events.count < 100 { events += shown(&playback, ticks: 1, of: 0.1) }
        #expect(events.filter { $0 == .loop(1) || $0 == .loop(2) } == [.loop(1), .loop(2)])
        #expect(events.last == .end)
        #expect(events.last { if case .show = $0 { true } else { false } } == .show(last))
    }

    /// After the end, the last shown frame stays visible. Playback must therefore wait for the last frame of the
    /// animation, even if its decode is late.
    @Test(arguments: [(AnimatedImagePlaybackMode.normal, 2), (.reverse, 0), (.bounce, 1), (.reversedBounce, 1)])
    func endIsReportedAfterTheLastFrameIsShown(_ mode: AnimatedImagePlaybackMode, _ last: Int) {
        var playback = playback(3, mode, loops: 1)
        let first = mode == .reverse || mode == .reversedBounce ? 2 : 0
        #expect(shown(&playback, ticks: 1, of: 0) == [.show(first)])
        #expect(shown(&playback, ticks: 5, of: 10, ready: { $0 == first }).allSatisfy { $0 == .show(first) })
        // The last frame is the next to be decoded, even if playback skips 100 late frames.
        #expect(playback.upcoming(3, leading: 100).first == last)
        #expect(shown(&playback, ticks: 1, of: 0) == [.show(last), .loop(1), .end])
    }

    @Test func clockStartsWithTheFirstShownFrame() {
        var playback = playback(3)
        #expect(shown(&playback, ticks: 50, of: 0.1, ready: { _ in false }).isEmpty)
        #expect(shown(&playback, ticks: 1, of: 5) == [.show(0)])
        #expect(playback.index == 0)
    }

    @Test func lateFramesAreSkipped() {
        var playback = playback(10)
        _ = shown(&playback, ticks: 1, of: 0)
        #expect(shown(&playback, ticks: 1, of: 0.35) == [.show(3)])
        // Frame 6 is due, but of the frames up to 6 only frame 4 is decoded. The player shows frame 4.
        #expect(shown(&playback, ticks: 1, of: 0.3, ready: { $0 == 4 }) == [.show(4)])
        #expect(playback.index == 6)
        #expect(shown(&playback, ticks: 1, of: 0.001) == [.show(6)])
    }

    @Test func lateFramesStopTheClockOnRequest() {
        var playback = playback(10)
        playback.skipsLateFrames = false
        _ = shown(&playback, ticks: 1, of: 0)
        #expect(shown(&playback, ticks: 1, of: 0.95) == [.show(1)])
        #expect(shown(&playback, ticks: 20, of: 0.1, ready: { $0 < 2 }).isEmpty)
        #expect(playback.index == 2)
        #expect(shown(&playback, ticks: 1, of: 0.1) == [.show(2)])
    }

    @Test func clockHasNoDriftAfterAnHour() {
        let durations = [0.04, 0.1, 0.033, 0.25, 0.077]
        var playback = Playback(frameCount: durations.count)
        playback.reset()
        _ = playback.advance(by: 0, duration: { durations[$0] }, isReady: { _ in true })
        var ticks = 0
        // The frame durations are not multiples of the refresh interval (60 Hz), so rounding errors could add up.
        while ticks < 3600 * 60 {
            _ = playback.advance(by: 1.0 / 60, duration: { durations[$0] }, isReady: { _ in true })
            ticks += 1
        }
        let position =
            Double(playback.loopCount) * durations.reduce(0, +) + durations.prefix(playback.index).reduce(0, +)
            + playback.elapsed
        #expect(abs(position - 3600) < 0.001)
    }

    @Test func suspendedDayNeedsOneTick() {
        var playback = playback(7)
        _ = shown(&playback, ticks: 1, of: 0)
        var asked = 0
        _ = playback.advance(
            by: 86_400 * 365,
            duration: { _ in
                asked += 1
                return 0.01
            }, isReady: { _ in true })
        // A step over one year needs fewer than 100 duration queries. One query per frame would be three billion
        // queries.
        #expect(asked < 100)
        #expect(playback.loopCount > 400_000_000)
    }

    @Test func playbackRateScalesTime() {
        var fast = playback(10)
        fast.rate = 2
        _ = shown(&fast, ticks: 1, of: 0)
        #expect(shown(&fast, ticks: 1, of: 0.1) == [.show(2)])
        fast.rate = 0
        #expect(shown(&fast, ticks: 1, of: 0.1) == [.end])
        fast.rate = .nan
        #expect(shown(&fast, ticks: 1, of: 0.1) == [.end])
    }

    @Test func timeAfterASeekCountsEvenIfPlaybackWasWaiting() {
        var playback = playback(3)
        playback.awaitsMoreFrames = true
        _ = shown(&playback, ticks: 8, of: 0.1)
        playback.seek(to: 0, loopCount: 0)
        #expect(shown(&playback, ticks: 1, of: 0.1) == [.show(1)])
    }

    @Test func partialAnimationWaitsAtItsLastFrameAndContinues() {
        var playback = playback(3)
        playback.awaitsMoreFrames = true
        #expect(shown(&playback, ticks: 30, of: 0.1).last == .show(2))
        #expect(playback.index == 2 && playback.loopCount == 0)
        playback.frameCount = 6
        #expect(shown(&playback, ticks: 2, of: 0.1) == [.show(3), .show(4)])
        playback.awaitsMoreFrames = false
        #expect(shown(&playback, ticks: 2, of: 0.1) == [.show(5), .loop(1), .show(0)])
    }

    @Test func upcomingFramesAreUniqueAndInPlaybackOrder() {
        var forward = playback(4)
        forward.seek(to: 2, loopCount: 0)
        #expect(forward.upcoming(4) == [2, 3, 0, 1])
        #expect(forward.upcoming(2, leading: 1) == [3, 0])
        #expect(playback(4, .bounce).upcoming(10) == [0, 1, 2, 3])
        #expect(playback(3, .reverse).upcoming(3) == [2, 1, 0])
    }
}
