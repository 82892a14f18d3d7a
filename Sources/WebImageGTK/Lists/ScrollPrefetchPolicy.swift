/// Decides which rows of a list are loaded before these rows are visible. Also decides which loads are cancelled. A
/// pure value.
///
/// Receives the visible positions after every scroll and computes one range of wanted positions: the visible rows, some
/// screens in the scroll direction, and some rows that were visible a short time ago. All other rows are not loaded.
/// While the list moves more than a screen between two updates, no row is wanted, because a row would scroll away
/// before its image arrives.
public struct ScrollPrefetchPolicy: Sendable {
    /// The scroll direction.
    public enum Direction: Sendable {
        /// Towards higher positions. This is also the direction before the first scroll.
        case forward
        /// Towards lower positions.
        case backward
    }

    /// The urgency of a row's load.
    public enum Interest: Int, Sendable, Comparable {
        /// The row is far away. Its image is not loaded.
        case none
        /// The row becomes visible soon, or was visible a short time ago. Its image is loaded after the images of all
        /// visible rows.
        case near
        /// The row is visible. Its image is loaded first.
        case visible

        /// Orders by urgency.
        public static func < (one: Interest, other: Interest) -> Bool { one.rawValue < other.rawValue }
    }

    /// The positions that an update adds to the wanted positions, and the positions that it removes.
    public struct Change: Sendable, Equatable {
        /// Invisible positions that are wanted from now on, with the most urgent position first.
        public var prefetch: [Int] = []
        /// Positions that are no longer wanted.
        public var cancel: Range<Int> = 0..<0
        /// A second range of positions that are no longer wanted. The second range exists because the wanted range can
        /// lose positions at both ends.
        public var cancelBeyond: Range<Int> = 0..<0

        /// All positions that are no longer wanted.
        public var cancelled: [Int] { Array(cancel) + Array(cancelBeyond) }
    }

    /// The number of screens that are loaded ahead of the visible rows. The number of rows of one screen is the number
    /// of visible rows. A number that is negative or not a number counts as 0. At most ``maxRows`` rows are loaded.
    public var screensAhead: Double
    /// The number of screens that remain loaded behind the visible rows; with the same limits as ``screensAhead``.
    public var screensBehind: Double
    /// The direction of the last scroll.
    public private(set) var direction = Direction.forward
    /// The visible rows.
    public private(set) var visible = 0..<0
    /// The wanted rows: the visible rows and the rows around them.
    public private(set) var wanted = 0..<0

    /// Whether the last two updates had no visible row in common. If true, no row is wanted. The owner of the policy
    /// must then call ``update(visible:count:)`` again in the next frame, even without a scroll. If the list has
    /// stopped, this call makes the visible rows wanted again.
    public private(set) var isRacing = false

    /// The maximum number of invisible rows that are loaded ahead of the visible rows, and also behind them: 10,000.
    public static let maxRows = 10_000

    /// Makes a policy without visible rows.
    public init(screensAhead: Double = 2, screensBehind: Double = 0.5) {
        self.screensAhead = screensAhead
        self.screensBehind = screensBehind
    }

    /// Returns the urgency of a position.
    public func interest(in position: Int) -> Interest {
        if visible.contains(position), !isRacing { return .visible }
        return wanted.contains(position) ? .near : .none
    }

    /// Sets the visible rows out of `count` rows, and returns the loads to start and to cancel. An empty range means
    /// that no row is visible.
    public mutating func update(visible newVisible: Range<Int>, count: Int) -> Change {
        let all = 0..<max(count, 0)
        let now = newVisible.clamped(to: all)
        if !now.isEmpty, !visible.isEmpty, now != visible {
            // If rows differ in height, a scroll may move only one end of the visible range. The sum of both ends shows
            // the direction in every case.
            let (start, end) = (now.lowerBound - visible.lowerBound, now.upperBound - visible.upperBound)
            if start != -end { direction = start > -end ? .forward : .backward }
        }
        let before = wanted
        isRacing = !now.isEmpty && !visible.isEmpty && !now.overlaps(visible)
        visible = now
        wanted = isRacing ? 0..<0 : window(around: now, in: all)
        return change(from: before)
    }

    /// Removes every position, for example when the rows were replaced. The direction is unchanged.
    public mutating func reset() -> Change {
        let before = wanted
        (visible, wanted, isRacing) = (0..<0, 0..<0, false)
        return Change(cancel: before)
    }

    private func window(around visible: Range<Int>, in all: Range<Int>) -> Range<Int> {
        guard !visible.isEmpty else { return 0..<0 }
        // Limit the number, because a huge number of screens would overflow `Int`. The comparison is false for NaN.
        func rows(_ screens: Double) -> Int {
            screens > 0 ? Int(min((screens * Double(visible.count)).rounded(.up), Double(Self.maxRows))) : 0
        }
        let (ahead, behind) = (rows(screensAhead), rows(screensBehind))
        let (before, after) = direction == .forward ? (behind, ahead) : (ahead, behind)
        return max(visible.lowerBound - before, 0)..<visible.upperBound + min(after, all.count - visible.upperBound)
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
