import WebImageCore

/// Who waits for which download, and which download comes next: decisions alone, performed by ``SharedDownloads``.
///
/// One download serves every subscriber with the same key. Its priority is the highest of its subscribers', now;
/// which waiting download gets a slot is decided when the slot frees.
struct DownloadQueue<Key: Hashable & Sendable, Subscriber: Hashable & Sendable>: Sendable {
    /// Downloads are numbered in order of arrival.
    typealias Download = Int

    enum Action: Equatable {
        case start(Download)
        case cancel(Download)
    }

    private struct Entry {
        let key: Key
        let host: String
        private(set) var subscribers: [Subscriber: LoadPriority] = [:]
        /// How many subscribers have each priority: thousands may wait for one download, and each that comes or goes
        /// may change what it is worth.
        private var counts: [LoadPriority: Int] = [:]
        var priority: LoadPriority
        var place = Place.waiting

        init(key: Key, host: String, _ subscriber: Subscriber, _ priority: LoadPriority) {
            (self.key, self.host, self.priority) = (key, host, priority)
            setPriority(priority, of: subscriber)
        }

        /// Adds or changes a subscriber; with nil it goes.
        mutating func setPriority(_ priority: LoadPriority?, of subscriber: Subscriber) {
            if let before = subscribers[subscriber] { counts[before, default: 0] -= 1 }
            if let priority { counts[priority, default: 0] += 1 }
            subscribers[subscriber] = priority
        }

        /// The highest priority of the subscribers there are.
        var wanted: LoadPriority? { LoadPriority.descending.first { counts[$0, default: 0] > 0 } }
    }

    private enum Place {
        case waiting
        case running
        /// Between two attempts: neither in a lane nor in a slot.
        case paused
    }

    private var entries: [Download: Entry] = [:]
    private var downloads: [Key: Download] = [:]
    private var subscriptions: [Subscriber: Download] = [:]
    /// Waiting downloads of each priority, in order of arrival.
    private var lanes: [LoadPriority: [Download]] = [:]
    private var running = 0
    private var runningOfHost: [String: Int] = [:]
    private var next: Download = 0

    private(set) var maxConcurrent: Int
    /// Downloads that run at the same time from one host.
    private(set) var maxPerHost = Int.max
    private(set) var isSuspended = false
    var newestFirst = false

    init(maxConcurrent: Int) { self.maxConcurrent = max(maxConcurrent, 1) }

    /// Downloads that wait or run.
    var count: Int { entries.count }

    /// Adds a subscriber, to the download under way if there is one.
    mutating func join(
        _ subscriber: Subscriber, key: Key, host: String = "", priority: LoadPriority
    ) -> (download: Download, isNew: Bool, actions: [Action]) {
        if let download = downloads[key], entries[download] != nil {
            entries[download]?.setPriority(priority, of: subscriber)
            subscriptions[subscriber] = download
            reconsiderPriority(download)
            return (download, false, [])
        }
        let download = next
        next += 1
        entries[download] = Entry(key: key, host: host, subscriber, priority)
        downloads[key] = download
        subscriptions[subscriber] = download
        enqueue(download, priority)
        return (download, true, admit())
    }

    /// Takes a subscriber away; the last one to leave cancels the download, unless a running one may go on alone.
    mutating func leave(_ subscriber: Subscriber, mayGoOn: Bool = false) -> [Action] {
        guard let download = subscriptions.removeValue(forKey: subscriber) else { return [] }
        entries[download]?.setPriority(nil, of: subscriber)
        guard entries[download]?.subscribers.isEmpty == true else {
            reconsiderPriority(download)
            return []
        }
        if mayGoOn, entries[download]?.place == .running { return [] }
        remove(download)
        return [.cancel(download)] + admit()
    }

    /// A download has come to its end; its subscribers are to be told.
    mutating func finish(_ download: Download) -> (subscribers: [Subscriber], actions: [Action]) {
        guard let entry = remove(download) else { return ([], []) }
        return (Array(entry.subscribers.keys), admit())
    }

    /// Ends everything; all subscribers are to be told.
    mutating func cancelAll() -> (subscribers: [Subscriber], actions: [Action]) {
        let all = entries.keys.sorted()
        let subscribers = all.compactMap { remove($0) }.flatMap { $0.subscribers.keys }
        return (subscribers, all.map { .cancel($0) })
    }

    mutating func setMaxConcurrent(_ count: Int, perHost: Int = .max) -> [Action] {
        maxConcurrent = max(count, 1)
        maxPerHost = max(perHost, 1)
        return admit()
    }

    /// Gives a running download's slot to others until ``resume(_:)``.
    mutating func pause(_ download: Download) -> [Action] {
        guard let entry = entries[download], entry.place == .running else { return [] }
        freeSlot(entry.host)
        entries[download]?.place = .paused
        return admit()
    }

    /// Puts a paused download back into its lane, at the place of its arrival.
    mutating func resume(_ download: Download) -> [Action] {
        guard let entry = entries[download], entry.place == .paused else { return [] }
        entries[download]?.place = .waiting
        enqueue(download, entry.priority)
        return admit()
    }

    /// Changes a subscriber's priority; the download's, when it runs and has changed.
    mutating func setPriority(_ priority: LoadPriority, of subscriber: Subscriber) -> (Download, LoadPriority)? {
        guard let download = subscriptions[subscriber], let before = entries[download]?.priority else { return nil }
        entries[download]?.setPriority(priority, of: subscriber)
        reconsiderPriority(download)
        guard let entry = entries[download], entry.place == .running, entry.priority != before else { return nil }
        return (download, entry.priority)
    }

    /// The download a subscriber waits for.
    func download(of subscriber: Subscriber) -> Download? { subscriptions[subscriber] }

    /// The priority of a download now.
    func priority(of download: Download) -> LoadPriority? { entries[download]?.priority }

    /// While suspended nothing new starts; what runs goes on.
    mutating func setSuspended(_ suspended: Bool) -> [Action] {
        isSuspended = suspended
        return admit()
    }

    private mutating func admit() -> [Action] {
        var actions: [Action] = []
        while !isSuspended, running < maxConcurrent, let download = nextWaiting() {
            dequeue(download)
            entries[download]?.place = .running
            running += 1
            runningOfHost[entries[download]?.host ?? "", default: 0] += 1
            actions.append(.start(download))
        }
        return actions
    }

    private func nextWaiting() -> Download? {
        for priority in LoadPriority.descending {
            guard let lane = lanes[priority], !lane.isEmpty else { continue }
            let next = newestFirst ? lane.last(where: hasRoom) : lane.first(where: hasRoom)
            if let next { return next }
        }
        return nil
    }

    private func hasRoom(_ download: Download) -> Bool {
        guard maxPerHost < .max else { return true }
        return runningOfHost[entries[download]?.host ?? "", default: 0] < maxPerHost
    }

    private mutating func freeSlot(_ host: String) {
        running -= 1
        let left = runningOfHost[host, default: 1] - 1
        runningOfHost[host] = left > 0 ? left : nil
    }

    @discardableResult
    private mutating func remove(_ download: Download) -> Entry? {
        guard let entry = entries[download] else { return nil }
        switch entry.place {
        case .running: freeSlot(entry.host)
        case .waiting: dequeue(download)
        case .paused: break
        }
        entries[download] = nil
        downloads[entry.key] = nil
        for subscriber in entry.subscribers.keys { subscriptions[subscriber] = nil }
        return entry
    }

    private mutating func reconsiderPriority(_ download: Download) {
        guard let entry = entries[download], let wanted = entry.wanted, wanted != entry.priority
        else { return }
        if entry.place == .waiting {
            dequeue(download)
            enqueue(download, wanted)
        }
        entries[download]?.priority = wanted
    }

    private mutating func enqueue(_ download: Download, _ priority: LoadPriority) {
        let place = lanes[priority]?.position(of: download) ?? 0
        lanes[priority, default: []].insert(download, at: place)
    }

    private mutating func dequeue(_ download: Download) {
        guard let priority = entries[download]?.priority, let place = lanes[priority]?.position(of: download),
            place < lanes[priority, default: []].count, lanes[priority]?[place] == download
        else { return }
        lanes[priority]?.remove(at: place)
    }
}

extension [Int] {
    /// Where a number is, or would be put, in ascending order.
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
    fileprivate static let descending: [LoadPriority] = [.high, .normal, .low]
}
