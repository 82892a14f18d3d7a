/// A queue of elements, ordered by priority. Elements of the same priority are ordered by arrival. Each element has a
/// number. The owner moves or removes an element by this number.
///
/// Each priority has two lanes, one for large and one for small elements, so that the first small element is found
/// without a search. All operations take amortised constant time: when an element is moved or removed, its number
/// stays in the old lane and is skipped later. The queue has no lock. The owner of the queue must synchronise access.
package struct PriorityQueue<Element> {
    private struct Lane {
        var numbers: [(id: UInt64, turn: UInt64)] = []
        var start = 0
    }

    private struct LaneName: Hashable {
        let priority: LoadPriority
        let isLarge: Bool
    }

    private struct Entry {
        let element: Element
        var lane: LaneName
        /// The arrival number of the element in its lane. A lane keeps the positions that the element had before it was
        /// moved. These positions contain another `turn`, and the queue skips them.
        var turn: UInt64
    }

    private var entries: [UInt64: Entry] = [:]
    private var lanes: [LaneName: Lane] = [:]
    private var lastTurn: UInt64 = 0
    private var counts = PriorityCounts()
    private static var order: [LoadPriority] { [.high, .normal, .low] }

    package init() {}

    var count: Int { entries.count }

    /// The number of elements with at least normal priority.
    var countWithoutLow: Int { counts.normalOrHigher }

    /// The next element.
    package var first: Element? {
        mutating get {
            for priority in Self.order {
                if let id = firstID(of: priority) { return entries[id]?.element }
            }
            return nil
        }
    }

    /// The next small element. Large elements are skipped.
    var firstSmall: Element? {
        mutating get {
            for priority in Self.order {
                if let front = front(LaneName(priority: priority, isLarge: false)) { return entries[front.id]?.element }
            }
            return nil
        }
    }

    package mutating func append(_ element: Element, id: UInt64, priority: LoadPriority, isLarge: Bool = false) {
        let lane = LaneName(priority: priority, isLarge: isLarge)
        counts.add(priority)
        entries[id] = Entry(element: element, lane: lane, turn: join(lane, id))
    }

    /// Moves an element to the end of the lane for `priority`. Does nothing if the element is already in that lane or
    /// is not in the queue any more.
    mutating func move(_ id: UInt64, to priority: LoadPriority) {
        guard let entry = entries[id], entry.lane.priority != priority else { return }
        let lane = LaneName(priority: priority, isLarge: entry.lane.isLarge)
        counts.remove(entry.lane.priority)
        counts.add(priority)
        entries[id] = Entry(element: entry.element, lane: lane, turn: join(lane, id))
    }

    package mutating func remove(_ id: UInt64) -> Element? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        counts.remove(entry.lane.priority)
        return entry.element
    }

    private mutating func join(_ lane: LaneName, _ id: UInt64) -> UInt64 {
        lastTurn += 1
        lanes[lane, default: Lane()].numbers.append((id, lastTurn))
        return lastTurn
    }

    private mutating func firstID(of priority: LoadPriority) -> UInt64? {
        let small = front(LaneName(priority: priority, isLarge: false))
        let large = front(LaneName(priority: priority, isLarge: true))
        guard let small, let large else { return (small ?? large)?.id }
        return small.turn < large.turn ? small.id : large.id
    }

    private mutating func front(_ name: LaneName) -> (id: UInt64, turn: UInt64)? {
        while let lane = lanes[name], lane.start < lane.numbers.count {
            let number = lane.numbers[lane.start]
            if entries[number.id]?.turn == number.turn { return number }
            drop(name)
        }
        return nil
    }

    /// Removes the number at the front of a lane. Shortens the array only when more than half of it is
    /// unused, so that the cost is amortised constant.
    private mutating func drop(_ name: LaneName) {
        lanes[name]?.start += 1
        guard let lane = lanes[name], lane.start > 32, lane.start * 2 > lane.numbers.count else { return }
        lanes[name]?.numbers.removeFirst(lane.start)
        lanes[name]?.start = 0
    }
}
