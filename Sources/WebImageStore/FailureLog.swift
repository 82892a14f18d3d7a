import Dispatch
import WebImageCore

/// Logs the first failure of a subject as a warning. Later failures are usually the same, so they are logged at debug
/// level.
struct FailureLog: Sendable {
    let subject: String
    private let hasWarned = Locked(false)

    init(subject: String) { self.subject = subject }

    func log(_ error: WebImageError) {
        let isFirst = hasWarned.withLock { warned in
            defer { warned = true }
            return !warned
        }
        Self.log(isFirst ? .warning : .debug, "\(subject): \(error)", metadata: error.logMetadata)
    }

    // A serial queue, because a slow logger may block its thread.
    private static let queue = DispatchQueue(label: "webimage.disk-cache.log", qos: .utility)

    /// Logs a message from another thread, because the caller holds a lock and the logger is user code.
    static func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String] = [:]) {
        queue.async { WebImageLog.shared.log(level, message, metadata: metadata) }
    }
}
