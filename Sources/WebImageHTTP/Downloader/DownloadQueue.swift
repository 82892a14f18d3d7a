import WebImageCore

/// Assigns subscribers to downloads and decides which download runs next. This type only decides; ``SharedDownloads``
/// performs the returned actions.
///
/// One download serves every subscriber with the same key. The priority of a download is the highest priority of its
/// current subscribers. The next waiting download is chosen when a slot becomes free.
struct DownloadQueue<Key: Hashable & Sendable, Subscriber: Hashable & Sendable>: Sendable {
    /// The number of a download. Numbers increase in the order in which downloads are added.
    typealias Download = Int

    enum Action: Equatable {
        case start(Download)
        case cancel(Download)
    }

    private struct Entry {
        let key: Key
        let host: String
        var subscribers: Subscribers
        var priority: LoadPriority
        var place = Place.waiting
        /// Whether the last subscriber has left, and the download continues for a short time.
        var isAbandoned = false
    }

    private enum Place: Equatable {
        case waiting
        case running
        /// The download waits between two attempts. It is not in a lane and uses no slot. If it holds its host, no download
        /// from the host starts.
        case paused(holdsHost: Bool)
    }

    private var entries: [Download: Entry] = [:]
    private var downloads: [Key: Download] = [:]
    private var subscriptions: [Subscriber: Download] = [:]
    /// The waiting downloads: one lane for each priority, the highest first. Each lane is in order of arrival.
    private var lanes: [[Download]] = [[], [], []]
    private var running = 0
    /// The number of slots in use for each host. Counted only while there is a limit per host.
    private var runningOfHost: [String: Int] = [:]
    /// The number of paused downloads that hold each host.
    private var holds: [String: Int] = [:]
    /// The ended downloads that keep their slots until ``free(_:)``, and the host of each download.
    private var kept: [Download: String] = [:]
    /// The running downloads that continue without subscribers, the oldest first.
    private var abandoned: [Download] = []
    private var next: Download = 0

    private(set) var maxConcurrent: Int
    /// The maximum number of downloads that run at the same time from one host.
    private(set) var maxPerHost = Int.max
    private(set) var isSuspended = false
    var newestFirst = false

    init(maxConcurrent: Int) { self.maxConcurrent = max(maxConcurrent, 1) }

    /// The number of downloads that wait, run or are paused.
    var count: Int { entries.count }

    /// Adds a subscriber to the download with this key, or to a new download.
    mutating func join(
        _ subscriber: Subscriber, key: Key, host: String = "", priority: LoadPriority
    ) -> (download: Download, isNew: Bool, actions: [Action]) {
        if let download = downloads[key], entries[download] != nil {
            setAbandoned(download, false)
            entries[download]?.subscribers.setPriority(priority, of: subscriber)
            subscriptions[subscriber] = download
            reconsiderPriority(download)
            return (download, false, [])
        }
        let download = next
        next += 1
        entries[download] = Entry(
            key: key, host: host, subscribers: Subscribers(subscriber, priority), priority: priority)
        downloads[key] = download
        subscriptions[subscriber] = download
        enqueue(download, priority)
        return (download, true, admit())
    }

    /// Removes a subscriber. When the last subscriber leaves, the download is cancelled. If `mayContinue` is set, a
    /// running download continues instead, until another download needs its slot.
    mutating func leave(_ subscriber: Subscriber, mayContinue: Bool = false) -> [Action] {
        guard let download = subscriptions.removeValue(forKey: subscriber) else { return [] }
        entries[download]?.subscribers.setPriority(nil, of: subscriber)
        guard entries[download]?.subscribers.isEmpty == true else {
            reconsiderPriority(download)
            return []
        }
        if mayContinue, entries[download]?.place == .running {
            setAbandoned(download, true)
            return admit()
        }
        remove(download)
        return [.cancel(download)] + admit()
    }

    /// Whether a download continues without subscribers.
    func isAbandoned(_ download: Download) -> Bool { entries[download]?.isAbandoned == true }

    /// Cancels a download that still has no subscribers.
    mutating func endAbandoned(_ download: Download) -> [Action] {
        guard isAbandoned(download) else { return [] }
        remove(download)
        return [.cancel(download)] + admit()
    }

    private mutating func setAbandoned(_ download: Download, _ isAbandoned: Bool) {
        guard entries[download]?.isAbandoned == !isAbandoned else { return }
        entries[download]?.isAbandoned = isAbandoned
        if isAbandoned { abandoned.append(download) } else { abandoned.removeAll { $0 == download } }
    }

    /// Removes a download that has ended and returns its subscribers. The caller delivers the result to them.
    ///
    /// - Parameter keepsSlot: Receives the subscribers. Returns whether the download keeps its slot until ``free(_:)``.
    mutating func finish(
        _ download: Download, keepsSlot: ([Subscriber]) -> Bool = { _ in false }
    ) -> (subscribers: [Subscriber], actions: [Action]) {
        guard let subscribers = entries[download]?.subscribers.all else { return ([], []) }
        remove(download, keepsSlot: keepsSlot(subscribers))
        return (subscribers, admit())
    }

    /// Frees the slot that an ended download kept. A second call does nothing.
    mutating func free(_ download: Download) -> [Action] {
        guard let host = kept.removeValue(forKey: download) else { return [] }
        freeSlot(host)
        return admit()
    }

    /// Cancels every download and returns all subscribers. The caller delivers `.cancelled` to them.
    mutating func cancelAll() -> (subscribers: [Subscriber], actions: [Action]) {
        let all = entries.keys.sorted()
        let subscribers = all.compactMap { remove($0) }.flatMap { $0.subscribers.all }
        return (subscribers, all.map { .cancel($0) })
    }

    mutating func setMaxConcurrent(_ count: Int, perHost: Int = .max) -> [Action] {
        maxConcurrent = max(count, 1)
        maxPerHost = max(perHost, 1)
        runningOfHost = [:]
        if maxPerHost < .max {
            for entry in entries.values where entry.place == .running { runningOfHost[entry.host, default: 0] += 1 }
            for host in kept.values { runningOfHost[host, default: 0] += 1 }
        }
        return admit()
    }

    /// Frees the slot of a running download for other downloads until ``resume(_:)``.
    ///
    /// - Parameter holdingHost: Whether no other download from its host may start until then. Running downloads continue.
    mutating func pause(_ download: Download, holdingHost: Bool = false) -> [Action] {
        guard let entry = entries[download], entry.place == .running else { return [] }
        // A download without subscribers makes no further attempt.
        if entry.isAbandoned { return endAbandoned(download) }
        freeSlot(entry.host)
        entries[download]?.place = .paused(holdsHost: holdingHost)
        if holdingHost { holds[entry.host, default: 0] += 1 }
        return admit()
    }

    /// Puts a paused download back into its lane. The lane stays in order of arrival, so the download gets its earlier
    /// position among the waiting downloads.
    mutating func resume(_ download: Download) -> [Action] {
        guard let entry = entries[download], case .paused = entry.place else { return [] }
        releaseHost(of: entry)
        entries[download]?.place = .waiting
        enqueue(download, entry.priority)
        return admit()
    }

    /// Changes a subscriber's priority. Returns the download and the download's new priority if the download runs and
    /// its priority changed; otherwise nil.
    mutating func setPriority(_ priority: LoadPriority, of subscriber: Subscriber) -> (Download, LoadPriority)? {
        guard let download = subscriptions[subscriber], let before = entries[download]?.priority else { return nil }
        entries[download]?.subscribers.setPriority(priority, of: subscriber)
        reconsiderPriority(download)
        guard let entry = entries[download], entry.place == .running, entry.priority != before else { return nil }
        return (download, entry.priority)
    }

    /// The download that a subscriber waits for; nil if the subscriber has left or the download has ended.
    func download(of subscriber: Subscriber) -> Download? { subscriptions[subscriber] }

    /// The current priority of a download: the highest of its subscribers' priorities.
    func priority(of download: Download) -> LoadPriority? { entries[download]?.priority }

    /// Suspends or resumes the queue. While it is suspended, no download starts; running downloads continue.
    mutating func setSuspended(_ suspended: Bool) -> [Action] {
        isSuspended = suspended
        return admit()
    }

    private mutating func admit() -> [Action] {
        var actions: [Action] = []
        while !isSuspended {
            if running < maxConcurrent, let download = nextWaiting() {
                dequeue(download)
                entries[download]?.place = .running
                takeSlot(entries[download]?.host ?? "")
                actions.append(.start(download))
            } else if let download = nextYielding() {
                remove(download)
                actions.append(.cancel(download))
            } else {
                break
            }
        }
        return actions
    }

    /// The oldest download without subscribers whose slot a waiting download needs; nil if there is none.
    private func nextYielding() -> Download? {
        abandoned.first { download in
            // No download of a held host can start, whatever yields.
            let host = entries[download].flatMap { holds[$0.host] == nil ? $0.host : nil }
            return lanes.contains { lane in
                lane.contains { hasRoom($0) || (host != nil && entries[$0]?.host == host) }
            }
        }
    }

    private func nextWaiting() -> Download? {
        for lane in lanes where !lane.isEmpty {
            let next = newestFirst ? lane.last(where: hasRoom) : lane.first(where: hasRoom)
            if let next { return next }
        }
        return nil
    }

    private mutating func releaseHost(of entry: Entry) {
        guard entry.place == .paused(holdsHost: true) else { return }
        let left = holds[entry.host, default: 1] - 1
        holds[entry.host] = left > 0 ? left : nil
    }

    private func hasRoom(_ download: Download) -> Bool {
        if !holds.isEmpty, holds[entries[download]?.host ?? ""] != nil { return false }
        guard maxPerHost < .max else { return true }
        return runningOfHost[entries[download]?.host ?? "", default: 0] < maxPerHost
    }

    private mutating func takeSlot(_ host: String) {
        running += 1
        if maxPerHost < .max { runningOfHost[host, default: 0] += 1 }
    }

    private mutating func freeSlot(_ host: String) {
        running -= 1
        guard maxPerHost < .max else { return }
        let left = runningOfHost[host, default: 1] - 1
        runningOfHost[host] = left > 0 ? left : nil
    }

    @discardableResult
    private mutating func remove(_ download: Download, keepsSlot: Bool = false) -> Entry? {
        if entries[download]?.place == .waiting { dequeue(download) }
        setAbandoned(download, false)
        guard let entry = entries.removeValue(forKey: download) else { return nil }
        releaseHost(of: entry)
        if entry.place == .running {
            if keepsSlot { kept[download] = entry.host } else { freeSlot(entry.host) }
        }
        downloads[entry.key] = nil
        for subscriber in entry.subscribers.all { subscriptions[subscriber] = nil }
        return entry
    }

    private mutating func reconsiderPriority(_ download: Download) {
        guard let entry = entries[download], let wanted = entry.subscribers.wanted, wanted != entry.priority
        else { return }
        if entry.place == .waiting {
            dequeue(download)
            enqueue(download, wanted)
        }
        entries[download]?.priority = wanted
    }

    private mutating func enqueue(_ download: Download, _ priority: LoadPriority) {
        lanes[priority.lane].insert(download, at: lanes[priority.lane].position(of: download))
    }

    private mutating func dequeue(_ download: Download) {
        guard let lane = entries[download]?.priority.lane else { return }
        let place = lanes[lane].position(of: download)
        if place < lanes[lane].count, lanes[lane][place] == download { lanes[lane].remove(at: place) }
    }
}

extension [Int] {
    /// The index of a number in this ascending array, or the index at which to insert the number.
    fileprivate func position(of number: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension LoadPriority {
    /// The index in `lanes` of the lane for this priority.
    fileprivate var lane: Int {
        switch self {
        case .high: 0
        case .normal: 1
        case .low: 2
        }
    }
}

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
