public import Foundation
public import WebImageCore

/// A body whose bytes still arrive from the source's server. The answer begins before they are complete.
///
/// One consumer takes the bytes, in one of two ways: it iterates over the sequence, or calls ``next(whenArrived:)``, which
/// never blocks. A consumer that stops early calls ``close()``. If no other request needs the source, its transfer then
/// ends. Bytes that are not taken need no further memory for each consumer.
public final class ArrivingBody: AsyncSequence, Sendable {
    /// The answer to ``next(whenArrived:)``.
    public enum Piece: Sendable {
        /// The next bytes, one or more.
        case bytes(Data)
        /// The next bytes have not arrived yet.
        case waiting
        /// The body is complete.
        case ended
        /// The rest will not arrive. The connection must be cut, so that the client does not take the body for complete.
        case failed(WebImageError)
    }

    private struct State {
        var offset: Int
        var isClosed = false
        var isWhole = false
        var failure: WebImageError?
        var whenClosed: (@Sendable (_ count: Int, _ isWhole: Bool) -> Void)?
    }

    /// The number of bytes, for `Content-Length`; nil if the source's server has not declared it.
    public let byteCount: Int?
    /// The size of the whole source; nil if the source's server has not declared it.
    let sourceByteCount: Int?
    let source: ArrivingSource
    private let fetch: SourceSubscription
    private let range: Range<Int>
    /// Whether the fetch goes on behind the end of a part.
    private let keepsFetch: Bool
    private let state: Locked<State>

    /// - Parameters:
    ///   - range: A part of a source of known size; nil for the whole source.
    ///   - isStored: Whether the source is stored when it is complete. The fetch then does not end with a part of it, so that
    ///     the next part needs no other fetch.
    init(_ fetch: SourceSubscription, byteCount: Int?, range: Range<Int>? = nil, isStored: Bool) {
        self.fetch = fetch
        source = fetch.source
        keepsFetch = range == nil || isStored
        sourceByteCount = byteCount
        self.range = range ?? 0..<(byteCount ?? .max)
        self.byteCount = range?.count ?? byteCount
        state = Locked(State(offset: self.range.lowerBound))
    }

    // A transport may release an answer without having sent it.
    deinit { close() }

    /// The number of bytes that were taken.
    public var takenCount: Int { state.withLock { $0.offset } - range.lowerBound }

    /// Why the rest did not arrive or was not taken, in one sentence for a log, without a secret; nil if nothing failed.
    public var failure: String? {
        let (error, isCut) = state.withLock { ($0.failure, $0.isClosed && !$0.isWhole) }
        if let error { return ServiceRefusal(error).message }
        return isCut ? "the connection ended before the body was complete" : nil
    }

    /// Takes the next bytes. Never blocks.
    ///
    /// - Parameter wake: Called once after `.waiting`, when another call may return something else. Called on any thread,
    ///   also before this function has returned; it must return quickly.
    public func next(whenArrived wake: @escaping @Sendable () -> Void) -> Piece {
        let offset: Int? = state.withLock { $0.isClosed ? nil : $0.offset }
        guard let offset else { return .failed(.cancelled) }
        let piece = source.piece(offset..<range.upperBound, for: ObjectIdentifier(self), wake: wake)
        switch piece {
        case .bytes(let bytes):
            state.withLock { $0.offset += bytes.count }
            return .bytes(bytes)
        case .waiting:
            // The body may have been closed before this wait began.
            guard state.withLock({ $0.isClosed }) else { return .waiting }
            source.leave(ObjectIdentifier(self))
            return .failed(.cancelled)
        case .ended:
            state.withLock { $0.isWhole = true }
            close()
            return .ended
        case .failed(let error):
            state.withLock { $0.failure = error }
            close()
            return .failed(error)
        }
    }

    /// Ends the use of the body. Further calls do nothing. A consumer that waits receives `.cancelled`.
    public func close() {
        let (isFirst, count, isWhole, whenClosed) = state.withLock { state in
            defer { state.isClosed = true }
            return (!state.isClosed, state.offset - range.lowerBound, state.isWhole, state.whenClosed.take())
        }
        guard isFirst else { return }
        // Before the fetch ends: whoever sees its end finds the answer counted.
        whenClosed?(count, isWhole)
        source.leave(ObjectIdentifier(self))
        if !isWhole || !keepsFetch { fetch.leave() }
    }

    /// Calls a function when the use of the body ends.
    func whenClosed(_ handler: @escaping @Sendable (_ count: Int, _ isWhole: Bool) -> Void) {
        state.withLock { $0.whenClosed = handler }
    }

    /// Keeps an object until the source is complete or this body is closed.
    func retain(_ object: any Sendable) { fetch.retain(object) }

    /// Takes the pieces one after the other. Each waits until it arrives.
    public func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    /// See ``makeAsyncIterator()``.
    public struct Iterator: AsyncIteratorProtocol {
        let body: ArrivingBody

        /// Returns the next bytes; nil at the end.
        ///
        /// - Throws: `WebImageError`: `.cancelled` if the task is cancelled or the body was closed, otherwise the failure of
        ///   the fetch.
        public mutating func next() async throws -> Data? {
            while true {
                let arrival = FirstResult<Void>()
                switch body.next(whenArrived: { arrival.finish(()) }) {
                case .bytes(let bytes): return bytes
                case .ended: return nil
                case .failed(let error): throw error
                case .waiting:
                    await withTaskCancellationHandler {
                        await arrival.value()
                    } onCancel: { [body] in
                        body.close()
                    }
                }
            }
        }
    }
}

/// The part of one request in a fetch whose source is sent while it arrives. The fetch ends with its last subscription.
final class SourceSubscription: Sendable {
    let source: ArrivingSource
    let task: Task<Result<Source, WebImageError>, Never>

    init(_ source: ArrivingSource, _ task: Task<Result<Source, WebImageError>, Never>) {
        (self.source, self.task) = (source, task)
    }

    func leave() { task.cancel() }

    func retain(_ object: any Sendable) {
        Task { [task] in
            _ = await task.value
            withExtendedLifetime(object) {}
        }
    }
}
