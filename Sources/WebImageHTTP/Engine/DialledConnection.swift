import CWebImageCurl
import CWebImageCurlShim
import Foundation
package import WebImageCore

/// A connection for a protocol other than HTTP. libcurl resolves the name, connects and performs the TLS handshake
/// (`CURLOPT_CONNECT_ONLY`).
///
/// Used on one thread at a time. The initialiser blocks until the connection stands or its time is over, so the owner
/// is a thread of its own, never a task.
package final class DialledConnection {
    /// Where to connect to, and how.
    package struct Destination: Sendable, Hashable {
        package enum Address: Sendable, Hashable {
            case host(String, port: Int)
            /// The path of a Unix socket.
            case unix(path: String)
        }

        package struct Encryption: Sendable, Hashable {
            /// A file in PEM with the authorities to trust; nil for the system's.
            package var certificateAuthorityFile: String?
            /// False accepts every certificate.
            var checksCertificate = true

            package init() {}
        }

        package var address: Address
        /// Nil for a connection without encryption.
        package var encryption: Encryption?
        /// The longest time for name resolution, connection and handshake.
        package var timeout: Duration = .seconds(1)

        package init(_ address: Address) { self.address = address }
    }

    /// The end of one attempt to send or receive.
    package enum Progress: Sendable, Equatable {
        /// The number of bytes that were sent or received, at least 1.
        case bytes(Int)
        /// Nothing could be sent or received now: wait for the socket.
        case wait
        /// The peer closed the connection, or it broke.
        case ended
    }

    private let easy: CurlEasy
    /// Whether the connection uses TLS. Then the library may hold received bytes that `poll(2)` on ``socket`` does not
    /// report, until ``receive(into:then:)`` returns `.wait`.
    package let isEncrypted: Bool
    /// The socket, for `poll(2)`.
    package let socket: Int32

    /// - Parameter label: A suffix of the entry in ``HandleLedger``, for tests.
    package init(_ destination: Destination, label: String = "") throws(WebImageError) {
        guard let easy = CurlEasy(label: label) else {
            throw CurlLibrary.failure ?? WebImageError(.outOfMemory, stage: .cache)
        }
        let scheme = destination.encryption == nil ? "http" : "https"
        switch destination.address {
        case .host(let host, let port):
            easy.set(CURLOPT_URL, "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/")
        case .unix(let path):
            easy.set(CURLOPT_URL, "\(scheme)://localhost/")
            easy.set(CURLOPT_UNIX_SOCKET_PATH, path)
        }
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        easy.set(CURLOPT_NOSIGNAL, 1)
        // A proxy of the environment is meant for HTTP.
        easy.set(CURLOPT_NOPROXY, "*")
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_SSL_ENABLE_ALPN, 0)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(Int(destination.timeout / .milliseconds(1)), 1))
        if let encryption = destination.encryption {
            if let file = encryption.certificateAuthorityFile {
                easy.set(CURLOPT_CAINFO, file)
                // See `CurlTransfer`. Each connection has a handle of its own, so the file is read for each of them.
                easy.set(CURLOPT_CAPATH, pointer: nil)
            }
            easy.set(CURLOPT_SSL_VERIFYPEER, encryption.checksCertificate ? 1 : 0)
            easy.set(CURLOPT_SSL_VERIFYHOST, encryption.checksCertificate ? 2 : 0)
        }
        let code = webimage_curl_easy_perform(easy.handle)
        var socket: curl_socket_t = -1
        if code == CURLE_OK { webimage_curl_get_socket(easy.handle, &socket) }
        guard code == CURLE_OK, socket >= 0 else {
            throw WebImageError(
                .transport, stage: .cache,
                underlying: .curl(code: Int(code.rawValue), message: easy.message(for: code)))
        }
        // A child process must not keep the connection open.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        self.easy = easy
        self.socket = socket
        isEncrypted = destination.encryption != nil
    }

    /// Sends the bytes of `blocks` in order, as many as the socket takes now.
    package func send(_ blocks: some Collection<UnsafeRawBufferPointer>) -> Progress {
        guard isEncrypted else { return sendPlain(blocks) }
        var total = 0
        for block in blocks where !block.isEmpty {
            var sent = 0
            let code = webimage_curl_easy_send(easy.handle, block.baseAddress, block.count, &sent)
            total += sent
            if code == CURLE_AGAIN || (code == CURLE_OK && sent < block.count) { break }
            if code != CURLE_OK { return .ended }
        }
        return total > 0 ? .bytes(total) : .wait
    }

    private func sendPlain(_ blocks: some Collection<UnsafeRawBufferPointer>) -> Progress {
        var vectors = blocks.prefix(Self.mostBlocks).map {
            iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        let sent = vectors.withUnsafeMutableBufferPointer { vectors in
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = vectors.count
            return sendmsg(socket, &message, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if sent > 0 { return .bytes(sent) }
        return sent == 0 || errno == EAGAIN || errno == EINTR ? .wait : .ended
    }

    /// Receives bytes that have arrived. The bytes fill `first`, and the rest of them goes to `second`. At most one of the two
    /// may be empty. With TLS, a call returns at most one record, and uses only one of the two: `first`, unless it is empty.
    package func receive(
        into first: UnsafeMutableRawBufferPointer, then second: UnsafeMutableRawBufferPointer
    ) -> Progress {
        if isEncrypted {
            let space = first.isEmpty ? second : first
            var received = 0
            let code = webimage_curl_easy_recv(easy.handle, space.baseAddress, space.count, &received)
            if code == CURLE_AGAIN { return .wait }
            return code == CURLE_OK && received > 0 ? .bytes(received) : .ended
        }
        let vectors = (
            iovec(iov_base: first.baseAddress, iov_len: first.count),
            iovec(iov_base: second.baseAddress, iov_len: second.count)
        )
        let received = withUnsafeBytes(of: vectors) { bytes in
            var message = msghdr()
            message.msg_iov = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: iovec.self).baseAddress)
            message.msg_iovlen = 2
            return recvmsg(socket, &message, Int32(MSG_DONTWAIT))
        }
        if received > 0 { return .bytes(received) }
        return received < 0 && (errno == EAGAIN || errno == EINTR) ? .wait : .ended
    }

    /// The largest number of blocks in one call of `sendmsg(2)`.
    private static let mostBlocks = 128
}
