/// Items that wait for a flush. At most one flush is pending at a time: the caller whose item starts a new one must
/// schedule it. A pure value; its owner protects it with a lock.
///
/// A flush either takes all items at once (``takeAll()``) or one after another (``next()``), until none is left.
package struct PendingFlush<Item> {
    /// The items that the next flush takes, in the order in which they were added.
    package private(set) var waiting: [Item] = []
    private var isPending = false

    package init() {}

    /// Adds an item without requesting a flush.
    package mutating func append(_ item: Item) { waiting.append(item) }

    /// Requests a flush. Returns whether the caller must schedule it; false while a flush is pending.
    package mutating func request() -> Bool {
        defer { isPending = true }
        return !isPending
    }

    /// Adds an item and requests a flush. Returns whether the caller must schedule the flush.
    package mutating func add(_ item: Item) -> Bool {
        append(item)
        return request()
    }

    /// Replaces all items by a newer one and requests a flush. Returns whether the caller must schedule the flush.
    package mutating func replace(with item: Item) -> Bool {
        waiting = [item]
        return request()
    }

    /// Removes all items and returns them. Items that are added later need a new flush.
    package mutating func takeAll() -> [Item] {
        defer { (waiting, isPending) = ([], false) }
        return waiting
    }

    /// Removes the first item and returns it. The flush ends when this function returns nil: items that are added later
    /// need a new flush.
    package mutating func next() -> Item? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        isPending = false
        return nil
    }

    /// Removes all items. A pending flush stays pending.
    package mutating func removeAll() { waiting = [] }
}

extension PendingFlush: Sendable where Item: Sendable {}
