import Foundation
import WebImage

/// What the command prints: results on standard output, everything else on standard error.
enum Console {
    private static let lock = Locked(())

    static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func line(_ text: String) { out(text + "\n") }

    static func error(_ message: String) { write("webimage: \(message)\n", to: STDERR_FILENO) }

    static func status(_ text: String) { write(text, to: STDERR_FILENO) }

    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static var statusIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Lines from several tasks must not mix; a reader that went away (`| head`) ends nothing but the writing.
    private static func write(_ text: String, to descriptor: Int32) {
        lock.withLock { _ in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if written < 0 {
                    if errno == EINTR { continue }
                    return
                }
                rest = rest.dropFirst(written)
            }
        }
    }
}

/// An error as the command reports it: its line, and the exit code it stands for.
extension WebImageError {
    var exitCode: ExitCode { code == .limitExceeded ? .limited : isCancellation ? .interrupted : .failed }

    /// What the command was reading or writing when it failed: a failure of a file that is written names that file, and
    /// no other failure blames it.
    func subject(of operand: String) -> String {
        guard stage == .store, let url, url.isFileURL else { return operand }
        return url.relativePath
    }

    /// The error without its URL, for a line that starts with the operand. The system's words are enough for a file.
    var message: String {
        if code == .fileSystem, case .posix(let number, let words)? = underlying {
            let folder = "Name a file; load, info and thumbnail take folders with --recursive."
            return "\(words). \(number == EISDIR && stage == .download ? folder : hint ?? "")"
        }
        var copy = self
        copy.url = nil
        return copy.description
    }

    /// The step that failed, in the command's words.
    func step(of operand: String) -> String {
        switch stage {
        case .download where operand == InputSource.standardInput || InputSource.url(operand).isFileURL: "read"
        case .store: "write"
        default: stage.rawValue
        }
    }

    /// The error as a line of JSON, after a member that says what it is about.
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
