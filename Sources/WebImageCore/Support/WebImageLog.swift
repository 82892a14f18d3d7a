import Foundation

/// The severity of a log message.
public enum WebImageLogLevel: Int, Sendable, Comparable {
    /// Every step of every load.
    case debug
    /// Information for operators.
    case info
    /// Something was done differently than requested.
    case warning
    /// Something was not done.
    case error

    /// Compares by severity.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Receives the library's log messages. URLs in them are redacted.
@preconcurrency public protocol WebImageLogging: Sendable {
    /// Called on any thread, never under a lock of the library.
    func log(_ level: WebImageLogLevel, _ message: String)
}

/// The log of the process: silent, unless `WEBIMAGE_LOG` is `debug`, `info`, `warning` or `error`, or a logger is set.
public final class WebImageLog: Sendable {
    /// The log of the process.
    public static let shared = WebImageLog()

    private let logger: Locked<(any WebImageLogging)?>

    private init() {
        let levels: [String: WebImageLogLevel] = ["debug": .debug, "info": .info, "warning": .warning, "error": .error]
        let level = ProcessInfo.processInfo.environment["WEBIMAGE_LOG"].flatMap { levels[$0.lowercased()] }
        logger = Locked(level.map(StandardErrorLogger.init(minimum:)))
    }

    /// The logger that receives the messages; nil discards them.
    public var destination: (any WebImageLogging)? {
        get { logger.withLock { $0 } }
        set { logger.withLock { $0 = newValue } }
    }

    /// Logs a message, which is built only when a logger is set.
    package func log(_ level: WebImageLogLevel, _ message: @autoclosure () -> String) {
        guard let destination else { return }
        destination.log(level, message())
    }
}

/// Writes messages of a minimum severity to standard error, one per line.
public struct StandardErrorLogger: WebImageLogging {
    private let minimum: WebImageLogLevel

    /// Makes a logger for messages with at least the severity `minimum`.
    public init(minimum: WebImageLogLevel) { self.minimum = minimum }

    /// Writes one line.
    public func log(_ level: WebImageLogLevel, _ message: String) {
        guard level >= minimum else { return }
        FileHandle.standardError.write(Data("webimage \(level): \(message)\n".utf8))
    }
}
