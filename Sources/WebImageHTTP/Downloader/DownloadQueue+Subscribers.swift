import WebImageCore

extension DownloadQueue {
    /// The subscribers of one download and their priorities.
    ///
    /// Most downloads have one subscriber and thousands may wait, so the tables are created for the second one.
    struct Subscribers: Sendable {
        private struct SubscriberTable {
            var priorities: [Subscriber: LoadPriority] = [:]
            /// The number of subscribers of each priority. Thousands may wait for one download, and each that joins or
            /// leaves may change its priority.
            var counts: [LoadPriority: Int] = [:]

            mutating func setPriority(_ priority: LoadPriority?, of subscriber: Subscriber) {
                if let before = priorities[subscriber] { counts[before, default: 0] -= 1 }
                if let priority { counts[priority, default: 0] += 1 }
                priorities[subscriber] = priority
            }
        }

        /// The only subscriber; nil once there was a second one.
        private var single: (subscriber: Subscriber, priority: LoadPriority)?
        private var table = SubscriberTable()

        init(_ subscriber: Subscriber, _ priority: LoadPriority) { single = (subscriber, priority) }

        /// Adds or changes a subscriber; a nil priority removes it.
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
