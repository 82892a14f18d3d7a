import Foundation

/// Counts the instructions that a command and its children execute in user space.
enum InstructionCounter: String {
    /// The processor's own counter, if the machine allows reading it.
    case perf = "perf stat"
    /// An emulated processor. It gives the same count, but it is fifty times slower and has no AVX-512.
    case valgrind = "valgrind"

    /// The tool that this machine has, or nil.
    static let present: InstructionCounter? = [.perf, .valgrind].first { counter in
        ((try? counter.count(["true"])) ?? nil) != nil
    }

    /// The count; nil if the tool gives none.
    func count(_ command: [String]) throws -> Int? {
        let folder = NSTemporaryDirectory() + "webimage-count-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tool =
            switch self {
            case .perf: ["perf", "stat", "-x", ",", "-e", "instructions:u", "-o", folder + "/count"]
            case .valgrind:
                [
                    "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                    "--trace-children=yes", "--log-file=\(folder)/%p",
                ]
            }
        let words = command.map { $0 == MeasuredProcess.itself ? Self.stripped ?? $0 : $0 }
        // Random hash seeds would make the count of each start different.
        let run = try MeasuredProcess.run(
            tool + words, environment: ["SWIFT_DETERMINISTIC_HASHING": "1", "PYTHONHASHSEED": "0"])
        // Do not count the instructions of a program that failed.
        guard !run.output.contains("error") else { return nil }
        // One line per process: `123,,instructions:u,…` or `==9== I   refs:      1,234`.
        var sum: Int?
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            for line in try String(contentsOfFile: folder + "/" + name, encoding: .utf8).split(separator: "\n") {
                let number: Substring? =
                    switch self {
                    case .perf: line.contains(",instructions") ? line.prefix { $0 != "," } : nil
                    case .valgrind: line.contains("I   refs:") ? line.split(separator: " ").last : nil
                    }
                guard let number, let count = Int(number.filter { $0 != "," }) else { continue }
                sum = (sum ?? 0) + count
            }
        }
        return sum
    }

    /// The path of a copy of this program without debug information, because valgrind cannot read that information.
    private static let stripped: String? = {
        let copy = Inputs.kept.appendingPathComponent("webimage-benchmarks").path
        return (try? MeasuredProcess.run(["strip", "-o", copy, MeasuredProcess.itself])).map { _ in copy }
    }()

    /// Returns the report's note about the column of instruction counts.
    static func note(_ isWanted: Bool) -> String {
        guard isWanted else { return "instructions: not counted, say --instructions" }
        switch present {
        case .perf: return "instructions: counted by perf stat, user space alone"
        case .valgrind: return "instructions: counted by valgrind, whose processor has no AVX-512"
        case nil: return "instructions: not counted, neither perf's counter nor valgrind is there"
        }
    }
}
