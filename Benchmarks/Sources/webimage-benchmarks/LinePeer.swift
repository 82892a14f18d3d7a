import Foundation

/// A program that does a job whenever a line names one, and answers each with a line.
class LinePeer {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The interpreter that `./setup` made.
    static let python = package.appendingPathComponent(".venv/bin/python3").path
    static let peers = package.appendingPathComponent("peers")

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let name: String

    /// Starts a program found in the search path.
    init(_ name: String, _ command: [String]) throws {
        self.name = name
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { throw ScenarioError.missing("\(name): run ./setup") }
    }

    /// One of `peers/`, under that interpreter.
    convenience init(_ name: String, script: String) throws {
        try self.init(name, [Self.python, Self.peers.appendingPathComponent(script).path])
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Does a job once; throws where the answer is not `ok`.
    func run(_ job: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((job + "\n").utf8))
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            line += part
        }
        let answer = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard answer == "ok" else { throw ScenarioError.missing("\(name): \(answer)") }
    }
}
