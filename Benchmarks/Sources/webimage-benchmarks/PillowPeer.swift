import Foundation

/// Pillow in a process of its own, that does a job whenever a line names one; see `peers/pillow.py`.
final class PillowPeer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Opens a picture; throws when `./setup` has not been run.
    init(_ file: URL) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent(".venv/bin/python3")
        process.arguments = [folder.appendingPathComponent("peers/pillow.py").path]
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { throw ScenarioError.missing("Pillow: run ./setup") }
        try run("open " + file.path)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Does a job once; a line there and a line back.
    func run(_ job: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((job + "\n").utf8))
        let answer = readLine()
        guard answer == "ok" else { throw ScenarioError.missing("Pillow: \(answer)") }
    }

    /// An answer without its line end, which may come in a read of its own.
    private func readLine() -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            line += part
        }
        return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// What a job gives, as straight RGBA rows without gaps.
    func pixels(_ job: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("pillow-\(getpid())")
        defer { try? FileManager.default.removeItem(at: file) }
        try run(job)
        try run("save " + file.path)
        return [UInt8](try Data(contentsOf: file))
    }
}
