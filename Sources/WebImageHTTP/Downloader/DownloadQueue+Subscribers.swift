import WebImageCore

extension DownloadQueue {
    /// Whom one download is for, and how urgent it is to each.
    ///
    /// Nearly always one, while thousands of downloads wait: the tables are made for the second.
    struct Subscribers: Sendable {
        private struct Crowd {
            var priorities: [Subscriber: LoadPriority] = [:]
            /// How many have each priority: thousands may wait for one download, and each that comes or goes may change
            /// what it is worth.
            var counts: [LoadPriority: Int] = [:]

            mutating func setPriority(_ priority: LoadPriority?, of subscriber: Subscriber) {
                if let before = priorities[subscriber] { counts[before, default: 0] -= 1 }
                if let priority { counts[priority, default: 0] += 1 }
                priorities[subscriber] = priority
            }
        }

        /// While there has been no other.
        private var only: (subscriber: Subscriber, priority: LoadPriority)?
        private var crowd = Crowd()

        init(_ subscriber: Subscriber, _ priority: LoadPriority) { only = (subscriber, priority) }

        /// Adds or changes a subscriber; with nil it goes.
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

        /// The highest priority there is; nil without subscribers.
        var wanted: LoadPriority? {
            if let only { return only.priority }
            return Self.descending.first { crowd.counts[$0, default: 0] > 0 }
        }

        private static var descending: [LoadPriority] { [.high, .normal, .low] }
    }
}
