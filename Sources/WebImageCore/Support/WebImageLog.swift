import Foundation

/// How grave a message is, from chatter to failure.
public enum WebImageLogLevel: Int, Sendable, Comparable {
    /// Every step of every load.
    case debug
    /// What a curious operator wants to see.
    case info
    /// Something was done another way than asked.
    case warning
    /// Something was not done.
    case error

    /// By gravity.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Takes the library's messages. URLs in them are redacted.
@preconcurrency public protocol WebImageLogging: Sendable {
    /// Called on any thread, never under a lock of the library's.
    func log(_ level: WebImageLogLevel, _ message: String)
}

/// The process's log: silent, unless `WEBIMAGE_LOG` is `debug`, `info`, `warning` or `error`, or a logger is set.
public final class WebImageLog: Sendable {
    /// The one log.
    public static let shared = WebImageLog()

    private let logger: Locked<(any WebImageLogging)?>

    private init() {
        let levels: [String: WebImageLogLevel] = ["debug": .debug, "info": .info, "warning": .warning, "error": .error]
        let level = ProcessInfo.processInfo.environment["WEBIMAGE_LOG"].flatMap { levels[$0.lowercased()] }
        logger = Locked(level.map(StandardErrorLogger.init(minimum:)))
    }

    /// Where messages go; nil is nowhere.
    public var destination: (any WebImageLogging)? {
        get { logger.withLock { $0 } }
        set { logger.withLock { $0 = newValue } }
    }

    /// Builds the message only when somebody listens.
    package func log(_ level: WebImageLogLevel, _ message: @autoclosure () -> String) {
        guard let destination else { return }
        destination.log(level, message())
    }
}

/// Writes messages of a gravity and above to standard error, a line each.
public struct StandardErrorLogger: WebImageLogging {
    private let minimum: WebImageLogLevel

    /// Writes what is at least as grave as `minimum`.
    public init(minimum: WebImageLogLevel) { self.minimum = minimum }

    /// Writes one line.
    public func log(_ level: WebImageLogLevel, _ message: String) {
        guard level >= minimum else { return }
        FileHandle.standardError.write(Data("webimage \(level): \(message)\n".utf8))
    }
}
