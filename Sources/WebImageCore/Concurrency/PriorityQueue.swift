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

    private struct LaneName {
        let priority: LoadPriority
        let isLarge: Bool

        /// The place of the lane in ``PriorityQueue/lanes``.
        var index: Int { (priority == .high ? 0 : priority == .normal ? 2 : 4) + (isLarge ? 1 : 0) }
    }

    private struct Entry {
        let element: Element
        let lane: LaneName
        /// The arrival number of the element in its lane. A lane keeps the positions that the element had before it was
        /// moved. These positions contain another `turn`, and the queue skips them.
        let turn: UInt64
    }

    private var entries: [UInt64: Entry] = [:]
    private var lanes = [Lane](repeating: Lane(), count: 6)
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
        lanes[lane.index].numbers.append((id, lastTurn))
        return lastTurn
    }

    private mutating func firstID(of priority: LoadPriority) -> UInt64? {
        let small = front(LaneName(priority: priority, isLarge: false))
        let large = front(LaneName(priority: priority, isLarge: true))
        guard let small, let large else { return (small ?? large)?.id }
        return small.turn < large.turn ? small.id : large.id
    }

    private mutating func front(_ name: LaneName) -> (id: UInt64, turn: UInt64)? {
        let index = name.index
        while lanes[index].start < lanes[index].numbers.count {
            let number = lanes[index].numbers[lanes[index].start]
            if entries[number.id]?.turn == number.turn { return number }
            drop(index)
        }
        return nil
    }

    /// Removes the number at the front of a lane. Shortens the array only when all or more than half of it is unused,
    /// so that the cost is amortised constant.
    private mutating func drop(_ index: Int) {
        lanes[index].start += 1
        let (start, count) = (lanes[index].start, lanes[index].numbers.count)
        guard start == count || start > 32 && start * 2 > count else { return }
        if start == count {
            lanes[index].numbers.removeAll(keepingCapacity: count <= 64)
        } else {
            lanes[index].numbers.removeFirst(start)
        }
        lanes[index].start = 0
    }
}
