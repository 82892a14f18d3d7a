import Foundation
import Harness

/// Measures one competitor of a contest in a child process that does nothing else.
struct IsolatedRun {
    let scenario: String
    let options: Options

    /// The option that starts the child process: `--alone SCENARIO CONTEST COMPETITOR RUNS`.
    static let option = "--alone"

    /// The child process calls this function. It runs the competitor and prints the growth of the resident memory in
    /// bytes, or -1 if the growth is unknown.
    static func run(_ words: [String], _ options: Options) throws {
        guard let runs = Int(words[3]) else { throw ScenarioError.unknown(words[3]) }
        guard let contest = try Scenarios(options).contests(words[0]).first(where: { $0.name == words[1] }) else {
            throw ScenarioError.unknown(words[1])
        }
        print(try contest.alone(words[2], runs: runs) ?? -1)
    }

    /// Adds two values to a result that can be measured only in a separate process. These are the memory and, on
    /// request, the number of instructions.
    func complete(_ result: ContestResult, of contest: Contest) throws -> ContestResult {
        var result = result
        for index in result.entries.indices {
            let name = result.entries[index].name
            // Make malloc(3) return freed blocks of 64 KB or more to the system immediately. Otherwise the run could
            // reuse memory that was freed earlier, and its growth would be too small.
            let child = try MeasuredProcess.run(
                command(result.name, name, runs: 1),
                environment: ["MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"])
            let grown = child.output.split(separator: "\n").last.flatMap { Int($0) } ?? -1
            result.entries[index].cost.memory = grown < 0 ? nil : grown
            guard options.countsInstructions, let counter = InstructionCounter.present else { continue }
            // The count of a process includes the start of the process. Therefore count a process with one run and a
            // process with `1 + more` runs. The difference is the count of `more` runs.
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
