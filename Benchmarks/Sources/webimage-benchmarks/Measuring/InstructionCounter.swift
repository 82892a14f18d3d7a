import Foundation

/// Counts the instructions that a command and its children execute in user space.
enum InstructionCounter: String {
    /// `perf stat` reads the instruction counter of the processor. Not all machines allow this.
    case perf = "perf stat"
    /// `valgrind` emulates the processor. It reports the same count as `perf stat`. It is fifty times slower than
    /// `perf stat` and does not support AVX-512.
    case valgrind = "valgrind"

    /// The first tool that works on this machine, or nil if no tool works.
    static let present: InstructionCounter? = [.perf, .valgrind].first { counter in
        ((try? counter.count(["true"])) ?? nil) != nil
    }

    /// Runs a command and returns the number of its instructions. Returns nil if the tool reports no number or if the
    /// command fails.
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
        // Disable the random hash seeds of Swift and Python. With random seeds, each process would have a different
        // count.
        let run = try MeasuredProcess.run(
            tool + words, environment: ["SWIFT_DETERMINISTIC_HASHING": "1", "PYTHONHASHSEED": "0"])
        // If a script in `peers/` fails, it prints `error` but ends with status 0. The count of a failed script would
        // be too small.
        guard !run.output.contains("error") else { return nil }
        // The tools write one line per process: perf writes `123,,instructions:u,…`, and valgrind writes
        // `==9== I   refs:      1,234`.
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
