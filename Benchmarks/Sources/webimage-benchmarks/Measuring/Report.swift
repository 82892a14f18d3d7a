import Foundation
import Harness

/// Prints results as they arrive and stores them.
final class Report {
    private(set) var results: [ContestResult] = []

    func add(_ result: ContestResult) {
        result.lines.forEach { print($0) }
        // Flush immediately, because some scenarios take minutes.
        fflush(nil)
        results.append(result)
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(fileURLWithPath: path))
    }
}
