import Foundation
import Harness

/// Measures the library beside its peers; `--help` says how to ask.
@main
struct Main {
    /// Runs on a thread that is not main: nobody decodes there, and a picture dropped there is freed elsewhere, which
    /// no competitor's is.
    static func main() {
        // A peer that has ended is an error to report, not the end of us.
        signal(SIGPIPE, SIG_IGN)
        Thread.detachNewThread {
            do {
                try run(Array(CommandLine.arguments.dropFirst()))
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("webimage-benchmarks: \(error)\n".utf8))
                exit(1)
            }
        }
        while true { pause() }
    }

    private static func run(_ arguments: [String]) throws {
        if arguments.first == DownloadWorker.name { return try DownloadWorker.run(Array(arguments.dropFirst())) }
        if arguments.first == LatencyWorker.name { return try LatencyWorker.run(Array(arguments.dropFirst())) }
        if arguments.first == FloodWorker.name { return try FloodWorker.run() }
        let options = try Options(arguments)
        guard !options.isHelp else { return print(Options.help) }
        if let alone = options.alone { return try Alone.run(alone, options) }
        if options.scenarios == ["own-times"] {
            return try OwnTimes.run(options.data, rounds: options.rounds(5, quick: 5))
        }
        let report = Report()
        print(InstructionCounter.note(options.countsInstructions))
        for name in options.scenarios {
            switch name {
            case "disk": try DiskScenario.run(options, report)
            case "download": try DownloadScenario.run(options, report)
            case "flood": try FloodScenario.run(options, report)
            case "burst": try BurstScenario.run(options, report)
            case "steady": try SteadyScenario.run(options, report)
            default:
                var contests = try Scenarios(options).contests(name)
                while !contests.isEmpty {
                    // Taken out, so that a contest's programs end with it.
                    let contest = contests.removeFirst()
                    let result = try contest.run(rounds: options.rounds(21, quick: 5))
                    report.add(try Alone(scenario: name, options: options).complete(result, of: contest))
                }
            }
        }
        if let json = options.json { try report.write(to: json) }
    }
}
