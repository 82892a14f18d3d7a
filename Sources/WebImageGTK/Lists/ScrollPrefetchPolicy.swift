/// Which rows of a list are loaded before they are seen, and which are given up: a pure decision.
///
/// Told what is visible after every scroll, it keeps one run of positions wanted: the visible ones, some screens in the
/// direction of travel, and a little of what was just passed. The rest is what scrolled away. While the list races, more
/// than a screen from one look to the next, nothing is wanted: it would have scrolled away before it came.
public struct ScrollPrefetchPolicy: Sendable {
    /// Where the user goes.
    public enum Direction: Sendable {
        /// To higher positions; also before the first scroll.
        case forward
        /// To lower ones.
        case backward
    }

    /// How much a row is wanted.
    public enum Interest: Int, Sendable, Comparable {
        /// It is far away: nothing is loaded for it.
        case none
        /// It comes soon, or was just passed: loaded after everything visible.
        case near
        /// It is looked at: loaded first.
        case visible

        /// By urgency.
        public static func < (one: Interest, other: Interest) -> Bool { one.rawValue < other.rawValue }
    }

    /// What a scroll changes.
    public struct Change: Sendable, Equatable {
        /// Positions to load from now on that are not visible, the soonest first.
        public var prefetch: [Int] = []
        /// Positions that are wanted no more.
        public var cancel: Range<Int> = 0..<0
        /// More of them: a window that grows smaller can lose both its ends.
        public var cancelBeyond: Range<Int> = 0..<0

        /// Every position that is wanted no more.
        public var cancelled: [Int] { Array(cancel) + Array(cancelBeyond) }
    }

    /// Screens loaded ahead; a screen is as many rows as are visible.
    public var screensAhead: Double
    /// Screens kept behind.
    public var screensBehind: Double
    /// The direction of the last scroll.
    public private(set) var direction = Direction.forward
    /// The rows looked at.
    public private(set) var visible = 0..<0
    /// The rows wanted: the visible ones and those around them.
    public private(set) var wanted = 0..<0

    /// Whether the last two looks had no row in common; look again when the list may rest.
    public private(set) var isRacing = false

    /// A policy that has seen nothing yet; negative numbers of screens count as none.
    public init(screensAhead: Double = 2, screensBehind: Double = 0.5) {
        self.screensAhead = max(screensAhead, 0)
        self.screensBehind = max(screensBehind, 0)
    }

    /// How much a position is wanted.
    public func interest(in position: Int) -> Interest {
        if visible.contains(position), !isRacing { return .visible }
        return wanted.contains(position) ? .near : .none
    }

    /// Takes note of what is visible out of `count` rows. An empty range means that nothing is.
    public mutating func update(visible newVisible: Range<Int>, count: Int) -> Change {
        let all = 0..<max(count, 0)
        let now = newVisible.clamped(to: all)
        if !now.isEmpty, !visible.isEmpty, now != visible {
            // Rows of unlike height make one end move alone; the sum of both tells the way.
            let move = now.lowerBound + now.upperBound - visible.lowerBound - visible.upperBound
            if move != 0 { direction = move > 0 ? .forward : .backward }
        }
        let before = wanted
        isRacing = !now.isEmpty && !visible.isEmpty && !now.overlaps(visible)
        visible = now
        wanted = isRacing ? 0..<0 : window(around: now, in: all)
        return change(from: before)
    }

    /// Forgets every position, as when the rows are others; the direction stays.
    public mutating func reset() -> Change {
        let before = wanted
        (visible, wanted, isRacing) = (0..<0, 0..<0, false)
        return Change(cancel: before)
    }

    private func window(around visible: Range<Int>, in all: Range<Int>) -> Range<Int> {
        guard !visible.isEmpty else { return 0..<0 }
        // More rows than a list holds would overflow.
        func rows(_ screens: Double) -> Int {
            Int(min((screens * Double(visible.count)).rounded(.up), Double(all.count)))
        }
        let (ahead, behind) = (rows(screensAhead), rows(screensBehind))
        let (before, after) = direction == .forward ? (behind, ahead) : (ahead, behind)
        return max(visible.lowerBound - before, 0)..<min(visible.upperBound + after, all.count)
    }

    private func change(from before: Range<Int>) -> Change {
        var change = Change()
        let after = wanted
        if after.isEmpty || before.isEmpty || !before.overlaps(after) {
            change.cancel = before
        } else {
            change.cancel = before.lowerBound..<max(before.lowerBound, after.lowerBound)
            change.cancelBeyond = min(before.upperBound, after.upperBound)..<before.upperBound
        }
        guard !after.isEmpty else { return change }
        let ahead = Array(visible.upperBound..<max(visible.upperBound, after.upperBound))
        let behind = Array((min(after.lowerBound, visible.lowerBound)..<visible.lowerBound).reversed())
        let soonest = direction == .forward ? ahead + behind : behind + ahead
        change.prefetch = soonest.filter { !before.contains($0) }
        return change
    }
}
