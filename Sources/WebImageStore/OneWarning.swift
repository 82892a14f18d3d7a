import Dispatch
import WebImageCore

/// Says the first failure of something aloud and the rest, which would be the same, only to who listens to everything.
struct OneWarning: Sendable {
    let subject: String
    private let wasGiven = Locked(false)

    init(subject: String) { self.subject = subject }

    func give(_ error: WebImageError) {
        let isFirst = wasGiven.withLock { given in
            defer { given = true }
            return !given
        }
        Self.log(isFirst ? .warning : .debug, "\(subject): \(error)")
    }

    // Serial: such a queue has a thread of its own, which a slow logger may hold.
    private static let queue = DispatchQueue(label: "webimage.disk-cache.log", qos: .utility)

    /// Logs from another thread: the caller holds a lock, and a logger is user code.
    static func log(_ level: WebImageLogLevel, _ message: String) {
        queue.async { WebImageLog.shared.log(level, message) }
    }
}
