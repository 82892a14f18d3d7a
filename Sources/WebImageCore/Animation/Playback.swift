package import Foundation

/// The position in an animation during playback. It is a pure value. The player advances it at each refresh of the
/// display.
///
/// The position follows the elapsed time. If the time of a frame ends before the frame can be shown, the frame is
/// skipped. A loop ends when the first frame of the playback order is due again.
package struct Playback: Sendable {
    /// An action that the player must perform after a tick. The player performs the actions of a tick in list order.
    package enum Event: Equatable, Sendable {
        /// Show the frame with this index. The frame is ready.
        case show(Int)
        /// A loop is complete. The value is the number of complete loops.
        case loop(Int)
        /// Playback has ended. The frame that was shown last stays visible. Reasons: the last loop is complete, the
        /// rate is not positive or not finite, or there are fewer than two frames.
        case end
    }

    package var frameCount: Int
    /// The number of loops to play; 0 means forever.
    package var totalLoopCount = 0
    package var mode = AnimatedImagePlaybackMode.normal
    package var rate = 1.0
    /// Whether playback follows the clock and skips late frames. If false, playback shows every frame, even if this
    /// makes the animation slower.
    package var skipsLateFrames = true
    /// Whether more frames are being downloaded. If true, forward playback waits at the last available frame.
    package var awaitsMoreFrames = false

    /// The index of the frame that is due.
    package private(set) var index = 0
    /// The number of complete loops.
    package private(set) var loopCount = 0
    /// The seconds of playback time (real time multiplied by the rate) since the frame at `index` became due.
    package private(set) var elapsed: TimeInterval = 0
    /// The index of the frame that was shown last; nil before the first frame is shown.
    private(set) var shownIndex: Int?
    private var isBackward = false
    /// Whether the duration of the current frame has passed and playback waits for a frame to arrive or to be decoded.
    private var isWaitingForFrame = false

    package init(frameCount: Int) { self.frameCount = frameCount }

    /// The playback rate, limited to the range from 0 to 1000; 0 if `rate` is not finite. The reason for the limit:
    /// with a very high rate, the elapsed time would become too large for the precision of `Double`.
    var effectiveRate: Double { rate.isFinite ? min(max(rate, 0), 1000) : 0 }

    /// Limits a number of frames to one million, because a refresh can iterate over all frames.
    package static func frames(_ count: Int) -> Int { min(max(count, 0), 1_000_000) }

    /// Moves the position to the first frame of the playback order. Sets the loop count to 0 and `shownIndex` to nil.
    package mutating func reset() {
        index = mode.startsAtEnd ? max(frameCount - 1, 0) : 0
        isBackward = mode.startsAtEnd
        loopCount = 0
        elapsed = 0
        isWaitingForFrame = false
        shownIndex = nil
    }

    /// Moves the position to a frame and marks this frame as shown. The caller must display the frame. Does nothing if
    /// `index` is out of range.
    package mutating func seek(to index: Int, loopCount: Int) {
        guard index >= 0, index < frameCount else { return }
        self.index = index
        self.loopCount = min(max(loopCount, 0), 1_000_000_000)
        elapsed = 0
        isWaitingForFrame = false
        shownIndex = index
    }

    /// Advances the position by `time` seconds and returns the actions for the player.
    ///
    /// - Parameters:
    ///   - duration: returns how long a frame is shown at rate 1, in seconds. The result must be positive.
    ///   - isReady: returns whether a frame can be shown now.
    package mutating func advance(
        by time: TimeInterval, duration: (Int) -> TimeInterval, isReady: (Int) -> Bool
    ) -> [Event] {
        guard frameCount > 1, rate > 0, rate.isFinite else { return [.end] }
        if index >= frameCount { reset() }
        var events: [Event] = []
        if shownIndex == nil {
            // The elapsed time counts only after the first frame has been shown.
            guard isReady(index) else { return [] }
            shownIndex = index
            events.append(.show(index))
            return events
        }
        guard skipsLateFrames || shownIndex == index else {
            if isReady(index) { events.append(show(index)) }
            return events
        }
        // Do not count the time for which playback waits for a frame. Otherwise the frame would be shown too briefly.
        if !isWaitingForFrame { elapsed += NumberLimits.elapsedSeconds(time) * effectiveRate }
        isWaitingForFrame = false
        var passed: [Int] = []
        skipWholeLoops(duration)
        while elapsed >= duration(index) {
            guard let next = next() else {
                elapsed = duration(index)
                isWaitingForFrame = true
                break
            }
            if endsPlayback(next.isLoopEnd), shownIndex != index, !isReady(index) {
                // The last frame stays visible after the end. Therefore delay the end until this frame can be shown.
                elapsed = duration(index)
                isWaitingForFrame = true
                break
            }
            elapsed -= duration(index)
            if next.isLoopEnd {
                let isEnd = endsPlayback(true)
                loopCount += 1
                if isEnd, shownIndex != index { events.append(show(index)) }
                events.append(.loop(loopCount))
                if isEnd { return events + [.end] }
            }
            (index, isBackward) = (next.index, next.isBackward)
            passed.append(index)
            if !skipsLateFrames {
                elapsed = min(elapsed, duration(index))
                break
            }
        }
        // Show the last frame in `passed` that is ready.
        if let ready = passed.last(where: isReady), ready != shownIndex { events.append(show(ready)) }
        if passed.isEmpty, shownIndex != index, isReady(index) { events.append(show(index)) }
        return events
    }

    /// Returns the indices of the next frames in playback order, without duplicates. The list begins with the frame
    /// that is due now, unless `leading` is greater than 0.
    ///
    /// - Parameters:
    ///   - count: the maximum length of the list.
    ///   - leading: the number of frames to omit at the start of the list. Decodes of these frames would end too late.
    package func upcoming(_ count: Int, leading: Int = 0) -> [Int] {
        guard frameCount > 0 else { return [] }
        var lookahead = self
        lookahead.index = min(index, frameCount - 1)
        for _ in 0..<min(max(leading, 0), Self.mostUpcoming) {
            // Do not skip the last frame before the end: playback waits for this frame even if it is late.
            guard let next = lookahead.next(), !lookahead.endsPlayback(next.isLoopEnd) else { break }
            lookahead.step()
        }
        var frames = [lookahead.index]
        var seen: Set<Int> = [lookahead.index]
        let wanted = min(count, frameCount, Self.mostUpcoming)
        // In a bounce mode, most frames are passed twice before all frames have been visited.
        var steps = mode.turns ? wanted * 2 : wanted
        while frames.count < wanted, steps > 0 {
            lookahead.step()
            steps -= 1
            if seen.insert(lookahead.index).inserted { frames.append(lookahead.index) }
        }
        return frames
    }

    /// The maximum length of the list of upcoming frames. The list is computed at every refresh. The computation of a
    /// longer list would take more time than the drawing of a frame.
    private static let mostUpcoming = 4096

    private mutating func step() {
        guard frameCount > 1, let next = next() else { return }
        (index, isBackward) = (next.index, next.isBackward)
    }

    private mutating func show(_ index: Int) -> Event {
        shownIndex = index
        return .show(index)
    }

    /// Returns whether playback ends after the current frame.
    ///
    /// - Parameter isLoopEnd: whether the current frame is the last frame of its loop.
    private func endsPlayback(_ isLoopEnd: Bool) -> Bool {
        isLoopEnd && totalLoopCount > 0 && loopCount + 1 >= totalLoopCount
    }

    /// After a long pause, counts all whole loops in one step. A separate step for each frame could take seconds.
    private mutating func skipWholeLoops(_ duration: (Int) -> TimeInterval) {
        guard skipsLateFrames, !awaitsMoreFrames, elapsed > duration(index) * 2 else { return }
        var loop = (0..<frameCount).reduce(0) { $0 + duration($1) }
        if mode.turns { loop = loop * 2 - duration(0) - duration(frameCount - 1) }
        guard loop > 0, elapsed > loop * 2 else { return }
        var whole = (elapsed / loop).rounded(.down) - 1
        if totalLoopCount > 0 { whole = min(whole, Double(max(totalLoopCount - 1 - loopCount, 0))) }
        elapsed -= whole * loop
        loopCount += Int(min(whole, 1e9))
    }

    private func next() -> (index: Int, isBackward: Bool, isLoopEnd: Bool)? {
        let last = frameCount - 1
        switch mode {
        case .normal:
            if index >= last { return awaitsMoreFrames ? nil : (0, false, true) }
            return (index + 1, false, false)
        case .reverse:
            return index <= 0 ? (last, true, true) : (index - 1, true, false)
        case .bounce, .reversedBounce:
            if !isBackward, index >= last, awaitsMoreFrames { return nil }
            let backward = index >= last ? true : index <= 0 ? false : isBackward
            let next = backward ? index - 1 : index + 1
            return (next, backward, next == (mode.startsAtEnd ? last : 0))
        }
    }
}
