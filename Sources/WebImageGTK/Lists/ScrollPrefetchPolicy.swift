/// Decides which rows of a list are loaded before they are visible, and which loads are cancelled: a pure value.
///
/// It is updated with the visible rows after every scroll and needs one range of positions: the visible ones, some
/// screens ahead in the direction of scrolling, and part of a screen behind. During a fast scroll, of more than a
/// screen between two updates, it needs none: the rows would leave the area before their images arrive.
public struct ScrollPrefetchPolicy: Sendable {
    /// The direction of scrolling.
    public enum Direction: Sendable {
        /// Towards higher positions; also before the first scroll.
        case forward
        /// Towards lower positions.
        case backward
    }

    /// The need for a row's image.
    public enum Interest: Int, Sendable, Comparable {
        /// The row is far away: nothing is loaded.
        case none
        /// The row becomes visible soon or was visible recently: loaded after all visible rows.
        case near
        /// The row is visible: loaded first.
        case visible

        /// Orders by urgency.
        public static func < (one: Interest, other: Interest) -> Bool { one.rawValue < other.rawValue }
    }

    /// The changes after a scroll.
    public struct Change: Sendable, Equatable {
        /// Invisible positions whose loads start, the next to become visible first.
        public var prefetch: [Int] = []
        /// Positions that are no longer needed.
        public var cancel: Range<Int> = 0..<0
        /// Further positions that are no longer needed: a smaller window can lose positions at both ends.
        public var cancelBeyond: Range<Int> = 0..<0

        /// All positions that are no longer needed.
        public var cancelled: [Int] { Array(cancel) + Array(cancelBeyond) }
    }

    /// The number of screens loaded ahead; a screen is the number of visible rows.
    public var screensAhead: Double
    /// The number of screens kept behind.
    public var screensBehind: Double
    /// The direction of the last scroll.
    public private(set) var direction = Direction.forward
    /// The visible rows.
    public private(set) var visible = 0..<0
    /// The needed rows: the visible ones and those around them.
    public private(set) var wanted = 0..<0

    /// Whether the last two updates had no visible row in common; update again when the scroll may have ended.
    public private(set) var isRacing = false

    /// Makes a policy; a negative number of screens counts as 0.
    public init(screensAhead: Double = 2, screensBehind: Double = 0.5) {
        self.screensAhead = max(screensAhead, 0)
        self.screensBehind = max(screensBehind, 0)
    }

    /// Returns the need for a position.
    public func interest(in position: Int) -> Interest {
        if visible.contains(position), !isRacing { return .visible }
        return wanted.contains(position) ? .near : .none
    }

    /// Updates the visible rows out of `count`. An empty range means that no row is visible.
    public mutating func update(visible newVisible: Range<Int>, count: Int) -> Change {
        let all = 0..<max(count, 0)
        let now = newVisible.clamped(to: all)
        if !now.isEmpty, !visible.isEmpty, now != visible {
            // With rows of different heights only one end may move; the sum of both gives the direction.
            let move = now.lowerBound + now.upperBound - visible.lowerBound - visible.upperBound
            if move != 0 { direction = move > 0 ? .forward : .backward }
        }
        let before = wanted
        isRacing = !now.isEmpty && !visible.isEmpty && !now.overlaps(visible)
        visible = now
        wanted = isRacing ? 0..<0 : window(around: now, in: all)
        return change(from: before)
    }

    /// Removes every position, for a list with other rows; the direction stays.
    public mutating func reset() -> Change {
        let before = wanted
        (visible, wanted, isRacing) = (0..<0, 0..<0, false)
        return Change(cancel: before)
    }

    private func window(around visible: Range<Int>, in all: Range<Int>) -> Range<Int> {
        guard !visible.isEmpty else { return 0..<0 }
        // A larger number of rows than the list has would overflow.
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
