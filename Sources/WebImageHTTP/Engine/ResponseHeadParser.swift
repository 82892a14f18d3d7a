import Foundation
import WebImageCore

/// Gathers header lines as curl hands them out, forgetting the heads of interim and redirecting responses.
struct ResponseHeadParser {
    /// Bytes all header lines of one response may have.
    static let maxBytes = 256 * 1024

    private(set) var statusCode: Int?
    private(set) var version: String?
    private(set) var fields: [String: String] = [:]
    private var lastName: String?
    private var byteCount = 0
    private(set) var isComplete = false

    /// Takes one line with its line break; false when the head is larger than anything sensible.
    ///
    /// Works on the bytes: every answer has a dozen of them, and text functions would cost more than the transfer.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        if line.starts(with: "HTTP/".utf8) { self = ResponseHeadParser(startingAt: line) }
        byteCount += line.count
        guard byteCount <= Self.maxBytes else { return false }
        let text = Self.trimmed(line[...])
        if text.isEmpty {
            isComplete = true
        } else if let lastName, line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            // Obsolete line folding (RFC 9112 §5.2) continues the previous value.
            fields[lastName, default: ""] += " " + String(decoding: text, as: UTF8.self)
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            add(Self.lowercased(text[..<colon]), String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self))
        }
        return true
    }

    init() {}

    private init(startingAt line: UnsafeRawBufferPointer) {
        let parts = Self.trimmed(line[...]).split(separator: UInt8(ascii: " "), maxSplits: 2)
        version = parts.first.map { String(decoding: $0, as: UTF8.self) }
        statusCode = parts.count > 1 ? Int(String(decoding: parts[1].prefix(3), as: UTF8.self)) : nil
    }

    private mutating func add(_ name: String, _ value: String) {
        fields[name] = fields[name].map { $0 + ", " + value } ?? value
        lastName = name
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return bytes
    }

    private static func lowercased(_ name: Slice<UnsafeRawBufferPointer>) -> String {
        String(unsafeUninitializedCapacity: name.count) { target in
            for (index, byte) in name.enumerated() { target[index] = byte.lowercasedASCII }
            return name.count
        }
    }

    /// Whether this head cannot be followed by another one of the same transfer.
    var isCertainlyFinal: Bool { isComplete && statusCode.map { 200..<300 ~= $0 } == true }

    /// The bytes the body has on the wire; nil when encoded, since the decoded length is what callers count.
    private var expectedContentLength: Int? {
        let encoding = fields["content-encoding"]?.lowercased()
        guard encoding == nil || encoding == "identity" else { return nil }
        return fields["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The head as the value users see.
    func response(url: URL) -> WebImageResponse {
        WebImageResponse(
            url: url, statusCode: statusCode, allHeaderFields: fields, expectedContentLength: expectedContentLength,
            mimeType: mimeType, httpVersion: version)
    }

    /// The declared type without parameters and blanks, in lower case.
    private var mimeType: String? {
        let field = fields["content-type"]?.utf8.prefix { $0 != UInt8(ascii: ";") } ?? ""[...].utf8
        let type = field.filter { $0 > 0x20 }.map(\.lowercasedASCII)
        return type.isEmpty ? nil : String(decoding: type, as: UTF8.self)
    }
}

extension UInt8 {
    /// The byte of the small letter when it is that of a capital one.
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
