/// The subscribers of one download that receive progress or bytes, and whether a report to them is due.
///
/// A report to many is scheduled once, however often news comes before it runs.
struct DownloadAudience<Listener: Sendable>: Sendable {
    private var listeners: [Listener] = []
    /// Listeners that came after the last report.
    private var newcomers: [Listener] = []
    private var hasNews = false
    private var isScheduled = false

    var isEmpty: Bool { listeners.isEmpty && newcomers.isEmpty }

    mutating func add(_ listener: Listener) { newcomers.append(listener) }

    /// Whether a report is to be scheduled now.
    mutating func schedule(hasNews isNews: Bool) -> Bool {
        if isNews { hasNews = true }
        guard !isScheduled, !isEmpty else { return false }
        isScheduled = true
        return true
    }

    /// The listeners of the report that runs now. Without news only newcomers are told: thousands may join a download
    /// that receives nothing.
    mutating func takeReport(where hasEnded: (Listener) -> Bool) -> [Listener] {
        isScheduled = false
        if hasNews { listeners.removeAll(where: hasEnded) }
        listeners += newcomers
        defer { (newcomers, hasNews) = ([], false) }
        return hasNews ? listeners : newcomers
    }

    mutating func removeAll() { (listeners, newcomers) = ([], []) }
}
