import Foundation
import Testing
import WebImageService

@testable import WebImageServer

/// Parses heads without a socket.
@Suite struct RequestHeadTests {
    private static func head(
        _ text: String, step: Int = .max, limits: HeadLimits = HeadLimits()
    ) throws -> (head: RequestHead, size: Int)? {
        let bytes = Array(text.utf8)
        let result: Result<(head: RequestHead, size: Int)?, HeadError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(HeadError) in
                var scanner = HeadScanner()
                var end = 0
                while end < bytes.count {
                    end = min(end + min(step, bytes.count), bytes.count)
                    guard let size = try scanner.scan(UnsafeRawBufferPointer(rebasing: bytes[..<end]), limits) else {
                        continue
                    }
                    return (try RequestHead(UnsafeRawBufferPointer(rebasing: bytes[..<size]), limits), size)
                }
                return nil
            }
        }
        return try result.get()
    }

    @Test(arguments: [1, 2, 3, 7, Int.max])
    func headIsTheSameHoweverItsBytesArrive(step: Int) throws {
        let text = "\r\n\r\nGET /a%2Fb?c=%zz HTTP/1.1\r\nHost: A.example:80\r\nX-A:\t 1 2 \t\r\nx-b:\r\nX-Ä"
        #expect(throws: HeadError("the name of a field is malformed")) {
            try Self.head(text + ": 1\r\n\r\n", step: step)
        }
        let whole = try #require(
            try Self.head(String(text.dropLast(3)) + "Connection: x, Close\r\n\r\nGET /next", step: step))
        #expect(whole.head.method == "GET" && whole.head.target == "/a%2Fb?c=%zz")
        #expect(whole.head.headers.fields.map(\.name) == ["Host", "X-A", "x-b", "Connection"])
        #expect(whole.head.headers["x-a"] == "1 2" && whole.head.headers["X-B"] == "")
        #expect(!whole.head.isPersistent && !whole.head.isOld)
        #expect(try Self.head("GET / HTTP/1.1\r\nHost: a\r\n", step: step) == nil)
    }

    @Test func connectionStaysOpenAsTheVersionAndTheFieldSay() throws {
        let rows: [(version: String, field: String, isPersistent: Bool)] = [
            ("1.1", "", true), ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: keep-alive\r\n", true),
            ("1.0", "", false), ("1.0", "Connection: Keep-Alive\r\n", true), ("1.0", "Connection: close\r\n", false),
            ("1.1", "Connection: keep-alive\r\nConnection: close\r\n", false),
            ("1.0", "Connection: close\r\nConnection: keep-alive\r\n", false),
            ("1.1", "Connection: x, Closed\r\n", false),
        ]
        for row in rows {
            let text = "GET / HTTP/\(row.version)\r\nHost: a\r\n\(row.field)\r\n"
            #expect(try Self.head(text)?.head.isPersistent == row.isPersistent, "\(text)")
        }
    }

    /// A higher minor version is 1.1 (RFC 9110 §2.5), and two lines of a list are one list (§5.3).
    @Test func laterVersionsAndListsInSeveralLinesAreRead() throws {
        for version in ["1.1", "1.2", "1.9"] {
            let text =
                "GET / HTTP/\(version)\r\nHost: a\r\nIf-None-Match: 1\r\nif-none-match: 2\r\nIf-Match: 3\r\nIf-Match: 4\r\n\r\n"
            let head = try #require(try Self.head(text)).head
            #expect(!head.isOld && head.isPersistent)
            #expect(head.headers["If-None-Match"] == "1, 2" && head.headers["If-Match"] == "3, 4")
        }
    }

    @Test(arguments: [
        ("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 405), ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", 413),
        ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 413),
        ("GET /\(String(repeating: "a", count: 40)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET /\(String(repeating: "a", count: 200))", 414),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 5_000))", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X:\r\n", count: 250))\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\nIf-Range: 1\r\nif-range: 2\r\n\r\n", 400),
    ])
    func refusalHasItsStatus(text: String, status: Int) {
        let limits = HeadLimits(head: 4_096, target: 32)
        let error = #expect(throws: HeadError.self) { try Self.head(text, limits: limits) }
        #expect(error?.status == status)
    }

    @Test(arguments: [
        "a", "a:80", "a.b.", "127.0.0.1:8080", "[::1]", "[2001:db8::1]:443", "a_b-c~d", "A", "a:",
    ])
    func hostIsAccepted(host: String) throws {
        #expect(try Self.head("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") != nil)
    }

    /// A long head that arrives byte by byte costs as much as a head that arrives at once: the scanner reads each byte
    /// only once.
    @Test func bytesAreScannedOnce() throws {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 30_000))\r\n\r\n"
        let clock = ContinuousClock()
        #expect(try Self.head(text, step: 1) != nil)
        let slow = try clock.measure { for _ in 0..<3 { _ = try Self.head(text, step: 1) } }
        let fast = try clock.measure { for _ in 0..<3 { _ = try Self.head(text) } }
        // A scanner that begins anew with every byte needs 15,000 times as long.
        #expect(slow < fast * 100, "\(slow) \(fast)")
    }
}
