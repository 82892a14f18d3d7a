import Foundation
import Glibc
import WebImageCore
import WebImageTesting

/// A relay between clients and a server of this machine, which can slow down, damage or interrupt the connections.
package final class TierLink: Sendable {
    package enum Fault: Sendable, Equatable {
        case none
        /// Every answer arrives this much later, in seconds.
        case slow(Double)
        /// Answers are replaced by random bytes of the same length.
        case garbage
        /// No byte passes; the connections stay open.
        case partition
    }

    private let listener: LoopbackListener
    private let fault: Locked<Fault>

    package var port: Int { listener.port }

    package init(to port: Int) throws {
        let fault = Locked(Fault.none)
        self.fault = fault
        listener = try LoopbackListener { client, listener in
            guard let server = listener.connect(to: port) else { return }
            defer { listener.remove(server) }
            Self.relay(client, to: server, fault)
        }
    }

    package func set(_ new: Fault) { fault.withLock { $0 = new } }

    package func stop() { listener.stop() }

    private static func relay(_ client: Int32, to server: Int32, _ fault: Locked<Fault>) {
        let clock = SystemClock()
        /// Answers that wait for their time.
        var answers: [(due: Duration, bytes: [UInt8])] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let state = fault.withLock { $0 }
            // Bytes that arrive during a partition stay in the buffers of the system.
            let events = state == .partition ? Int16(0) : Int16(POLLIN)
            var entries = [
                pollfd(fd: client, events: events, revents: 0), pollfd(fd: server, events: events, revents: 0),
            ]
            let wait = answers.first.map { max($0.due - clock.now, .zero) } ?? .milliseconds(20)
            _ = poll(&entries, 2, Int32(min((wait / .milliseconds(1)).rounded(.up), 20)))
            for (index, entry) in entries.enumerated() where entry.revents != 0 {
                let count = recv(entry.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EAGAIN { continue }
                guard count > 0 else { return }
                var bytes = Array(buffer[..<count])
                if index == 0 {
                    guard send(bytes, to: server) else { return }
                    continue
                }
                var due = clock.now
                if case .slow(let seconds) = state { due += .seconds(seconds) }
                if state == .garbage { for place in bytes.indices { bytes[place] = .random(in: .min ... .max) } }
                answers.append((due, bytes))
            }
            guard state != .partition else { continue }
            while let first = answers.first, first.due <= clock.now {
                answers.removeFirst()
                guard send(first.bytes, to: client) else { return }
            }
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        SocketStream.send(bytes, to: descriptor)
    }
}
