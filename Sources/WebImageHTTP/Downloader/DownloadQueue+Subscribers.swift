import WebImageCore

extension DownloadQueue {
    /// The subscribers of one download and their priorities.
    ///
    /// Most downloads have one subscriber, and thousands of downloads may wait. To save memory, the first subscriber
    /// is stored without a table; the table is filled when a second subscriber joins.
    struct Subscribers: Sendable {
        private struct SubscriberTable {
            var priorities: [Subscriber: LoadPriority] = [:]
            /// The number of subscribers of each priority. With these numbers, the highest priority is found without
            /// searching all subscribers. A download may have thousands of subscribers.
            var counts: [LoadPriority: Int] = [:]

            mutating func setPriority(_ priority: LoadPriority?, of subscriber: Subscriber) {
                if let before = priorities[subscriber] { counts[before, default: 0] -= 1 }
                if let priority { counts[priority, default: 0] += 1 }
                priorities[subscriber] = priority
            }
        }

        /// The only subscriber; nil after a second subscriber has joined, or after the only subscriber has left.
        private var single: (subscriber: Subscriber, priority: LoadPriority)?
        private var table = SubscriberTable()

        init(_ subscriber: Subscriber, _ priority: LoadPriority) { single = (subscriber, priority) }

        /// Adds a subscriber or changes its priority. A nil priority removes the subscriber.
        mutating func setPriority(_ priority: LoadPriority?, of subscriber: Subscriber) {
            if let single {
                if single.subscriber == subscriber { return self.single = priority.map { (subscriber, $0) } }
                table.setPriority(single.priority, of: single.subscriber)
                self.single = nil
            }
            table.setPriority(priority, of: subscriber)
        }

        var all: [Subscriber] { single.map { [$0.subscriber] } ?? Array(table.priorities.keys) }

        var isEmpty: Bool { single == nil && table.priorities.isEmpty }

        /// The highest priority of the subscribers; nil without subscribers.
        var wanted: LoadPriority? {
            if let single { return single.priority }
            return Self.descending.first { table.counts[$0, default: 0] > 0 }
        }

        private static var descending: [LoadPriority] { [.high, .normal, .low] }
    }
}
