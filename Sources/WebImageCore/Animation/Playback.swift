package import Foundation

/// Where an animation stands and what time makes of it: a pure value, asked once per refresh of the display.
///
/// The position follows the time that has passed; frames whose time is over before they could be shown are skipped. A
/// loop ends when the frame that play began with would come again.
package struct Playback: Sendable {
    /// What a tick asks the player to do, in this order.
    package enum Event: Equatable, Sendable {
        /// Show this frame, which is ready.
        case show(Int)
        /// This many loops are complete.
        case loop(Int)
        /// The last loop is complete; the frame shown last stays.
        case end
    }

    package var frameCount: Int
    /// Loops to play; 0 is for ever.
    package var totalLoopCount = 0
    package var mode = AnimatedImagePlaybackMode.normal
    package var rate = 1.0
    /// Follow the clock and skip what is late; false shows every frame, however long it takes.
    package var skipsLateFrames = true
    /// Wait at the last frame instead of beginning again, because more frames are on their way.
    package var awaitsMoreFrames = false

    /// The frame whose time it is.
    package private(set) var index = 0
    /// Complete loops.
    package private(set) var loopCount = 0
    /// Seconds the frame at `index` has had.
    package private(set) var elapsed: TimeInterval = 0
    /// The frame shown last; nil before the first.
    package private(set) var shownIndex: Int?
    private var isBackward = false
    /// The last frame there is has had its time, and more are awaited.
    private var isParked = false

    package init(frameCount: Int) { self.frameCount = frameCount }

    /// The rate that counts: a greater one shows no other frames, and its time could not be told from that of many loops.
    var effectiveRate: Double { rate.isFinite ? min(max(rate, 0), 1000) : 0 }

    /// A number of frames that can be counted through at every refresh.
    package static func frames(_ count: Int) -> Int { min(max(count, 0), 1_000_000) }

    /// Puts the position at the frame play begins with, as nothing was shown yet.
    package mutating func reset() {
        index = mode.startsAtEnd ? max(frameCount - 1, 0) : 0
        isBackward = mode.startsAtEnd
        loopCount = 0
        elapsed = 0
        isParked = false
        shownIndex = nil
    }

    /// Moves to a frame, which counts as shown.
    package mutating func seek(to index: Int, loopCount: Int) {
        guard index >= 0, index < frameCount else { return }
        self.index = index
        self.loopCount = min(max(loopCount, 0), 1_000_000_000)
        elapsed = 0
        shownIndex = index
    }

    /// Lets `time` seconds pass.
    ///
    /// - Parameters:
    ///   - duration: seconds a frame is shown at rate 1; positive.
    ///   - isReady: whether a frame can be shown now.
    package mutating func advance(
        by time: TimeInterval, duration: (Int) -> TimeInterval, isReady: (Int) -> Bool
    ) -> [Event] {
        guard frameCount > 1, rate > 0, rate.isFinite else { return [.end] }
        if index >= frameCount { reset() }
        var events: [Event] = []
        if shownIndex == nil {
            // The clock starts with the first picture.
            guard isReady(index) else { return [] }
            shownIndex = index
            events.append(.show(index))
            return events
        }
        guard skipsLateFrames || shownIndex == index else {
            if isReady(index) { events.append(show(index)) }
            return events
        }
        // Time spent waiting for frames that had not arrived is no time of the next one.
        if !isParked { elapsed += Number.elapsedSeconds(time) * effectiveRate }
        isParked = false
        var passed: [Int] = []
        skipWholeLoops(duration)
        while elapsed >= duration(index) {
            guard let next = next() else {
                elapsed = duration(index)
                isParked = true
                break
            }
            elapsed -= duration(index)
            if next.isLoopEnd {
                loopCount += 1
                events.append(.loop(loopCount))
                if totalLoopCount > 0, loopCount >= totalLoopCount { return finished(events, passed, isReady) }
            }
            (index, isBackward) = (next.index, next.isBackward)
            passed.append(index)
            if !skipsLateFrames {
                elapsed = min(elapsed, duration(index))
                break
            }
        }
        // The newest frame there is; an older one is better than none when the newest is late.
        if let ready = passed.last(where: isReady), ready != shownIndex { events.append(show(ready)) }
        if passed.isEmpty, shownIndex != index, isReady(index) { events.append(show(index)) }
        return events
    }

    /// The frames to come in the order of play, each once, the one whose time it is first.
    ///
    /// - Parameter leading: frames to pass over, because what is late already need not be decoded.
    package func upcoming(_ count: Int, leading: Int = 0) -> [Int] {
        guard frameCount > 0 else { return [] }
        var walker = self
        walker.index = min(index, frameCount - 1)
        for _ in 0..<min(max(leading, 0), Self.mostUpcoming) { walker.step() }
        var frames = [walker.index]
        var seen: Set<Int> = [walker.index]
        let wanted = min(count, frameCount, Self.mostUpcoming)
        // A bounce passes most frames twice before the last has come.
        var steps = mode.turns ? wanted * 2 : wanted
        while frames.count < wanted, steps > 0 {
            walker.step()
            steps -= 1
            if seen.insert(walker.index).inserted { frames.append(walker.index) }
        }
        return frames
    }

    /// No store decodes further ahead; made anew at every refresh, a longer list would cost more than drawing.
    private static let mostUpcoming = 4096

    private mutating func step() {
        guard frameCount > 1, let next = next() else { return }
        (index, isBackward) = (next.index, next.isBackward)
    }

    private mutating func show(_ index: Int) -> Event {
        shownIndex = index
        return .show(index)
    }

    private mutating func finished(_ events: [Event], _ passed: [Int], _ isReady: (Int) -> Bool) -> [Event] {
        var events = events
        if let ready = passed.last(where: isReady), ready != shownIndex {
            events.insert(show(ready), at: max(events.count - 1, 0))
        }
        return events + [.end]
    }

    /// After a long sleep whole loops are counted, not walked.
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
