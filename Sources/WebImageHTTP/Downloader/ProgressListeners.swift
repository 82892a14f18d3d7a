/// The subscribers of one download that receive progress or bytes, and whether a report to them is due.
///
/// One report to all listeners is scheduled at a time; bytes that arrive before it runs are included.
struct ProgressListeners<Listener: Sendable>: Sendable {
    private var listeners: [Listener] = []
    /// Listeners added after the last report.
    private var newListeners: [Listener] = []
    private var hasNewBytes = false
    private var isScheduled = false

    var isEmpty: Bool { listeners.isEmpty && newListeners.isEmpty }

    mutating func add(_ listener: Listener) { newListeners.append(listener) }

    /// Returns whether the caller must schedule a report now.
    mutating func schedule(hasNewBytes isNew: Bool) -> Bool {
        if isNew { hasNewBytes = true }
        guard !isScheduled, !isEmpty else { return false }
        isScheduled = true
        return true
    }

    /// Returns the listeners of the report that runs now. Without new bytes these are only the newListeners: thousands may
    /// join a download that receives nothing.
    mutating func takeReport(where hasEnded: (Listener) -> Bool) -> [Listener] {
        isScheduled = false
        if hasNewBytes { listeners.removeAll(where: hasEnded) }
        listeners += newListeners
        defer { (newListeners, hasNewBytes) = ([], false) }
        return hasNewBytes ? listeners : newListeners
    }

    mutating func removeAll() { (listeners, newListeners) = ([], []) }
}
