import Foundation
import Harness

/// Prints what was measured, as it comes, and keeps it.
final class Report {
    private(set) var results: [ContestResult] = []

    func add(_ result: ContestResult) {
        result.lines.forEach { print($0) }
        // Nothing is held back from a file: some scenarios take minutes.
        fflush(nil)
        results.append(result)
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(fileURLWithPath: path))
    }
}
