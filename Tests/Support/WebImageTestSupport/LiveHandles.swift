import Foundation
import WebImageCore
import WebImageTesting

/// Counts the C handles that are open in this process. Each kind of handle (curl, JPEG, PNG, SQLite …) has its own
/// count.
package enum LiveHandles {
    /// The number of open handles by kind; kinds without open handles are omitted.
    package static var current: [String: Int] { HandleLedger.live }

    /// Waits until no handle of a chosen kind is open.
    ///
    /// - Parameters:
    ///   - deadline: The maximum time to wait.
    ///   - isChosen: Selects the kinds to check; all kinds by default.
    /// - Throws: ``LiveHandlesError`` that names the handles still open at the deadline.
    package static func expectNone(
        within deadline: Duration = .seconds(30), where isChosen: @Sendable (String) -> Bool = { _ in true }
    ) async throws {
        var left: [String: Int] = [:]
        let areClosed = await eventually(within: deadline / .seconds(1)) {
            left = current.filter { isChosen($0.key) }
            return left.isEmpty
        }
        if !areClosed { throw LiveHandlesError(left: left) }
    }
}

/// The error for handles that were not closed in time.
package struct LiveHandlesError: Error, CustomStringConvertible {
    /// The number of open handles by kind.
    package let left: [String: Int]

    /// The kinds and counts in one line.
    package var description: String {
        "C handles still alive: "
            + left.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
