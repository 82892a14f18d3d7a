import WebImageCore
import WebImageLoading
import WebImageTesting

/// Runs histories with a manager and with its model, and compares the deliveries and the contents of the caches.
///
/// ```swift
/// let check = ReferenceCheck(origin: try ReferenceOrigin(), subject: subject)
/// let failure = try await check.run(300, seed: 1)
/// #expect(failure == nil)
/// ```
package final class ReferenceCheck: Sendable {
    /// A history whose result the model does not allow.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The seed of the run.
        package var seed: UInt64
        /// The number of the history in its run, counted from 1.
        package var number: Int
        /// The shortest failing history that was found.
        package var history: ReferenceHistory
        /// The observed result and the results that the model allows.
        package var reason: String

        /// The reason, and the data that is needed to run the history again.
        package var description: String {
            "history \(number) of seed \(seed), shortened:\n\(history)\n\(reason)"
        }
    }

    let origin: ReferenceOrigin
    private let makeSubject: @Sendable () throws -> ReferenceSubject
    private let lastHistory = Locked(0)

    /// Checks managers whose loader fetches from `origin`.
    ///
    /// - Parameter subject: Makes a manager. One manager runs several histories in sequence; each history has its own
    ///   URLs.
    package init(origin: ReferenceOrigin, subject: @escaping @Sendable () throws -> ReferenceSubject) {
        self.origin = origin
        makeSubject = subject
    }

    /// Runs random histories until one fails, and shortens the failing history.
    ///
    /// - Returns: The failure; nil if the model allows all results.
    /// - Throws: An error of the closure that makes a subject.
    package func run(_ count: Int, seed: UInt64) async throws -> Failure? {
        var random = SeededRandom(seed: seed)
        var subject = try makeSubject()
        for number in 1...max(count, 1) {
            let history = ReferenceHistory.random(using: &random, mayLoseEntries: subject.mayLoseEntries)
            guard let reason = try await run(history, on: &subject) else { continue }
            let (shortest, last) = try await shortened(history, reason)
            return Failure(seed: seed, number: number, history: shortest, reason: last)
        }
        return nil
    }

    /// Runs one history.
    ///
    /// - Returns: Nil if the model allows the result, otherwise a description of the result.
    /// - Throws: An error of the closure that makes a subject.
    package func run(_ history: ReferenceHistory) async throws -> String? {
        var subject = try makeSubject()
        return try await run(history, on: &subject)
    }

    private func run(_ history: ReferenceHistory, on subject: inout ReferenceSubject) async throws -> String? {
        let number = lastHistory.withLock { last in
            last += 1
            return last
        }
        var run = ReferenceRun(origin: origin, history: number, subject: subject)
        let reason = try await run.reason(history)
        subject = run.subject
        await subject.clearMemory()
        subject.manager.removeAllFailedURLs()
        origin.forget(resources: ReferenceHistory.resourceCount, history: number)
        return reason
    }

    // MARK: Shrinking

    /// The longest time for which a failing history is shortened. A history that fails because its loads do not end takes
    /// many seconds each time it runs.
    private static let longestShrinking = Duration.seconds(60)

    /// Removes steps, loads and options from a failing history as long as the history still fails. Returns the shortest
    /// failing history that was found in ``longestShrinking``, and its reason.
    private func shortened(
        _ history: ReferenceHistory, _ reason: String
    ) async throws -> (ReferenceHistory, String) {
        var (best, reason) = (history, reason)
        var isChanged = true
        let end = ContinuousClock.now + Self.longestShrinking
        while isChanged {
            isChanged = false
            for candidate in best.simpler where ContinuousClock.now < end {
                guard let other = try await fails(candidate) else { continue }
                (best, reason, isChanged) = (candidate, other, true)
                break
            }
        }
        return (best, reason)
    }

    /// Runs a history. Returns the reason of a failure; nil if the history does not fail. A failure of concurrent loads
    /// can depend on the order in which their steps run. Therefore a history with concurrent loads runs up to five
    /// times.
    private func fails(_ history: ReferenceHistory) async throws -> String? {
        let isConcurrent = history.steps.contains {
            if case .load(let loads, _, _) = $0 { loads.count > 1 } else { false }
        }
        for _ in 0..<(isConcurrent ? 5 : 1) { if let reason = try await run(history) { return reason } }
        return nil
    }
}
