package import Foundation
import Glibc
import WebImageCore

/// Accepts connections on 127.0.0.1 and serves each connection on its own thread.
package final class LoopbackListener: Sendable {
    private struct State {
        var descriptors: Set<Int32> = []
        var isStopped = false
    }

    package let port: Int
    private let listener: Int32
    private let state = Locked(State())
    private let threads = DispatchGroup()

    /// Starts listening on a free port.
    ///
    /// - Parameter serve: Serves one connection. The listener closes the connection when this function returns.
    package init(_ serve: @escaping @Sendable (Int32, LoopbackListener) -> Void) throws(FaultServerError) {
        (listener, port) = try FaultServer.listen("127.0.0.1")
        run { [self] in accept(serve) }
    }

    /// Closes all connections and waits until all threads have ended. A second call closes nothing.
    package func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            // A shutdown ends the calls of accept(2) and recv(2) that block a thread. Each thread then closes its own
            // descriptor.
            shutdown(listener, Int32(SHUT_RDWR))
            for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        threads.wait()
    }

    /// Connects to a local port and returns the descriptor. Nil if no server listens at the port, or after ``stop()``.
    /// ``stop()`` also shuts down this connection.
    package func connect(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, add(descriptor) else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Closes a connection that ``connect(to:)`` returned.
    package func remove(_ descriptor: Int32) {
        // Close under the lock. Otherwise `stop` could shut down a descriptor that the system has already reused.
        state.withLock { state in
            state.descriptors.remove(descriptor)
            close(descriptor)
        }
    }

    /// Runs `body` on a thread that ``stop()`` waits for.
    package func run(_ body: @escaping @Sendable () -> Void) { threads.run(body) }

    private func add(_ descriptor: Int32) -> Bool {
        state.withLock { $0.isStopped ? false : $0.descriptors.insert(descriptor).inserted }
    }

    private func accept(_ serve: @escaping @Sendable (Int32, LoopbackListener) -> Void) {
        defer { close(listener) }
        while true {
            guard let descriptor = SocketStream.accept(listener) else { return }
            guard add(descriptor) else {
                close(descriptor)
                return
            }
            run { [self] in
                serve(descriptor, self)
                remove(descriptor)
            }
        }
    }
}

/// Reads and writes a connected socket. The functions block the calling thread.
package struct SocketStream {
    package let descriptor: Int32
    package private(set) var buffered = Data()

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads exactly `count` bytes; nil if the stream ends earlier.
    package mutating func take(_ count: Int) -> Data? {
        while buffered.count < count { guard fill() else { return nil } }
        defer { buffered = Data(buffered.dropFirst(count)) }
        return Data(buffered.prefix(count))
    }

    /// Reads the bytes before a separator and drops the separator. Nil if the stream ends first, or if the separator is
    /// not within about 1 MiB.
    package mutating func take(through separator: String) -> String? {
        let separator = Data(separator.utf8)
        while true {
            if let place = buffered.range(of: separator) {
                defer { buffered = Data(buffered[place.upperBound...]) }
                return String(decoding: buffered[..<place.lowerBound], as: UTF8.self)
            }
            guard buffered.count < 1 << 20, fill() else { return nil }
        }
    }

    /// Returns whether the stream continues with `text`. Consumes no bytes. Waits until the received bytes differ from
    /// `text` or contain the whole text.
    package mutating func begins(with text: String) -> Bool {
        let wanted = Data(text.utf8)
        while buffered.count < wanted.count, wanted.starts(with: buffered) { guard fill() else { return false } }
        return buffered.starts(with: wanted)
    }

    /// Waits for at least one byte and returns all received bytes; nil at the end of the stream.
    package mutating func takeAll() -> Data? {
        if buffered.isEmpty, !fill() { return nil }
        defer { buffered = Data() }
        return buffered
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        let count = SystemCall.retrying { recv(descriptor, &chunk, chunk.count, 0) }
        guard count > 0 else { return false }
        buffered.append(contentsOf: chunk[..<count])
        return true
    }

    /// Writes all bytes. Returns false if the other side has closed the connection.
    @discardableResult
    package func write(_ data: Data) -> Bool { Self.send(data, to: descriptor) }

    /// Writes all bytes to a connection. Returns false if the other side has closed the connection.
    package static func send(_ bytes: some ContiguousBytes, to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            SystemCall.transfer(bytes.count) {
                Glibc.send(descriptor, bytes.baseAddress! + $0, $1, Int32(MSG_NOSIGNAL))
            } == 0
        }
    }

    /// Waits for a connection and returns its descriptor; nil after the listening socket was shut down.
    package static func accept(_ listener: Int32) -> Int32? {
        while true {
            let descriptor = SystemCall.retrying { Glibc.accept(listener, nil, nil) }
            if descriptor >= 0 { return descriptor }
            // The client has left before the call.
            guard errno == ECONNABORTED else { return nil }
        }
    }
}

extension DispatchGroup {
    /// Runs `body` on a thread of its own, for which the group waits.
    func run(_ body: @escaping @Sendable () -> Void) {
        enter()
        let thread = Thread { [self] in
            body()
            leave()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
