import Foundation
import Testing
import WebImageCore
import WebImageServer
import WebImageServerTesting
import WebImageTesting

/// Runs `webimage serve` as a child process, on a free port of the loopback interface.
final class RunningService: Sendable {
    private struct State {
        var output = ""
        var errors = ""
    }

    private let process: Locked<Process>
    private let state = Locked(State())
    private let outputs = DispatchGroup()
    let identifier: Int32

    /// - Parameters:
    ///   - cacheFolder: The cache in the folder, as a relative path; nil for the folder itself.
    ///   - through: A program that runs the command, such as `/usr/bin/env`, and the arguments of this program.
    init(
        _ arguments: [String] = [], in folder: ScratchFolder, cacheFolder: String? = nil,
        environment: [String: String] = [:], listening: String? = "127.0.0.1:0", through: [String] = []
    ) async throws {
        let words =
            ["serve", "--allowed-address", "127.0.0.0/8", "--cache-dir", cacheFolder ?? folder.url.path]
            + (listening.map { ["--listen", $0] } ?? []) + arguments
        let started = try Tool.start(
            words, environment: environment, through: through, in: cacheFolder == nil ? nil : folder.url.path)
        process = Locked(started.process)
        identifier = started.process.processIdentifier
        collect(started.output) { $0.output += $1 }
        collect(started.errors) { $0.errors += $1 }
        let marks = ["serving "] + (arguments.contains("--admin") ? [Self.adminMark] : [])
        guard await eventually({ marks.allSatisfy(self.hasLine) || !self.isRunning }), isRunning else {
            stop()
            throw RawClient.Failure(description: "the service did not start: \(errors)")
        }
    }

    deinit { kill(identifier, SIGKILL) }

    private func collect(_ pipe: Pipe, _ take: @escaping @Sendable (inout State, String) -> Void) {
        let handle = pipe.fileHandleForReading
        outputs.enter()
        let thread = Thread { [state, outputs] in
            while case let data = handle.availableData, !data.isEmpty {
                state.withLock { take(&$0, String(decoding: data, as: UTF8.self)) }
            }
            outputs.leave()
        }
        thread.start()
    }

    /// The standard output so far. It contains only the access log.
    var output: String { state.withLock { $0.output } }
    var errors: String { state.withLock { $0.errors } }
    var isRunning: Bool { process.withLock { $0.isRunning } }

    /// The JSON objects in the access log, one per line. Requires `--access-log json`.
    var entries: [[String: Any]] {
        output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// The address on which the service listens. The start message of the service contains this address.
    var address: ListenAddress {
        get throws { try ListenAddress(try word(after: "targets on ")) }
    }

    var admin: ListenAddress {
        get throws { try ListenAddress(try word(after: Self.adminMark)) }
    }

    private static let adminMark = "metrics and purges on "

    /// Returns whether the service has written a complete line that contains `mark` to standard error. A
    /// message can arrive in parts, so the text after `mark` is complete only when the line has ended.
    private func hasLine(with mark: String) -> Bool {
        let errors = errors
        return errors.range(of: mark).map { errors[$0.upperBound...].contains("\n") } ?? false
    }

    private func word(after mark: String) throws -> String {
        guard let range = errors.range(of: mark) else { throw RawClient.Failure(description: "not said: \(mark)") }
        return String(errors[range.upperBound...].prefix { !";, \n".contains($0) })
    }

    func signal(_ number: Int32) { kill(identifier, number) }

    /// Opens a connection, sends one request and returns the response.
    func get(_ target: String, method: String = "GET", further: String = "") async throws -> RawClient.Answer {
        let address = try address
        return try await onThread {
            try RawClient(address).get(target, method: method, further: further)
        }
    }

    /// Stops the service with the signal `number` and returns the exit code. Blocks the calling thread.
    @discardableResult
    func stop(_ number: Int32 = SIGTERM) -> Int32 {
        if isRunning { kill(identifier, number) }
        return wait()
    }

    /// Waits until the service ends. Returns the exit code, or the negative signal number if a signal ended the
    /// service. A crash is an issue of the test, whatever the test looks at. Blocks the calling thread.
    func wait() -> Int32 {
        let process = process.withLock { $0 }
        process.waitUntilExit()
        outputs.wait()
        let crashes = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]
        if process.terminationReason == .uncaughtSignal, crashes.contains(process.terminationStatus) {
            Issue.record("the service crashed, signal \(process.terminationStatus): \(errors)")
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
