import Foundation
import WebImage

/// Writes the output of the command. Results go to standard output, and all other text goes to standard error.
enum Console {
    private struct State {
        /// The output descriptors whose reader has closed the pipe. Output to these descriptors is dropped.
        var closed: Set<Int32> = []
        /// The first other error of a write to standard output; 0 for none.
        var error: Int32 = 0
    }

    private static let state = Locked(State())

    /// Prints an error if results were lost, for example because the disk is full. Called at the end of the command.
    ///
    /// - Returns: The exit code of the command.
    static func finish(_ code: Int32) -> Int32 {
        let number = state.withLock { $0.error }
        guard number != 0 else { return code }
        error("standard output: \(String(cString: strerror(number)))")
        return code == ExitCode.ok.rawValue ? ExitCode.failed.rawValue : code
    }

    static func out(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func line(_ text: String) { out(text + "\n") }

    /// Prints an error. Control characters are escaped, because the message can contain text of a file or a server.
    static func error(_ message: String) {
        write("webimage: \(RawText.withoutControls(message))\n", to: STDERR_FILENO)
    }

    /// Returns the function that prints the lines of a report. It prints nothing if `--quiet` is given.
    static func reporter(isQuiet: Bool) -> @Sendable (String) -> Void { { text in if !isQuiet { line(text) } } }

    static func status(_ text: String) { write(text, to: STDERR_FILENO) }

    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static var statusIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes under a lock, so that lines from several tasks do not mix. If the reader has closed the pipe, as in
    /// `| head`, further output is dropped and the program continues.
    private static func write(_ text: String, to descriptor: Int32) {
        state.withLock { state in
            guard !state.closed.contains(descriptor) else { return }
            let error = Array(text.utf8).withUnsafeBytes { bytes in
                SystemCall.transfer(bytes.count) { Foundation.write(descriptor, bytes.baseAddress! + $0, $1) }
            }
            if error == EPIPE { state.closed.insert(descriptor) }
            if error != EPIPE, descriptor == STDOUT_FILENO, state.error == 0 { state.error = error }
        }
    }
}

extension String {
    /// Returns the text with spaces behind it, as a column of `width` characters. A longer text is not cut.
    func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}

extension Console {
    static func report(_ operand: String, _ failure: WebImageError) {
        error(failure.line(of: operand))
    }
}
