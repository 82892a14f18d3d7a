import Foundation
import WebImage

/// Writes the output of the command. Results go to standard output, and all other text goes to standard error.
enum Console {
    /// The output descriptors whose reader has closed the pipe. Output to these descriptors is dropped.
    private static let closed = Locked<Set<Int32>>([])

    static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func line(_ text: String) { out(text + "\n") }

    static func error(_ message: String) { write("webimage: \(message)\n", to: STDERR_FILENO) }

    static func status(_ text: String) { write(text, to: STDERR_FILENO) }

    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static var statusIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes under a lock, so that lines from several tasks do not mix. If the reader has closed the pipe, as in
    /// `| head`, further output is dropped and the program continues.
    private static func write(_ text: String, to descriptor: Int32) {
        closed.withLock { closed in
            guard !closed.contains(descriptor) else { return }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if written < 0 {
                    if errno == EINTR { continue }
                    if errno == EPIPE { closed.insert(descriptor) }
                    return
                }
                rest = rest.dropFirst(written)
            }
        }
    }
}

// The line and the exit code with which the command reports an error.
extension WebImageError {
    var exitCode: ExitCode { code == .limitExceeded ? .limited : isCancellation ? .interrupted : .failed }

    /// Returns the file or URL that failed. This is the output file if writing failed, otherwise the operand.
    func subject(of operand: String) -> String {
        guard stage == .store, let url, url.isFileURL else { return operand }
        return url.relativePath
    }

    /// The message without the URL, because the printed line already begins with the operand. For an error of the file
    /// system, the message is the system's message and a hint.
    var message: String {
        if code == .fileSystem, case .posix(let number, let words)? = underlying {
            let folder = "Name a file; load, info and thumbnail take folders with --recursive."
            return "\(words). \(number == EISDIR && stage == .download ? folder : hint ?? "")"
        }
        var copy = self
        copy.url = nil
        return copy.description
    }

    /// Returns the name of the step that failed, for the report. Reading a file is `read`, and writing a file is
    /// `write`. Other steps have the name of the stage.
    func step(of operand: String) -> String {
        switch stage {
        case .download where operand == InputSource.standardInput || InputSource.url(operand).isFileURL: "read"
        case .store: "write"
        default: stage.rawValue
        }
    }

    /// Returns the error as a JSON object on one line. The first member has the name `name` and contains the operand.
    func json(_ name: String, _ operand: String) -> String {
        var object = JSONLine()
        object.add(name, .string(operand))
        object.add("error", .integer(code.rawValue))
        object.add("stage", .string(step(of: operand)))
        object.add("message", .string(message))
        return object.text
    }
}

extension Console {
    static func report(_ operand: String, _ failure: WebImageError) {
        error("\(failure.subject(of: operand)): \(failure.message)")
    }
}
