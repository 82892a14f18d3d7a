package import Foundation
import WebImageCore
package import WebImageServer

/// A connection that sends text unchanged and reads HTTP responses. Every call blocks the thread, so use a client only
/// in ``onThread(_:)``.
///
/// A call ends after 30 s without a received or sent byte, so that a defect fails a test instead of blocking it.
package final class RawClient: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package struct Answer: Sendable, Equatable {
        package var status = 0
        package var fields: [String: String] = [:]
        package var body = Data()

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package let descriptor: Int32
    private let buffer = Box()

    private final class Box: @unchecked Sendable {
        // Unchecked is safe because only one thread uses a client at a time.
        var bytes = Data()
        /// The received part of the body that is being read.
        var body = Data()
        /// The bytes that follow before the end of the body or of its chunk.
        var left = 0
        var isChunked = false
    }

    package init(_ address: ListenAddress) throws {
        switch address {
        case .network(let host, let port): descriptor = try Self.connect(host, port)
        case .everywhere(let port): descriptor = try Self.connect("127.0.0.1", port)
        case .local(let path): descriptor = try Self.connect(path)
        case .inherited: throw Failure(description: "an inherited address is not resolved")
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends `text` and returns whether all of it was written.
    @discardableResult
    package func send(_ text: String) -> Bool { send(bytes: Array(text.utf8)) }

    /// Sends bytes and returns whether all of them were written.
    @discardableResult
    package func send(bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress! + offset, $0.count - offset, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Sends a request and returns its response. `further` contains additional header lines, each with CRLF at its end.
    package func get(
        _ target: String, method: String = "GET", further: String = "", isHead: Bool = false
    ) throws -> Answer {
        send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(further)\r\n")
        return try answer(isHead: isHead || method == "HEAD")
    }

    /// Returns the next response. The response to a HEAD request has no body, so set `isHead` for it.
    package func answer(isHead: Bool = false) throws -> Answer {
        var answer = try head()
        if !isHead { answer.body = try rest() }
        return answer
    }

    /// Returns the next response without its body, as soon as its head has arrived.
    package func head() throws -> Answer {
        let separator = Data("\r\n\r\n".utf8)
        while buffer.bytes.range(of: separator) == nil {
            guard fill() else { throw Failure(description: "the connection ended in a head: \(unread)") }
        }
        let end = buffer.bytes.range(of: separator)!
        let lines = String(decoding: buffer.bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        buffer.bytes = Data(buffer.bytes[end.upperBound...])
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Failure(description: "no status line: \(lines[0])")
        }
        var answer = Answer(status: status)
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            answer.fields[line[..<colon].lowercased()] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        }
        buffer.body = Data()
        buffer.left = answer.fields["content-length"].flatMap { Int($0) } ?? 0
        buffer.isChunked = answer.fields["transfer-encoding"] == "chunked"
        return answer
    }

    /// Returns the beginning of the body behind the last ``head()``: what has arrived when it has `count` bytes.
    package func body(atLeast count: Int) throws -> Data {
        while buffer.body.count < count { guard try readBody() else { break } }
        return buffer.body
    }

    /// Returns the whole body when its end has arrived.
    package func rest() throws -> Data {
        while try readBody() {}
        return buffer.body
    }

    /// Reads a part of the body. Returns false if it is complete.
    private func readBody() throws -> Bool {
        if buffer.left == 0 {
            guard buffer.isChunked else { return false }
            buffer.left = Int(try line(), radix: 16) ?? 0
            if buffer.left == 0 {
                buffer.isChunked = false
                _ = try line()
                return false
            }
        }
        if buffer.bytes.isEmpty { guard fill() else { throw Failure(description: "the connection ended in a body") } }
        let part = buffer.bytes.prefix(buffer.left)
        buffer.body += part
        buffer.left -= part.count
        buffer.bytes = Data(buffer.bytes.dropFirst(part.count))
        if buffer.isChunked, buffer.left == 0 { _ = try line() }
        return true
    }

    private func line() throws -> String {
        while true {
            if let end = buffer.bytes.range(of: Data("\r\n".utf8)) {
                defer { buffer.bytes = Data(buffer.bytes[end.upperBound...]) }
                return String(decoding: buffer.bytes[..<end.lowerBound], as: UTF8.self)
            }
            guard fill() else { throw Failure(description: "the connection ended in a chunk") }
        }
    }

    /// Returns whether the server ends the connection without sending another byte. Waits up to 30 s.
    package func isEnded() -> Bool { buffer.bytes.isEmpty && !fill() && !isTimeout }

    /// Returns all bytes up to the end of the connection.
    package func readToEnd() -> String {
        while fill() {}
        return unread
    }

    /// Returns whether a byte is ready to be read. Does not wait.
    package func hasBytes() -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Foundation.poll(&poll, 1, 0) > 0
    }

    /// Shuts down the client's side of the connection. `how` is the argument of shutdown(2).
    package func leave(_ how: Int32 = Int32(SHUT_RDWR)) { shutdown(descriptor, how) }

    /// Lets the close of the connection reset it, as the close of a client with unread bytes does. Without unread bytes
    /// the server receives an end of stream, which may also come from a client that still reads.
    package func resetsWhenClosed() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    private var unread: String { String(decoding: buffer.bytes, as: UTF8.self) }
    private var isTimeout: Bool { errno == EAGAIN }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            errno = 0
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            buffer.bytes.append(contentsOf: chunk[..<count])
            return true
        }
    }

    private static func connect(_ host: String, _ port: UInt16) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else {
            throw Failure(description: "no address: \(host)")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, Foundation.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0
        else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure(description: reason)
        }
        return descriptor
    }

    private static func connect(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let result = sockaddr_un(path: path.utf8).withAddress { Foundation.connect(descriptor, $0, $1) }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw Failure(description: reason)
        }
        return descriptor
    }
}

/// Runs blocking calls on a separate thread, because a blocked thread of Swift's cooperative pool would stop the
/// server's tasks.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await withValueContinuation { continuation in
        let thread = Thread { continuation.resume(returning: Result { try body() }) }
        thread.stackSize = 512 * 1024
        thread.start()
    }
    return try result.get()
}
