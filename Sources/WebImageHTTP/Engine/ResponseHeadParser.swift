import Foundation
import WebImageCore

/// Collects header lines as curl delivers them and drops the heads of interim and redirecting responses.
struct ResponseHeadParser {
    /// The maximum number of bytes of all header lines of one response and of the interim ones before it.
    static let maxBytes = 256 * 1024

    private(set) var statusCode: Int?
    private(set) var version: String?
    private(set) var fields = ReceivedFields()
    private var byteCount = 0
    private(set) var isComplete = false

    /// Takes one line with its line break; false when the head exceeds `maxBytes`.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let isStatus = line.count >= 5 && line.baseAddress.map { memcmp($0, "HTTP/", 5) == 0 } == true
        // Trailers follow the body and are not part of the head (RFC 9110 §6.5.1).
        if isComplete, !isStatus { return true }
        if isStatus {
            // Bytes of interim responses count, because a server could send them without end.
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

    /// Reads a line such as `HTTP/1.1 200 OK`; HTTP/2 has no reason phrase.
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

    /// Whether this head is certainly the last one of the transfer.
    var isCertainlyFinal: Bool { isComplete && statusCode.map { 200..<300 ~= $0 } == true }

    /// Returns the head as the public value.
    func response(url: URL) -> WebImageResponse {
        WebImageResponse(url: url, statusCode: statusCode, received: fields, httpVersion: version)
    }
}
