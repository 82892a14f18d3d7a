/// Waiting elements by priority, then by arrival; any of them can be moved or taken out by its number.
///
/// Large elements wait in lanes of their own, so that small ones that came later can be found. A pure structure without a
/// lock. Every operation is constant time, amortised: an element that moves or leaves stays behind in its lane as a number
/// that is skipped.
struct PriorityQueue<Element> {
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
        /// Grows with every arrival; also tells a place in a lane that was left from the one taken later.
        var turn: UInt64
    }

    private var entries: [UInt64: Entry] = [:]
    private var lanes: [LaneName: Lane] = [:]
    private var lastTurn: UInt64 = 0
    private static var order: [LoadPriority] { [.high, .normal, .low] }

    var count: Int { entries.count }

    /// The element whose turn it is.
    var first: Element? {
        mutating get {
            for priority in Self.order {
                if let id = firstID(of: priority) { return entries[id]?.element }
            }
            return nil
        }
    }

    /// The small element whose turn it is once large ones are passed over.
    var firstSmall: Element? {
        mutating get {
            for priority in Self.order {
                if let front = front(LaneName(priority: priority, isLarge: false)) { return entries[front.id]?.element }
            }
            return nil
        }
    }

    mutating func append(_ element: Element, id: UInt64, priority: LoadPriority, isLarge: Bool = false) {
        let lane = LaneName(priority: priority, isLarge: isLarge)
        entries[id] = Entry(element: element, lane: lane, turn: join(lane, id))
    }

    /// Lets an element wait at the end of another lane; nothing when it is in that lane or gone.
    mutating func move(_ id: UInt64, to priority: LoadPriority) {
        guard let entry = entries[id], entry.lane.priority != priority else { return }
        let lane = LaneName(priority: priority, isLarge: entry.lane.isLarge)
        entries[id] = Entry(element: entry.element, lane: lane, turn: join(lane, id))
    }

    mutating func remove(_ id: UInt64) -> Element? { entries.removeValue(forKey: id)?.element }

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

    /// Forgets the number at the front of a lane.
    private mutating func drop(_ name: LaneName) {
        lanes[name]?.start += 1
        guard let lane = lanes[name], lane.start > 32, lane.start * 2 > lane.numbers.count else { return }
        lanes[name]?.numbers.removeFirst(lane.start)
        lanes[name]?.start = 0
    }
}
