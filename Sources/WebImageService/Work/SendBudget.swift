import Foundation
import WebImageCore

/// Limits the bytes of bodies that are being sent.
///
/// A client that reads slowly, or not at all, keeps the body of its answer in memory. Without this limit, some dozens of
/// connections could ask for large bodies and use up the memory of the machine.
final class SendBudget: Sendable {
    private struct State {
        var bytes = 0
        var clients: [String: Int] = [:]
        /// For each source that arrives, the number of its answers to each client.
        var readers: [ObjectIdentifier: [String?: Int]] = [:]
    }

    /// The memory for an answer with a source that arrives. It is free again when this object is released.
    final class Hold: Sendable {
        // Kept, so that no other object has its identity.
        private let source: ArrivingSource
        private let release: @Sendable () -> Void

        fileprivate init(_ source: ArrivingSource, release: @escaping @Sendable () -> Void) {
            (self.source, self.release) = (source, release)
        }

        deinit { release() }
    }

    /// Bodies below this size are not counted: even 10,000 of them need only 160 MB.
    static let leastBytes = 16 << 10
    /// The most bytes of a source in a file that are in memory for one answer.
    static let pieceBytes = 256 << 10
    /// The part of the budget that the bodies for one client may use.
    private static let clientShare = 4

    private let state = Locked(State())

    /// The bytes of all counted bodies.
    var byteCount: Int { state.withLock { $0.bytes } }

    /// Returns the same bytes. They are counted until the returned value and all its slices are released.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of all bodies. A single body may be larger, so that a result of any size can be sent.
    ///   - client: The client that receives the bytes; nil if it is not known.
    /// - Throws: A refusal with status 503 if the budget is used up, and with 429 if one client uses too much of it.
    func counted(_ data: Data, limit: Int, client: String?) throws(ServiceRefusal) -> Data {
        guard data.count >= Self.leastBytes else { return data }
        let (client, count) = (client.map(WorkLimiter.clientKey), data.count)
        try state.withLock { state throws(ServiceRefusal) in
            try Self.add(count, ofClient: count, limit: limit, client: client, to: &state)
        }
        return data.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return data }
            // The closure owns the original value. Bytes of this size are on the heap, and they stay where they are while
            // a value owns them that is never changed.
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: count,
                deallocator: .custom { _, _ in
                    withExtendedLifetime(data) {}
                    self.state.withLock { Self.remove(count, ofClient: count, client: client, from: &$0) }
                })
        }
    }

    /// Counts an answer with a source that arrives, until the returned object is released.
    ///
    /// All answers read the same bytes, so the source is counted once, and for each client once.
    /// - Parameter count: The size of the source, or of the part of it that can be in memory.
    /// - Throws: As ``counted(_:limit:client:)``.
    func hold(
        _ source: ArrivingSource, count: Int, limit: Int, client: String?
    ) throws(ServiceRefusal) -> Hold {
        let (client, id) = (client.map(WorkLimiter.clientKey), ObjectIdentifier(source))
        let piece = min(count, Self.pieceBytes)
        try state.withLock { state throws(ServiceRefusal) in
            let readers = state.readers[id] ?? [:]
            try Self.add(
                piece + (readers.isEmpty ? count : 0), ofClient: piece + (readers[client] == nil ? count : 0),
                limit: limit, client: client, to: &state)
            state.readers[id, default: [:]][client, default: 0] += 1
        }
        return Hold(source) {
            self.state.withLock { state in
                var readers = state.readers[id] ?? [:]
                let left = readers[client, default: 1] - 1
                readers[client] = left > 0 ? left : nil
                state.readers[id] = readers.isEmpty ? nil : readers
                Self.remove(
                    piece + (readers.isEmpty ? count : 0), ofClient: piece + (left > 0 ? 0 : count), client: client,
                    from: &state)
            }
        }
    }

    private static func add(
        _ count: Int, ofClient clientCount: Int, limit: Int, client: String?, to state: inout State
    ) throws(ServiceRefusal) {
        guard state.bytes == 0 || state.bytes + count <= limit else {
            throw ServiceRefusal(503, .queue, "too many large answers are being sent", retryAfter: 1)
        }
        if let client {
            let held = state.clients[client, default: 0]
            guard held == 0 || held + clientCount <= limit / clientShare else {
                throw ServiceRefusal(
                    429, .client, "too many large answers are being sent to this client", retryAfter: 1)
            }
            state.clients[client] = held + clientCount
        }
        state.bytes += count
    }

    private static func remove(_ count: Int, ofClient clientCount: Int, client: String?, from state: inout State) {
        state.bytes -= count
        guard let client, let held = state.clients[client] else { return }
        state.clients[client] = held > clientCount ? held - clientCount : nil
    }
}
