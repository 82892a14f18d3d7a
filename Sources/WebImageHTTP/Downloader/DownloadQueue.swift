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
        var subscribers: [Subscriber: LoadPriority]
        var priority: LoadPriority
        var isRunning = false
    }

    private var entries: [Download: Entry] = [:]
    private var downloads: [Key: Download] = [:]
    private var subscriptions: [Subscriber: Download] = [:]
    /// Waiting downloads of each priority, in order of arrival.
    private var lanes: [LoadPriority: [Download]] = [:]
    private var running = 0
    private var next: Download = 0

    private(set) var maxConcurrent: Int
    private(set) var isSuspended = false
    var newestFirst = false

    init(maxConcurrent: Int) { self.maxConcurrent = max(maxConcurrent, 1) }

    /// Downloads that wait or run.
    var count: Int { entries.count }

    /// Adds a subscriber, to the download under way if there is one.
    mutating func join(
        _ subscriber: Subscriber, key: Key, priority: LoadPriority
    ) -> (download: Download, isNew: Bool, actions: [Action]) {
        if let download = downloads[key], entries[download] != nil {
            entries[download]?.subscribers[subscriber] = priority
            subscriptions[subscriber] = download
            reconsiderPriority(download)
            return (download, false, [])
        }
        let download = next
        next += 1
        entries[download] = Entry(key: key, subscribers: [subscriber: priority], priority: priority)
        downloads[key] = download
        subscriptions[subscriber] = download
        enqueue(download, priority)
        return (download, true, admit())
    }

    /// Takes a subscriber away; the last one to leave cancels the download.
    mutating func leave(_ subscriber: Subscriber) -> [Action] {
        guard let download = subscriptions.removeValue(forKey: subscriber) else { return [] }
        entries[download]?.subscribers[subscriber] = nil
        guard entries[download]?.subscribers.isEmpty == true else {
            reconsiderPriority(download)
            return []
        }
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

    mutating func setMaxConcurrent(_ count: Int) -> [Action] {
        maxConcurrent = max(count, 1)
        return admit()
    }

    /// While suspended nothing new starts; what runs goes on.
    mutating func setSuspended(_ suspended: Bool) -> [Action] {
        isSuspended = suspended
        return admit()
    }

    private mutating func admit() -> [Action] {
        var actions: [Action] = []
        while !isSuspended, running < maxConcurrent, let download = nextWaiting() {
            dequeue(download)
            entries[download]?.isRunning = true
            running += 1
            actions.append(.start(download))
        }
        return actions
    }

    private func nextWaiting() -> Download? {
        for priority in [LoadPriority.high, .normal, .low] {
            guard let lane = lanes[priority], !lane.isEmpty else { continue }
            return newestFirst ? lane.last : lane.first
        }
        return nil
    }

    @discardableResult
    private mutating func remove(_ download: Download) -> Entry? {
        guard let entry = entries[download] else { return nil }
        if entry.isRunning { running -= 1 } else { dequeue(download) }
        entries[download] = nil
        downloads[entry.key] = nil
        for subscriber in entry.subscribers.keys { subscriptions[subscriber] = nil }
        return entry
    }

    private mutating func reconsiderPriority(_ download: Download) {
        guard let entry = entries[download], let wanted = entry.subscribers.values.max(), wanted != entry.priority
        else { return }
        if !entry.isRunning {
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
