import CWebImageCurl
import CWebImageCurlShim
import Foundation

/// The connections of an engine, most of which libcurl keeps for later requests. Used only on the engine's thread.
///
/// A server may send more bytes than one response has. A client must not take them for the next response (RFC 9112 §6.3),
/// but libcurl 7.88 does: each later request would receive the response to the request before it, and each picture would be
/// stored under the URL of another one.
final class KeptConnections {
    private struct Success {
        /// The socket of a connection with HTTP/1; nil with HTTP/2, where a server may send bytes at any time.
        var checkedSocket: Int32?
        var time: ContinuousClock.Instant
    }

    /// The last success of each connection, by its local port. An entry may be outdated.
    private var successes: [Int: Success] = [:]
    /// The open sockets of libcurl.
    private var opened: Set<Int32> = []
    /// Those of ``opened`` whose connection is made, with TLS.
    private var ready: Set<Int32> = []

    /// Notes the connection of a transfer that has succeeded.
    func note(_ easy: CurlEasy, now: ContinuousClock.Instant) {
        if successes.count >= Self.most { successes.removeAll() }
        let version = easy.long(CURLINFO_HTTP_VERSION)
        guard version == CURL_HTTP_VERSION_1_1 || version == CURL_HTTP_VERSION_1_0 else {
            successes[easy.long(CURLINFO_LOCAL_PORT)] = Success(checkedSocket: nil, time: now)
            return
        }
        var socket: curl_socket_t = -1
        webimage_curl_get_socket(easy.handle, &socket)
        // Libcurl returns no socket if it has closed the connection.
        guard socket >= 0, let port = Self.localAddress(of: socket)?.port else { return }
        successes[port] = Success(checkedSocket: socket, time: now)
    }

    /// Whether bytes have arrived on a kept connection, to which no request was sent since its last response.
    func hasBytes(localPort: Int) -> Bool {
        guard let socket = successes[localPort]?.checkedSocket else { return false }
        // The descriptor may now belong to another file.
        guard Self.localAddress(of: socket)?.port == localPort else {
            successes[localPort] = nil
            return false
        }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    // MARK: Lost connections

    /// Makes libcurl report the sockets that a transfer opens, and their ends. This object must outlive the connections.
    func follow(_ easy: CurlEasy) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        easy.set(CURLOPT_SOCKOPTDATA, pointer: context)
        webimage_curl_set_sockopt(easy.handle) { context, socket, _ in
            if let context {
                KeptConnections.at(context).opened.insert(socket)
                KeptConnections.at(context).ready.remove(socket)
            }
            // A child process that the program starts must not keep the connection open. Libcurl 7.88 does not see to it.
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            return CURL_SOCKOPT_OK
        }
        easy.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        webimage_curl_set_closesocket(easy.handle) { context, socket in
            if let context {
                KeptConnections.at(context).opened.remove(socket)
                KeptConnections.at(context).ready.remove(socket)
            }
            return close(socket)
        }
    }

    private static func at(_ context: UnsafeMutableRawPointer) -> KeptConnections {
        Unmanaged<KeptConnections>.fromOpaque(context).takeUnretainedValue()
    }

    /// Prepares a connection that was made.
    ///
    /// If the server's system confirms no packet for half of the timeout, the connection is lost, and its transfers can be
    /// tried again over a new connection. By default, Linux waits for a quarter of an hour.
    func didConnect(localPort: Int, timeout: TimeInterval) {
        successes[localPort] = nil
        guard let socket = opened.first(where: { Self.localAddress(of: $0)?.port == localPort }) else { return }
        ready.insert(socket)
        // Later requests with another timeout use the connection too.
        var milliseconds = UInt32(max(timeout * 500, Self.leastUserTimeout))
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, socklen_t(MemoryLayout<UInt32>.size))
    }

    /// Ends a connection, and the other connections to the same server. Libcurl notices the end, and does not use them
    /// again. A connection that has delivered a response since `silence` stays open; if `localPort` is its port, all do.
    ///
    /// - Parameter ports: The local ports of other connections that stay open.
    func abandon(localPort: Int, silentSince silence: ContinuousClock.Instant, sparing ports: Set<Int>) {
        if let success = successes[localPort], success.time > silence { return }
        // A connection that is being made has no port yet.
        guard localPort > 0 else { return }
        let found = opened.first { Self.localAddress(of: $0)?.port == localPort }
        guard let found, let server = Self.remoteAddress(of: found) else { return }
        // A connection that is being made belongs to a transfer that does not know it yet.
        for socket in ready {
            guard Self.remoteAddress(of: socket) == server, let port = Self.localAddress(of: socket)?.port,
                !ports.contains(port), successes[port].map({ $0.time <= silence }) ?? true
            else { continue }
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    /// In milliseconds.
    private static let leastUserTimeout = 5000.0
    /// More than libcurl keeps (`CURLMOPT_MAXCONNECTS`).
    private static let most = 256

    // MARK: Addresses

    private struct Address: Equatable {
        var bytes: [UInt8]
        // The port follows the family in both kinds of addresses.
        var port: Int { Int(bytes[2]) << 8 | Int(bytes[3]) }
    }

    private static func localAddress(of socket: Int32) -> Address? { address { getsockname(socket, $0, $1) } }

    private static func remoteAddress(of socket: Int32) -> Address? { address { getpeername(socket, $0, $1) } }

    private static func address(
        _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Address? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { read($0, &length) }
        }
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
        return withUnsafeBytes(of: address) { Address(bytes: Array($0.prefix(Int(length)))) }
    }
}
