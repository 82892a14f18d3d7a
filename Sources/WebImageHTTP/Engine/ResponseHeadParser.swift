import Foundation
import WebImageCore

/// Parses the header lines that curl delivers. Each status line starts a new head, so the earlier heads of interim
/// responses and redirects are discarded.
struct ResponseHeadParser {
    /// The maximum number of bytes of all header lines of one response, including the interim responses before it.
    static let maxBytes = 256 * 1024

    private(set) var statusCode: Int?
    private(set) var version: String?
    private(set) var fields = ReceivedFields()
    private var byteCount = 0
    private(set) var isComplete = false

    /// Parses one line, which includes its line break. Returns false if the head exceeds ``maxBytes``.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let isStatus = line.count >= 5 && line.baseAddress.map { memcmp($0, "HTTP/", 5) == 0 } == true
        // Trailers follow the body and are not part of the head (RFC 9110 §6.5.1).
        if isComplete, !isStatus { return true }
        if isStatus {
            // Count the bytes of interim responses, because a server could send an unlimited number of them.
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

    /// Parses a status line such as `HTTP/1.1 200 OK`, or `HTTP/2 200` without a reason phrase.
    private init(startingAt line: UnsafeRawBufferPointer) {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") }
        let version = line.prefix { $0 > 0x20 }
        self.version = String(decoding: version, as: UTF8.self)
        let digits = line.dropFirst(version.count).drop(while: isBlank).prefix(3).prefix { $0 > 0x20 }
        statusCode = Int(String(decoding: digits, as: UTF8.self))
        fields.reserve()
    }

    /// Whether this is the head of an interim response (1xx). The server sends the final response later (RFC 9110
    /// §15.2).
    var isInterim: Bool { statusCode.map { 100..<200 ~= $0 } == true }

    /// Whether curl will certainly deliver no further head. After an interim response the server sends another head.
    /// After 401, 407 and 417, curl may send the request again, and then delivers another head.
    var isCertainlyFinal: Bool {
        isComplete && !isInterim && statusCode.map { $0 != 401 && $0 != 407 && $0 != 417 } == true
    }

    /// Converts the head to a ``WebImageResponse``.
    func response(url: URL) -> WebImageResponse {
        WebImageResponse(url: url, statusCode: statusCode, received: fields, httpVersion: version)
    }
}
