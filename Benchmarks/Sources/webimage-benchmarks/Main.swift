import Foundation
import Harness

/// Measures the library beside its peers:
/// `webimage-benchmarks [--json FILE] [--rounds N] [--quick] [--data DIR] [SCENARIO...]`.
@main
struct Main {
    /// Runs on a thread that is not main: nobody decodes there, and a picture dropped there is freed elsewhere, which
    /// no competitor's is.
    static func main() {
        Thread.detachNewThread {
            do {
                try run()
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("webimage-benchmarks: \(error)\n".utf8))
                exit(1)
            }
        }
        while true { pause() }
    }

    private static func run() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func value(of option: String) -> String? {
            guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
            defer { arguments.removeSubrange(index...index + 1) }
            return arguments[index + 1]
        }
        if arguments.first == "download-worker" { return try DownloadWorker.run(Array(arguments.dropFirst())) }
        let json = value(of: "--json")
        let chosenRounds = value(of: "--rounds").flatMap { Int($0) }
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        let rounds = chosenRounds ?? (isQuick ? 5 : 21)
        // 10⁶ entries take minutes to make.
        let isLarge = arguments.contains("--million")
        arguments.removeAll { $0 == "--million" }
        func numbers(of option: String) -> [Int]? {
            value(of: option).map { $0.split(separator: ",").compactMap { Int($0) } }
        }
        let entries = numbers(of: "--entries") ?? [1000, 10_000, 100_000] + (isLarge ? [1_000_000] : [])
        let sizes = numbers(of: "--sizes") ?? [1, 4, 20, 64, 100, 1024]
        let data = value(of: "--data") ?? "../../shared/conformance/bench"
        let scenarios = Scenarios(folder: URL(fileURLWithPath: data))
        guard !arguments.contains("--help") else {
            print("usage: webimage-benchmarks [--json FILE] [--rounds N] [--quick] [--data DIR] [SCENARIO...]")
            print("--rounds: how often each competitor is timed, 21 unless said; --quick: 5")
            print("scenarios: \(scenarios.names.joined(separator: " ")) memory-hit download flood disk own-times")
            print("disk: --million also with 10⁶ entries; --entries N,N and --sizes KB,KB these alone")
            return
        }
        let wanted = arguments.isEmpty ? scenarios.names : arguments
        guard
            wanted.allSatisfy({ !scenarios.names.contains($0) })
                || FileManager.default.fileExists(atPath: data + "/photo.jpg")
        else {
            FileHandle.standardError.write(
                Data("webimage-benchmarks: no photo.jpg in \(data); name the folder of the inputs with --data\n".utf8))
            exit(1)
        }
        var results: [ContestResult] = []
        for name in wanted {
            switch name {
            case "memory-hit":
                results += try MemoryScenario.run(rounds: rounds)
                continue
            case "download":
                try DownloadScenario.run(rounds: min(rounds, 9))
                continue
            case "own-times":
                try OwnTimes.run(URL(fileURLWithPath: data), rounds: chosenRounds ?? 5)
                continue
            case "flood":
                try FloodScenario.run(rounds: chosenRounds ?? 8)
                continue
            default: break
            }
            guard name != "disk" else {
                try DiskScenario.run(entries: entries, sizes: sizes.map { $0 * 1024 }, rounds: chosenRounds ?? 5)
                continue
            }
            for contest in try scenarios.contests(name) {
                let result = try contest.run(rounds: rounds)
                result.lines.forEach { print($0) }
                results.append(result)
            }
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(results).write(to: URL(fileURLWithPath: json))
        }
    }
}
