import Dispatch
import WebImageCore

/// Logs the failures of one disk cache. The first failure is logged as a warning. Later failures usually have the same
/// cause, so they are logged at debug level.
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

    // Messages are logged on this serial queue. A slow logger then blocks only one thread.
    private static let queue = DispatchQueue(label: "webimage.disk-cache.log", qos: .utility)

    /// Logs a message on another thread, because the caller holds a lock and the logger is user code.
    static func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String] = [:]) {
        queue.async { WebImageLog.shared.log(level, message, metadata: metadata) }
    }
}
