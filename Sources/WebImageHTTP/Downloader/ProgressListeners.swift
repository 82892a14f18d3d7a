/// The subscribers of one download that receive progress or bytes, and whether a report to them is scheduled.
///
/// At most one report is scheduled at a time. The report includes all bytes that arrive before it runs.
struct ProgressListeners<Listener: Sendable>: Sendable {
    private var listeners: [Listener] = []
    /// The listeners that were added after the last report.
    private var newListeners: [Listener] = []
    private var hasNewBytes = false
    private var isScheduled = false

    var isEmpty: Bool { listeners.isEmpty && newListeners.isEmpty }

    mutating func add(_ listener: Listener) { newListeners.append(listener) }

    /// Stores whether new bytes have arrived. Returns whether the caller must schedule a report now.
    mutating func schedule(hasNewBytes isNew: Bool) -> Bool {
        if isNew { hasNewBytes = true }
        guard !isScheduled, !isEmpty else { return false }
        isScheduled = true
        return true
    }

    /// Returns the listeners that receive the current report. Afterwards no report is scheduled.
    ///
    /// Without new bytes, only the listeners added since the last report are returned. Otherwise each of thousands of
    /// joins would cause a report to all earlier listeners.
    mutating func takeReport(where hasEnded: (Listener) -> Bool) -> [Listener] {
        isScheduled = false
        if hasNewBytes { listeners.removeAll(where: hasEnded) }
        listeners += newListeners
        defer { (newListeners, hasNewBytes) = ([], false) }
        return hasNewBytes ? listeners : newListeners
    }

    mutating func removeAll() { (listeners, newListeners) = ([], []) }
}
