import CWebImageCurl
import CWebImageCurlShim
import Foundation

/// The HTTP/1 connections that an engine keeps for later requests. Used only on the engine's thread.
///
/// A server may send more bytes than one response has. A client must not take them for the next response (RFC 9112 §6.3),
/// but libcurl 7.88 does: each later request would receive the response to the request before it, and each picture would be
/// stored under the URL of another one.
final class KeptConnections {
    /// The sockets by their local ports. Libcurl closes sockets without a notice, so an entry may be outdated.
    private var sockets: [Int: Int32] = [:]

    /// Notes the connection of a transfer that has succeeded.
    func note(_ easy: CurlEasy) {
        let version = easy.long(CURLINFO_HTTP_VERSION)
        guard version == CURL_HTTP_VERSION_1_1 || version == CURL_HTTP_VERSION_1_0 else { return }
        var socket: curl_socket_t = -1
        webimage_curl_get_socket(easy.handle, &socket)
        // Libcurl returns no socket if it has closed the connection.
        guard socket >= 0, let port = Self.localPort(of: socket) else { return }
        if sockets.count >= Self.most { sockets.removeAll() }
        sockets[port] = socket
    }

    /// Whether bytes have arrived on a kept connection, to which no request was sent since its last response.
    func hasBytes(localPort: Int) -> Bool {
        guard let socket = sockets[localPort] else { return false }
        // The descriptor may now belong to another file.
        guard Self.localPort(of: socket) == localPort else {
            sockets[localPort] = nil
            return false
        }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Removes the entry of a port, because a new connection has it.
    func remove(localPort: Int) { sockets[localPort] = nil }

    /// More than libcurl keeps (`CURLMOPT_MAXCONNECTS`).
    private static let most = 256

    private static func localPort(of socket: Int32) -> Int? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        guard result == 0 else { return nil }
        return withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            // The port follows the family in both kinds of addresses.
            case AF_INET, AF_INET6: Int(bytes[2]) << 8 | Int(bytes[3])
            default: nil
            }
        }
    }
}
