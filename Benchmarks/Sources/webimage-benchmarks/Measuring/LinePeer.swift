import Foundation
import Harness

/// A program that does one job for each line of its standard input. The program answers each line with `ok`, or with
/// `ok` and a result. Any other answer means that the job failed.
///
/// The program starts when it is first needed and ends when this object is released.
final class LinePeer {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// The path of the Python interpreter that `./setup` created.
    static let python = package.appendingPathComponent(".venv/bin/python3").path
    static let peers = package.appendingPathComponent("peers")

    let name: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let first: [String]
    private var isStarted = false

    /// Creates a peer that runs `command` with env(1). env(1) finds the program in the search path. To prepare the
    /// program, the peer sends the lines of `first` directly after the start.
    init(_ name: String, _ command: [String], first: [String] = []) {
        self.name = name
        self.first = first
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = input
        process.standardOutput = output
    }

    deinit {
        try? input.fileHandleForWriting.close()
        if isStarted { process.waitUntilExit() }
    }

    /// Starts the program and sends the lines of `first`. Does nothing if the program is already running. Throws if the
    /// program is missing or does not answer a line with `ok`.
    func start() throws {
        guard !isStarted else { return }
        do { try process.run() } catch { throw ScenarioError.missing("\(name): run ./setup") }
        isStarted = true
        for line in first { try run(line) }
    }

    /// Sends a job and waits for the answer. Throws if the job fails.
    func run(_ job: String) throws { _ = try answer(to: job) }

    /// Sends a job, waits for the answer and returns the text after `ok`. Throws if the job fails or if the program has
    /// ended.
    @discardableResult
    func answer(to job: String) throws -> String {
        do { try input.fileHandleForWriting.write(contentsOf: Data((job + "\n").utf8)) } catch {
            throw ScenarioError.missing("\(name) has ended; run ./setup")
        }
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            line += part
        }
        let answer = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !answer.isEmpty else { throw ScenarioError.missing("\(name) has ended; run ./setup") }
        guard answer == "ok" || answer.hasPrefix("ok ") else { throw ScenarioError.missing("\(name): \(answer)") }
        return String(answer.dropFirst(3))
    }

    /// Returns a command that starts a new process of the program. The standard input of this process is a file that
    /// contains the lines of `first` and then the job `runs` times.
    private func command(_ job: String, runs: Int) throws -> [String] {
        let file = Inputs.kept.appendingPathComponent("lines").path
        let lines = first + Array(repeating: job, count: runs)
        try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return ["sh", "-c", "exec env \"$@\" < \(file)", "sh"] + (process.arguments ?? [])
    }

    /// The process ID of the program, or nil before the start.
    var pid: pid_t? { isStarted ? process.processIdentifier : nil }

    /// Returns a competitor that sends `job` to this program on each turn.
    func competitor(_ job: String, named name: String? = nil, target: Double? = nil) -> Contest.Competitor {
        Contest.Competitor(
            name ?? self.name, target: target, prepare: start, process: { self.pid },
            command: { try self.command(job, runs: $0) }, run: { try self.run(job) })
    }
}
