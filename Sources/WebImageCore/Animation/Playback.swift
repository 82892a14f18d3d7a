package import Foundation

/// The position of an animation and its change over time: a pure value, advanced once per refresh of the display.
///
/// The position follows the elapsed time; frames that become overdue before they could be shown are skipped. A loop ends
/// when the frame that playback began with is due again.
package struct Playback: Sendable {
    /// An action that a tick requests from the player; actions are performed in order.
    package enum Event: Equatable, Sendable {
        /// Show this frame, which is ready.
        case show(Int)
        /// This many loops are complete.
        case loop(Int)
        /// The last loop is complete; its last frame, shown before this event, stays.
        case end
    }

    package var frameCount: Int
    /// The number of loops to play; 0 means forever.
    package var totalLoopCount = 0
    package var mode = AnimatedImagePlaybackMode.normal
    package var rate = 1.0
    /// Follow the clock and skip late frames; false shows every frame, however long it takes.
    package var skipsLateFrames = true
    /// Wait at the last frame instead of beginning again, because more frames are arriving.
    package var awaitsMoreFrames = false

    /// The index of the frame that is due.
    package private(set) var index = 0
    /// The number of complete loops.
    package private(set) var loopCount = 0
    /// The seconds that the frame at `index` has been due.
    package private(set) var elapsed: TimeInterval = 0
    /// The index of the frame shown last; nil before the first.
    package private(set) var shownIndex: Int?
    private var isBackward = false
    /// Whether the last available frame has had its time and playback waits for more.
    private var isWaitingForFrame = false

    package init(frameCount: Int) { self.frameCount = frameCount }

    /// The effective rate, at most 1000: a higher rate shows no other frames, and its time could not be distinguished
    /// from that of many loops.
    var effectiveRate: Double { rate.isFinite ? min(max(rate, 0), 1000) : 0 }

    /// Limits a number of frames so that they can be counted at every refresh.
    package static func frames(_ count: Int) -> Int { min(max(count, 0), 1_000_000) }

    /// Moves the position to the frame that playback begins with; no frame counts as shown.
    package mutating func reset() {
        index = mode.startsAtEnd ? max(frameCount - 1, 0) : 0
        isBackward = mode.startsAtEnd
        loopCount = 0
        elapsed = 0
        isWaitingForFrame = false
        shownIndex = nil
    }

    /// Moves to a frame, which then counts as shown.
    package mutating func seek(to index: Int, loopCount: Int) {
        guard index >= 0, index < frameCount else { return }
        self.index = index
        self.loopCount = min(max(loopCount, 0), 1_000_000_000)
        elapsed = 0
        shownIndex = index
    }

    /// Advances the position by `time` seconds.
    ///
    /// - Parameters:
    ///   - duration: seconds that a frame is shown at rate 1; positive.
    ///   - isReady: whether a frame can be shown now.
    package mutating func advance(
        by time: TimeInterval, duration: (Int) -> TimeInterval, isReady: (Int) -> Bool
    ) -> [Event] {
        guard frameCount > 1, rate > 0, rate.isFinite else { return [.end] }
        if index >= frameCount { reset() }
        var events: [Event] = []
        if shownIndex == nil {
            // The clock starts with the first shown frame.
            guard isReady(index) else { return [] }
            shownIndex = index
            events.append(.show(index))
            return events
        }
        guard skipsLateFrames || shownIndex == index else {
            if isReady(index) { events.append(show(index)) }
            return events
        }
        // Time spent waiting for frames that had not arrived does not count for the next frame.
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
                // The last frame stays visible after the end, so the end waits until the frame can be shown.
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
        // Show the newest ready frame; an older one is better than none when the newest is late.
        if let ready = passed.last(where: isReady), ready != shownIndex { events.append(show(ready)) }
        if passed.isEmpty, shownIndex != index, isReady(index) { events.append(show(index)) }
        return events
    }

    /// Returns the next frames in playback order, each once, the due frame first.
    ///
    /// - Parameter leading: the number of frames to skip, because frames that are already late need no decode.
    package func upcoming(_ count: Int, leading: Int = 0) -> [Int] {
        guard frameCount > 0 else { return [] }
        var lookahead = self
        lookahead.index = min(index, frameCount - 1)
        for _ in 0..<min(max(leading, 0), Self.mostUpcoming) {
            // Playback waits for its last frame, however late the frame is.
            guard let next = lookahead.next(), !lookahead.endsPlayback(next.isLoopEnd) else { break }
            lookahead.step()
        }
        var frames = [lookahead.index]
        var seen: Set<Int> = [lookahead.index]
        let wanted = min(count, frameCount, Self.mostUpcoming)
        // A bounce passes most frames twice before it reaches the last one.
        var steps = mode.turns ? wanted * 2 : wanted
        while frames.count < wanted, steps > 0 {
            lookahead.step()
            steps -= 1
            if seen.insert(lookahead.index).inserted { frames.append(lookahead.index) }
        }
        return frames
    }

    /// The maximum length of the list: no store decodes further ahead. The list is made at every refresh; a longer one
    /// would cost more than drawing.
    private static let mostUpcoming = 4096

    private mutating func step() {
        guard frameCount > 1, let next = next() else { return }
        (index, isBackward) = (next.index, next.isBackward)
    }

    private mutating func show(_ index: Int) -> Event {
        shownIndex = index
        return .show(index)
    }

    /// Whether playback ends after the current frame. `isLoopEnd` is whether the current loop ends after that frame.
    private func endsPlayback(_ isLoopEnd: Bool) -> Bool {
        isLoopEnd && totalLoopCount > 0 && loopCount + 1 >= totalLoopCount
    }

    /// Counts whole loops after a long sleep instead of stepping through them.
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
