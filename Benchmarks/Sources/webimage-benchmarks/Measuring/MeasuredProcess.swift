import Foundation
import Harness

/// The costs and the standard output of a child process. The program `webimage-measured` starts and measures this
/// child process.
struct MeasuredProcess {
    let output: String
    /// Milliseconds from the start of the process to its end.
    let wall: Double
    /// Milliseconds of processor time, user and system.
    let cpu: Double
    /// The peak of resident memory in bytes.
    let memory: Int

    /// The path of this program.
    static let itself = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

    /// Runs a program until it ends. Adds the given variables to the environment of the program.
    ///
    /// - Throws: ``ScenarioError`` if the program cannot be started or ends with a status other than 0.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> MeasuredProcess {
        let file = NSTemporaryDirectory() + "webimage-measured-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: file) }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: itself).deletingLastPathComponent()
            .appendingPathComponent("webimage-measured")
        process.arguments = [file] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = pipe
        do { try process.run() } catch { throw ScenarioError.missing("webimage-measured: \(error)") }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ScenarioError.failed("\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        let figures = try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isWhitespace)
            .compactMap { Double($0) }
        guard figures.count == 3 else { throw ScenarioError.failed("webimage-measured said nothing") }
        return MeasuredProcess(output: output, wall: figures[0], cpu: figures[1], memory: Int(figures[2]))
    }
}
