/// The subscribers of one download that receive progress or bytes, and whether a report to them is due.
///
/// One report to all listeners is scheduled at a time; bytes that arrive before it runs are included.
struct DownloadAudience<Listener: Sendable>: Sendable {
    private var listeners: [Listener] = []
    /// Listeners added after the last report.
    private var newcomers: [Listener] = []
    private var hasNews = false
    private var isScheduled = false

    var isEmpty: Bool { listeners.isEmpty && newcomers.isEmpty }

    mutating func add(_ listener: Listener) { newcomers.append(listener) }

    /// Returns whether the caller must schedule a report now.
    mutating func schedule(hasNews isNews: Bool) -> Bool {
        if isNews { hasNews = true }
        guard !isScheduled, !isEmpty else { return false }
        isScheduled = true
        return true
    }

    /// Returns the listeners of the report that runs now. Without new bytes these are only the newcomers: thousands may
    /// join a download that receives nothing.
    mutating func takeReport(where hasEnded: (Listener) -> Bool) -> [Listener] {
        isScheduled = false
        if hasNews { listeners.removeAll(where: hasEnded) }
        listeners += newcomers
        defer { (newcomers, hasNews) = ([], false) }
        return hasNews ? listeners : newcomers
    }

    mutating func removeAll() { (listeners, newcomers) = ([], []) }
}
