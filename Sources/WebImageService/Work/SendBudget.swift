import Foundation
import WebImageCore

/// Limits the bytes of bodies in memory that are being sent.
///
/// A client that reads slowly, or not at all, keeps the body of its answer in memory. Without this limit, some dozens of
/// connections could ask for large bodies and use up the memory of the machine.
final class SendBudget: Sendable {
    private struct State {
        var bytes = 0
        var clients: [String: Int] = [:]
    }

    /// Bodies below this size are not counted: even 10,000 of them need only 160 MB.
    static let leastBytes = 16 << 10
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
            guard state.bytes == 0 || state.bytes + count <= limit else {
                throw ServiceRefusal(503, .queue, "too many large answers are being sent", retryAfter: 1)
            }
            if let client {
                let held = state.clients[client, default: 0]
                guard held == 0 || held + count <= limit / Self.clientShare else {
                    throw ServiceRefusal(
                        429, .client, "too many large answers are being sent to this client", retryAfter: 1)
                }
                state.clients[client] = held + count
            }
            state.bytes += count
        }
        return data.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return data }
            // The closure owns the original value. Bytes of this size are on the heap, and they stay where they are while
            // a value owns them that is never changed.
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: count,
                deallocator: .custom { _, _ in
                    withExtendedLifetime(data) {}
                    self.release(count, client)
                })
        }
    }

    private func release(_ count: Int, _ client: String?) {
        state.withLock { state in
            state.bytes -= count
            guard let client, let held = state.clients[client] else { return }
            state.clients[client] = held > count ? held - count : nil
        }
    }
}
