import WebImageCore

/// Limits the bytes of fetched sources that wait for a decoding thread or are being decoded.
///
/// Without this limit, the source of every result that is being made would be in memory, although only a few sources
/// are decoded at the same time. A new fetch waits while the limit is reached. Bytes that are still being received do
/// not count, so a slow source host does not delay fetches from other hosts.
final class SourceBudget: Sendable {
    private struct State {
        var bytes = 0
        var lastID: UInt64 = 0
        /// The fetches that wait, in the order of their calls.
        var waiting: [(id: UInt64, continuation: ValueContinuation<Bool>)] = []
        /// Fetches that were cancelled before they were added to `waiting`.
        var cancelled: Set<UInt64> = []
    }

    /// The permission for one fetch and for the use of its source. Releasing the object returns the source's bytes to
    /// the budget.
    final class Reservation: Sendable {
        private let budget: SourceBudget
        private let byteCount = Locked(0)

        fileprivate init(_ budget: SourceBudget) { self.budget = budget }

        /// Counts the bytes of the fetched source against the limit.
        func count(_ bytes: Int) {
            byteCount.withLock { $0 += bytes }
            budget.state.withLock { $0.bytes += bytes }
        }

        deinit { budget.release(byteCount.withLock { $0 }) }
    }

    private let limit: Int
    private let state = Locked(State())

    /// - Parameter limit: The limit in bytes. A fetch begins only while the counted bytes are below the limit. Its
    ///   source may then exceed the limit, so that sources of any size can be fetched.
    init(limit: Int) { self.limit = limit }

    var byteCount: Int { state.withLock { $0.bytes } }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits until a fetch may begin. Fetches begin in the order of their calls.
    ///
    /// - Throws: `.cancelled` if the calling task is cancelled while it waits.
    func reserve() async throws(WebImageError) -> Reservation {
        let id = state.withLock { state -> UInt64? in
            if state.bytes < limit, state.waiting.isEmpty { return nil }
            state.lastID += 1
            return state.lastID
        }
        guard let id else { return Reservation(self) }
        let mayBegin = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.cancelled.remove(id) != nil { return false }
                    // Sources may have been released since the check above.
                    if state.bytes < limit, state.waiting.isEmpty { return true }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel(id)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        guard mayBegin else { throw .cancelled }
        return Reservation(self)
    }

    private func cancel(_ id: UInt64) {
        let continuation = state.withLock { state -> ValueContinuation<Bool>? in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(returning: false)
    }

    /// Returns the bytes of a released reservation to the budget and starts at most two waiting fetches.
    ///
    /// If each release of a reservation started only one new fetch, the number of concurrent fetches could not grow
    /// again after it has fallen. With two new fetches, this number grows, and the bytes still stay near the limit.
    /// While fetches wait, at least one reservation exists. Its release starts further fetches, so no fetch
    /// waits for ever.
    private func release(_ byteCount: Int) {
        let next = state.withLock { state -> [ValueContinuation<Bool>] in
            state.bytes -= byteCount
            guard state.bytes < limit else { return [] }
            let next = state.waiting.prefix(2).map(\.continuation)
            state.waiting.removeFirst(next.count)
            return next
        }
        for continuation in next { continuation.resume(returning: true) }
    }
}
