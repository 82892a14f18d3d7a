public import Foundation
import Glibc
import WebImageCore

/// An HTTP server on the loopback interface that can produce faults, for tests of HTTP clients.
///
/// A request for a path without a route receives status 404. Connections remain open unless a behaviour closes them.
/// Each connection has its own thread. Call ``stop()`` at the end, because the threads retain the server. `stop()`
/// returns after all threads have ended.
public final class FaultServer: Sendable {
    struct State {
        var routes: [String: FaultBehaviour] = [:]
        var otherwise = FaultBehaviour.status(404)
        var requests: [FaultRequest] = []
        var connections: [Int: Int32] = [:]
        var acceptedCount = 0
        var concurrent = 0
        var maxConcurrent = 0
        var listener: Int32 = -1
        var isStopped = false
    }

    let state = Locked(State())
    let stopping = FaultGate()
    private let threads = DispatchGroup()

    /// The port on which the server listens.
    public let port: Int

    /// The address on which the server listens.
    public let host: String

    /// Whether this machine has the IPv6 loopback address `::1`.
    public static var hasIPv6: Bool {
        guard let (listener, _) = try? listen("::1") else { return false }
        close(listener)
        return true
    }

    /// Starts listening on a free port.
    ///
    /// - Parameter host: An address of this machine: `::1` or any address of 127.0.0.0/8.
    ///
    /// - Throws: ``FaultServerError`` when no port is available.
    public init(host: String = "127.0.0.1") throws {
        self.host = host
        let (listener, port) = try Self.listen(host)
        self.port = port
        state.withLock { $0.listener = listener }
        threads.run { [self] in acceptConnections(listener) }
    }

    /// The URL of a path.
    public func url(_ path: String) -> URL {
        // All other parts of the URL are valid, so an invalid URL means that the test passed an invalid path.
        URL(string: "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)")
            ?? URL(fileURLWithPath: "/invalid-test-path")
    }

    /// Sets the behaviour for later requests for a path.
    public func route(_ path: String, _ behaviour: FaultBehaviour) {
        state.withLock { $0.routes[path] = behaviour }
    }

    /// Sets the behaviour for later requests for paths without a behaviour of their own; by default status 404.
    public func routeOthers(_ behaviour: FaultBehaviour) {
        state.withLock { $0.otherwise = behaviour }
    }

    /// All requests so far, in order of arrival.
    public var requests: [FaultRequest] { state.withLock { $0.requests } }

    /// Returns the number of requests for a path.
    public func requestCount(_ path: String) -> Int { requests.count { $0.path == path } }

    /// The number of connections accepted so far.
    public var connectionCount: Int { state.withLock { $0.acceptedCount } }

    /// The maximum number of requests that were answered at the same time.
    public var maxConcurrentRequests: Int { state.withLock { $0.maxConcurrent } }

    /// The number of requests that are being answered now.
    public var concurrentRequests: Int { state.withLock { $0.concurrent } }

    /// Closes all connections and waits until all threads have ended. Further calls do nothing.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            guard !state.isStopped else { return false }
            // A shutdown ends the calls of accept(2) and recv(2) that block a thread. Each thread then closes its own
            // descriptor.
            shutdown(state.listener, Int32(SHUT_RDWR))
            for descriptor in state.connections.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return true
        }
        guard isFirst else { return }
        stopping.open()
        threads.wait()
    }

    private func acceptConnections(_ listener: Int32) {
        defer { close(listener) }
        while true {
            guard let descriptor = SocketStream.accept(listener) else { return }
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.acceptedCount += 1
                state.connections[state.acceptedCount] = descriptor
                return state.acceptedCount
            }
            guard let number else {
                close(descriptor)
                return
            }
            threads.run { [self] in
                FaultConnection(server: self, descriptor: descriptor, number: number).serve()
                // Close under the lock. Otherwise `stop` could shut down a descriptor that the system has already
                // reused.
                state.withLock { state in
                    state.connections[number] = nil
                    close(descriptor)
                }
            }
        }
    }

    static func listen(_ host: String) throws(FaultServerError) -> (listener: Int32, port: Int) {
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else {
                throw FaultServerError("inet_pton", EINVAL)
            }
            let listener = try listen(AF_INET6, at: &address)
            return (listener, Int(UInt16(bigEndian: address.sin6_port)))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw FaultServerError("inet_pton", EINVAL) }
        let listener = try listen(AF_INET, at: &address)
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Makes a socket, binds it to `address` and listens. Then stores the bound address in `address`, with the port
    /// that the system has selected.
    private static func listen<Address>(
        _ family: Int32, at address: inout Address
    ) throws(FaultServerError) -> Int32 {
        let listener = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw FaultServerError("socket", errno) }
        var length = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                guard bind(listener, address, length) == 0, Glibc.listen(listener, 1024) == 0 else { return -1 }
                return getsockname(listener, address, &length)
            }
        }
        guard result == 0 else {
            let number = errno
            close(listener)
            throw FaultServerError("listen", number)
        }
        return listener
    }
}

/// The error for a ``FaultServer`` that could not start.
public struct FaultServerError: Error, CustomStringConvertible {
    /// The system call and its error message.
    public let description: String

    init(_ call: String, _ number: Int32) { description = "\(call): \(String(cString: strerror(number)))" }
}
