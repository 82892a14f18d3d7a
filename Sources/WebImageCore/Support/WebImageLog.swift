import Foundation

/// The severity of a log message.
public enum WebImageLogLevel: Int, Sendable, Comparable {
    /// Details for developers. ``WebImageLoadLogger`` reports the end of every single stage of a load at this level.
    case debug
    /// Information for operators.
    case info
    /// The library did something differently than requested.
    case warning
    /// The library could not do something that was requested.
    case error

    /// Compares by severity.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Receives the library's log messages. The URLs in the messages are redacted.
@preconcurrency public protocol WebImageLogging: Sendable {
    /// Receives one message. Called on any thread, but never under a lock of the library.
    ///
    /// - Parameter metadata: Values that belong to the message, for structured logs. Each key is the name of a value.
    ///   The values contain no secrets. Every name begins with `webimage.` or is defined by OpenTelemetry's semantic
    ///   conventions.
    func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String])
}

/// The log of the process. By default it discards all messages.
///
/// To receive the messages, set ``destination``. To write the messages to standard error, set the environment variable
/// `WEBIMAGE_LOG` to the minimum severity: `debug`, `info`, `warning` or `error`.
public final class WebImageLog: Sendable {
    /// The log of the process.
    public static let shared = WebImageLog()

    private let logger: Locked<(any WebImageLogging)?>

    private init() {
        logger = Locked(Self.level(ProcessInfo.processInfo.environment["WEBIMAGE_LOG"]).map(StandardErrorLogger.init))
    }

    private static func level(_ name: String?) -> WebImageLogLevel? {
        let levels: [String: WebImageLogLevel] = ["debug": .debug, "info": .info, "warning": .warning, "error": .error]
        return name.flatMap { levels[$0.lowercased()] }
    }

    /// Whether the environment variable `WEBIMAGE_LOG` is `debug` or `info`. In this case every load is logged.
    package static let logsLoads =
        level(ProcessInfo.processInfo.environment["WEBIMAGE_LOG"]).map { $0 <= .info } ?? false

    /// The logger that receives the messages. If it is nil, the messages are discarded.
    public var destination: (any WebImageLogging)? {
        get { logger.withLock { $0 } }
        set { logger.withLock { $0 = newValue } }
    }

    /// Logs a message. The text is built only if a logger is set.
    package func log(
        _ level: WebImageLogLevel, _ message: @autoclosure () -> String,
        metadata: @autoclosure () -> [String: String] = [:]
    ) {
        guard let destination else { return }
        destination.log(level, message(), metadata: metadata())
    }
}

/// Writes messages of a minimum severity to standard error, one per line.
public struct StandardErrorLogger: WebImageLogging {
    private let minimum: WebImageLogLevel

    /// Creates a logger for messages whose severity is at least `minimum`.
    public init(minimum: WebImageLogLevel) { self.minimum = minimum }

    /// Writes one line: level, message, and the metadata as `name=value`, sorted by name.
    public func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
        guard level >= minimum else { return }
        let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        FileHandle.standardError.write(Data("webimage \(level): \(message)\(pairs)\n".utf8))
    }
}
