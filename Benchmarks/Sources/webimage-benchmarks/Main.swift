import Foundation
import Harness

/// Measures the library against its peers; `--help` lists the options.
@main
struct Main {
    /// Runs the benchmarks on a secondary thread, because programs do not decode on the main thread. If the last
    /// reference to an image is released on the main thread, our library frees the image on another thread. No
    /// competitor does this. On the main thread, the benchmarks would therefore compare different work.
    static func main() {
        // A write to the pipe of a peer that has ended raises SIGPIPE. By default, this signal ends this process
        // without a message. If the signal is ignored, the write fails and the harness reports an error.
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
        if arguments.first == ColdLoadWorker.name { return try ColdLoadWorker.run(Array(arguments.dropFirst())) }
        if arguments.first == FloodWorker.name { return try FloodWorker.run() }
        let options = try Options(arguments)
        guard !options.isHelp else { return print(Options.help) }
        if let alone = options.alone { return try IsolatedRun.run(alone, options) }
        if options.scenarios == ["own-times"] {
            return try OwnTimes.run(options.data, rounds: options.rounds(5, quick: 5))
        }
        if options.scenarios == ["delivery-settings"] { return try DeliverySettings.run(options.data) }
        let report = Report()
        print(InstructionCounter.note(options.countsInstructions))
        for name in options.scenarios {
            switch name {
            case "disk": try DiskScenario.run(options, report)
            case "download": try DownloadScenario.run(options, report)
            case "cold-load": try ColdLoadScenario.run(options, report)
            case "flood": try FloodScenario.run(options, report)
            case "burst": try BurstScenario.run(options, report)
            case "steady": try SteadyScenario.run(options, report)
            default:
                var contests = try Scenarios(options).contests(name)
                while !contests.isEmpty {
                    // Remove the contest from the list, so that its peers are released after this iteration.
                    // A `LinePeer` ends its program when it is released.
                    let contest = contests.removeFirst()
                    let result = try contest.run(rounds: options.rounds(21, quick: 5))
                    report.add(try IsolatedRun(scenario: name, options: options).complete(result, of: contest))
                }
            }
        }
        if let json = options.json { try report.write(to: json) }
    }
}
