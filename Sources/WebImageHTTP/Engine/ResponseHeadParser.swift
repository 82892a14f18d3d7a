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
        let isStatus = line.count >= 5 && line.baseAddress.map { memcmp($0, "HTTP/", 5) == 0 } == true
        if isStatus { self = ResponseHeadParser(startingAt: line) }
        byteCount += line.count
        guard byteCount <= Self.maxBytes else { return false }
        let text = Self.trimmed(line, 0..<line.count)
        if text.isEmpty {
            isComplete = true
        } else if let lastName, line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") {
            // Obsolete line folding (RFC 9112 §5.2) continues the previous value.
            fields[lastName, default: ""] += " " + Self.text(line, text)
        } else if !isStatus, let colon = line[text].firstIndex(of: UInt8(ascii: ":")) {
            let value = Self.trimmed(line, colon + 1..<text.upperBound)
            add(Self.lowercased(line, text.lowerBound..<colon), Self.text(line, value))
        }
        return true
    }

    init() {}

    /// `HTTP/1.1 200 OK`; HTTP/2 has no words at the end.
    private init(startingAt line: UnsafeRawBufferPointer) {
        let all = Self.trimmed(line, 0..<line.count)
        let version = all.prefix { line[$0] != UInt8(ascii: " ") }
        self.version = Self.text(line, version)
        let digits = all.dropFirst(version.count).drop { line[$0] == UInt8(ascii: " ") }.prefix(3)
        statusCode = Int(Self.text(line, digits.prefix { line[$0] != UInt8(ascii: " ") }))
        // As many as servers commonly send: growing would hash each of them several times.
        fields.reserveCapacity(12)
    }

    private mutating func add(_ name: String, _ value: String) {
        if let before = fields.updateValue(value, forKey: name) { fields[name] = before + ", " + value }
        lastName = name
    }

    private static func text(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: line[range]), as: UTF8.self)
    }

    private static func trimmed(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, line[low] <= 0x20 { low += 1 }
        while low < high, line[high - 1] <= 0x20 { high -= 1 }
        return low..<high
    }

    private static func lowercased(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { target in
            for (place, index) in range.enumerated() { target[place] = line[index].lowercasedASCII }
            return range.count
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
        guard let field = fields["content-type"], !field.isEmpty else { return nil }
        let isPlain = field.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ";") && $0 == $0.lowercasedASCII }
        if isPlain { return field }
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }.map(\.lowercasedASCII)
        return type.isEmpty ? nil : String(decoding: type, as: UTF8.self)
    }
}

extension UInt8 {
    /// The byte of the small letter when it is that of a capital one.
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
