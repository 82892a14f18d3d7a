import WebImageCore

/// The animations and arriving pictures whose decoders a worker keeps, by number.
///
/// A session whose animation or picture is released is closed before the next request of the worker, and so is the longest
/// unused one of too many.
final class WorkerSessions: Sendable {
    private struct State {
        /// The longest unused one first.
        var kept: [UInt64] = []
        /// Sessions that are to be closed.
        var closing: [UInt64] = []
    }

    private let state = Locked(State())

    /// The most sessions that a worker keeps.
    private static let most = 16

    /// Whether the worker keeps a session and will still do so at the next request.
    func keeps(_ session: UInt64) -> Bool {
        state.withLock { $0.kept.contains(session) && !$0.closing.contains(session) }
    }

    /// Whether the worker will keep no session at the next request.
    var isEmpty: Bool {
        state.withLock { state in state.kept.allSatisfy { state.closing.contains($0) } }
    }

    /// Notes that the worker keeps a session, as the last used one.
    func keep(_ session: UInt64) {
        state.withLock { state in
            state.kept.removeAll { $0 == session }
            state.kept.append(session)
            state.closing += state.kept.dropLast(Self.most)
        }
    }

    /// Closes a session before the next request. Does not wait for the worker.
    func closeLater(_ session: UInt64) { state.withLock { $0.closing.append(session) } }

    /// Returns the sessions that the worker must close now, and forgets them.
    func takeClosed() -> [UInt64] {
        state.withLock { state in
            let closing = state.closing
            let closed = state.kept.filter(closing.contains)
            state.kept.removeAll(where: closing.contains)
            state.closing = []
            return closed
        }
    }
}
