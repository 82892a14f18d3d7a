import Dispatch
import Foundation
import WebImage
import WebImageService

/// The access log. Writes one line per request to standard output.
///
/// A separate thread writes the lines, so that a slow reader of the log does not delay answers. At most 4 MiB of lines
/// wait for this thread. Lines above this limit are dropped and counted.
final class AccessLog: Sendable {
    private struct State {
        var format: AccessLogFormat
        var lines: [String] = []
        var byteCount = 0
        var lost = 0
        var isClosed = false
    }

    private static let longestQueue = 4 << 20
    private let state: Locked<State>
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let output: @Sendable (String) -> Void

    init(_ format: AccessLogFormat, output: @escaping @Sendable (String) -> Void = { Console.out($0) }) {
        state = Locked(State(format: format))
        self.output = output
        let thread = Thread(name: "webimage.log") { [self] in run() }
        thread.stackSize = 256 * 1024
        thread.start()
    }

    var format: AccessLogFormat {
        get { state.withLock { $0.format } }
        set { state.withLock { $0.format = newValue } }
    }

    func write(_ request: ServiceRequest, _ response: ServiceResponse) {
        let format = format
        guard format != .none else { return }
        let entry = Entry(request, response, at: Date())
        let line = (format == .json ? entry.json : entry.text) + "\n"
        let isFirst = state.withLock { state in
            guard !state.isClosed, state.byteCount + line.utf8.count <= Self.longestQueue else {
                state.lost += 1
                return false
            }
            state.lines.append(line)
            state.byteCount += line.utf8.count
            return state.lines.count == 1
        }
        if isFirst { wake.signal() }
    }

    /// Writes the remaining lines and stops the thread. Blocks for at most two seconds.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
        _ = ended.wait(timeout: .now() + 2)
    }

    private func run() {
        while true {
            wake.wait()
            let (lines, lost, isClosed) = state.withLock { state in
                defer { (state.lines, state.byteCount, state.lost) = ([], 0, 0) }
                return (state.lines, state.lost, state.isClosed)
            }
            if !lines.isEmpty { output(lines.joined()) }
            if lost > 0 { Console.error("\(lost) lines of the access log were left out") }
            if isClosed { break }
        }
        ended.signal()
    }
}

extension AccessLog {
    /// One logged request. The logged source and target do not contain parts that could be secret.
    struct Entry {
        let request: ServiceRequest
        let response: ServiceResponse
        let date: Date

        init(_ request: ServiceRequest, _ response: ServiceResponse, at date: Date) {
            self.request = request
            self.response = response
            self.date = date
        }

        private var time: String {
            date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }

        private var milliseconds: Double { response.logEntry.duration / .milliseconds(1) }

        /// The line of the text log, in the form `TIME CLIENT "METHOD TARGET" STATUS BYTES B MS ms OUTCOME …`. Each
        /// quote and line end that the client sent is replaced with U+FFFD.
        var text: String {
            let logEntry = response.logEntry
            var words = [
                time, request.client ?? "local",
                "\"\(Self.visible(request.method)) \(Self.visible(logEntry.target))\"", "\(response.status)",
                "\(request.method == "HEAD" ? 0 : response.body.count) B", String(plainFormat: "%.1f ms", milliseconds),
                logEntry.outcome.rawValue,
            ]
            if let format = logEntry.format { words.append("\(format)") }
            if let size = logEntry.size { words.append("\(size.width)x\(size.height)") }
            if let source = logEntry.source { words.append("source=\(Self.visible(source))") }
            if let reason = logEntry.reason { words.append("reason=\(reason)") }
            if let message = logEntry.message { words.append("(\(Self.visible(message)))") }
            words.append("id=\(logEntry.requestID)")
            if let trace = logEntry.traceParent { words.append("trace=\(trace)") }
            return words.joined(separator: " ")
        }

        var json: String {
            let logEntry = response.logEntry
            var line = JSONLine()
            line.add("time", .string(time))
            line.add("id", .string(logEntry.requestID))
            line.add("traceparent", .init(logEntry.traceParent))
            line.add("client", .init(request.client))
            line.add("method", .string(request.method))
            line.add("target", .string(logEntry.target))
            line.add("status", .integer(response.status))
            line.add("bytes", .integer(request.method == "HEAD" ? 0 : response.body.count))
            line.add("ms", .number(milliseconds))
            line.add("route", .string(logEntry.route.rawValue))
            line.add("outcome", .string(logEntry.outcome.rawValue))
            line.add("source", .init(logEntry.source))
            line.add("format", .init(logEntry.format.map { "\($0)" }))
            line.add("width", .init(logEntry.size?.width))
            line.add("height", .init(logEntry.size?.height))
            line.add("reason", .init(logEntry.reason))
            line.add("message", .init(logEntry.message))
            for (stage, duration) in logEntry.stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                line.add("\(stage.rawValue)_ms", .number(duration / .milliseconds(1)))
            }
            return line.text
        }

        /// Replaces each quote, line end, control character and format character of a text with U+FFFD.
        private static func visible(_ text: String) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { scalar in
                        let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                            scalar.properties.generalCategory)
                        return isHidden || scalar == "\"" ? "\u{FFFD}" : scalar
                    }))
        }
    }
}
