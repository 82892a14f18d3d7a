import Foundation
import Harness

/// One competitor of a contest in a process that does nothing else: what it needs by itself.
struct Alone {
    let scenario: String
    let options: Options

    /// The arguments of such a process: `--alone SCENARIO CONTEST COMPETITOR RUNS`.
    static let option = "--alone"

    /// The child's side: prints by how many bytes its memory grew.
    static func run(_ words: [String], _ options: Options) throws {
        guard let runs = Int(words[3]) else { throw ScenarioError.unknown(words[3]) }
        guard let contest = try Scenarios(options).contests(words[0]).first(where: { $0.name == words[1] }) else {
            throw ScenarioError.unknown(words[1])
        }
        print(try contest.alone(words[2], runs: runs) ?? -1)
    }

    /// Adds what can only be measured alone: memory, and where they are wanted instructions.
    func complete(_ result: ContestResult, of contest: Contest) throws -> ContestResult {
        var result = result
        for index in result.entries.indices {
            let name = result.entries[index].name
            // What is freed goes back at once, whatever its size: else a program's history would hide its needs.
            let child = try MeasuredProcess.run(
                command(result.name, name, runs: 1),
                environment: ["MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"])
            let grown = child.output.split(separator: "\n").last.flatMap { Int($0) } ?? -1
            result.entries[index].cost.memory = grown < 0 ? nil : grown
            guard options.countsInstructions, let counter = InstructionCounter.present else { continue }
            // The first run pays for starting; the others differ by nothing but being one more.
            let more = max(1, min(20, Int(30 / result.entries[index].median)))
            let own = { self.command(result.name, name, runs: $0) }
            let command = contest.competitors.first { $0.name == name }?.command ?? own
            guard let one = try? counter.count(command(1)), let all = try? counter.count(command(1 + more)) else {
                continue
            }
            result.entries[index].cost.instructions = (all - one) / more
        }
        return result
    }

    private func command(_ contest: String, _ competitor: String, runs: Int) -> [String] {
        [
            MeasuredProcess.itself, "--data", options.data.path, Self.option, scenario, contest, competitor,
            "\(runs)",
        ]
    }
}
