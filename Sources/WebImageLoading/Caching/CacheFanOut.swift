import Foundation
import WebImageCore

/// Sends one call to several caches, one after another or concurrently.
struct CacheFanOut: Sendable {
    /// The caches, ordered from the highest to the lowest.
    let caches: [RegisteredCache]
    let isSerial: Bool

    /// Calls `visit` for each cache. `visit` must call `answer` once, on any thread. If `isSerial` is true, `visit` is called
    /// for the next cache only after the previous answer has arrived, and only if that answer does not satisfy
    /// `isEnough`. Otherwise `visit` is called for all caches immediately.
    ///
    /// `end` is called exactly once, with the first answer that satisfies `isEnough`. If no answer satisfies
    /// `isEnough`, `end` receives the last answer that arrived. If there are no caches, `end` receives nil.
    func ask<Answer: Sendable>(
        isEnough: @escaping @Sendable (Answer) -> Bool,
        _ visit:
            @escaping @Sendable (
                _ cache: RegisteredCache, _ index: Int, _ answer: @escaping @Sendable (Answer) -> Void
            ) -> Void,
        end: @escaping @Sendable (Answer?) -> Void
    ) {
        if caches.isEmpty { return end(nil) }
        if isSerial { return askInTurn(from: 0, isEnough: isEnough, visit, end: end) }
        let open = Locked(caches.count)
        let completion = Completion(end)
        for (index, cache) in caches.enumerated() {
            visit(cache, index) { answer in
                // Complete before decreasing `open`. With the opposite order, another thread could decrease `open` to 0
                // between the two steps. It could then complete with its own answer, which does not satisfy `isEnough`.
                if isEnough(answer) { completion.complete(with: answer) }
                let isLast = open.withLock { open in
                    open -= 1
                    return open == 0
                }
                if isLast { completion.complete(with: answer) }
            }
        }
    }

    /// Visits the caches one after another, beginning with the one at `index`, until an answer is enough.
    private func askInTurn<Answer: Sendable>(
        from index: Int, isEnough: @escaping @Sendable (Answer) -> Bool,
        _ visit: @escaping @Sendable (RegisteredCache, Int, @escaping @Sendable (Answer) -> Void) -> Void,
        end: @escaping @Sendable (Answer?) -> Void
    ) {
        visit(caches[index], index) { answer in
            if isEnough(answer) || index + 1 == caches.count { return end(answer) }
            askInTurn(from: index + 1, isEnough: isEnough, visit, end: end)
        }
    }

    /// Runs an operation on every cache. Calls `completion` when all caches have completed.
    func perform(
        _ completion: (@Sendable () -> Void)?,
        _ operation: @escaping @Sendable (RegisteredCache, _ done: @escaping @Sendable () -> Void) -> Void
    ) {
        ask(isEnough: { (_: Void) in false }) { cache, _, answer in
            operation(cache) { answer(()) }
        } end: { _ in
            completion?()
        }
    }
}
