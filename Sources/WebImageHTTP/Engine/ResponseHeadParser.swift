import Foundation
import WebImageCore

/// Gathers header lines as curl hands them out, forgetting the heads of interim and redirecting responses.
struct ResponseHeadParser {
    /// Bytes all header lines of one response, and of the interim ones before it, may have.
    static let maxBytes = 256 * 1024

    private(set) var statusCode: Int?
    private(set) var version: String?
    private(set) var fields = ReceivedFields()
    private var byteCount = 0
    private(set) var isComplete = false

    /// Takes one line with its line break; false when the head is larger than anything sensible.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let isStatus = line.count >= 5 && line.baseAddress.map { memcmp($0, "HTTP/", 5) == 0 } == true
        // Trailers come after the body: they are no part of the head (RFC 9110 §6.5.1).
        if isComplete, !isStatus { return true }
        if isStatus {
            // A server could send interim responses without end.
            let interimBytes = isInterim ? byteCount : 0
            self = ResponseHeadParser(startingAt: line)
            byteCount = interimBytes
        }
        byteCount += line.count
        guard byteCount <= Self.maxBytes else { return false }
        if !isStatus, !fields.add(line) { isComplete = true }
        return true
    }

    init() {}

    /// `HTTP/1.1 200 OK`; HTTP/2 has no words at the end.
    private init(startingAt line: UnsafeRawBufferPointer) {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") }
        let version = line.prefix { $0 > 0x20 }
        self.version = String(decoding: version, as: UTF8.self)
        let digits = line.dropFirst(version.count).drop(while: isBlank).prefix(3).prefix { $0 > 0x20 }
        statusCode = Int(String(decoding: digits, as: UTF8.self))
        fields.reserve()
    }

    /// Whether this is the head of an interim response, which another one follows (RFC 9110 §15.2).
    var isInterim: Bool { statusCode.map { 100..<200 ~= $0 } == true }

    /// Whether this head cannot be followed by another one of the same transfer.
    var isCertainlyFinal: Bool { isComplete && statusCode.map { 200..<300 ~= $0 } == true }

    /// The head as the value users see.
    func response(url: URL) -> WebImageResponse {
        WebImageResponse(url: url, statusCode: statusCode, received: fields, httpVersion: version)
    }
}
