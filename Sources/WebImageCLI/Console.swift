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
    /// The error's line without its URL, for a line that starts with the operand.
    var withoutURL: WebImageError {
        var copy = self
        copy.url = nil
        return copy
    }

    var exitCode: ExitCode { code == .limitExceeded ? .limited : isCancellation ? .interrupted : .failed }
}
