import Foundation
import Harness

/// Prints each result as soon as it is available. Collects all results for the JSON file of `--json`.
final class Report {
    private(set) var results: [ContestResult] = []

    func add(_ result: ContestResult) {
        result.lines.forEach { print($0) }
        // Flush immediately. Otherwise a result could stay in the output buffer for minutes while the next
        // scenario runs.
        fflush(nil)
        results.append(result)
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(fileURLWithPath: path))
    }
}
