/// Waiting elements by priority, then by arrival; any of them can be moved or taken out by its number.
///
/// A pure structure without a lock. Every operation is constant time, amortised: an element that moves or leaves stays
/// behind in its lane as a number that is skipped.
struct PriorityQueue<Element> {
    private struct Lane {
        var numbers: [UInt64] = []
        var start = 0
    }

    private struct Entry {
        let element: Element
        var priority: LoadPriority
    }

    private var entries: [UInt64: Entry] = [:]
    private var lanes: [LoadPriority: Lane] = [.high: Lane(), .normal: Lane(), .low: Lane()]
    private static var order: [LoadPriority] { [.high, .normal, .low] }

    var count: Int { entries.count }

    /// The element whose turn it is.
    var first: Element? {
        mutating get { firstID().flatMap { entries[$0]?.element } }
    }

    mutating func append(_ element: Element, id: UInt64, priority: LoadPriority) {
        entries[id] = Entry(element: element, priority: priority)
        lanes[priority]?.numbers.append(id)
    }

    /// Lets an element wait at the end of another lane; nothing when it is in that lane or gone.
    mutating func move(_ id: UInt64, to priority: LoadPriority) {
        guard let entry = entries[id], entry.priority != priority else { return }
        entries[id]?.priority = priority
        lanes[priority]?.numbers.append(id)
    }

    mutating func remove(_ id: UInt64) -> Element? { entries.removeValue(forKey: id)?.element }

    mutating func removeFirst() -> Element? { firstID().flatMap { remove($0) } }

    private mutating func firstID() -> UInt64? {
        for priority in Self.order {
            while let lane = lanes[priority], lane.start < lane.numbers.count {
                let id = lane.numbers[lane.start]
                if entries[id]?.priority == priority { return id }
                drop(priority)
            }
        }
        return nil
    }

    /// Forgets the number at the front of a lane.
    private mutating func drop(_ priority: LoadPriority) {
        lanes[priority]?.start += 1
        guard let lane = lanes[priority], lane.start > 32, lane.start * 2 > lane.numbers.count else { return }
        lanes[priority]?.numbers.removeFirst(lane.start)
        lanes[priority]?.start = 0
    }
}
