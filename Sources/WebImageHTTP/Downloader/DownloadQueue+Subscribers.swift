import WebImageCore

extension DownloadQueue {
    /// The subscribers of one download and their priorities.
    ///
    /// Most downloads have one subscriber and thousands may wait, so the tables are created for the second one.
    struct Subscribers: Sendable {
        private struct Crowd {
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
        private var only: (subscriber: Subscriber, priority: LoadPriority)?
        private var crowd = Crowd()

        init(_ subscriber: Subscriber, _ priority: LoadPriority) { only = (subscriber, priority) }

        /// Adds or changes a subscriber; a nil priority removes it.
        mutating func setPriority(_ priority: LoadPriority?, of subscriber: Subscriber) {
            if let only {
                if only.subscriber == subscriber { return self.only = priority.map { (subscriber, $0) } }
                crowd.setPriority(only.priority, of: only.subscriber)
                self.only = nil
            }
            crowd.setPriority(priority, of: subscriber)
        }

        var all: [Subscriber] { only.map { [$0.subscriber] } ?? Array(crowd.priorities.keys) }

        var isEmpty: Bool { only == nil && crowd.priorities.isEmpty }

        /// The highest priority of the subscribers; nil without subscribers.
        var wanted: LoadPriority? {
            if let only { return only.priority }
            return Self.descending.first { crowd.counts[$0, default: 0] > 0 }
        }

        private static var descending: [LoadPriority] { [.high, .normal, .low] }
    }
}
