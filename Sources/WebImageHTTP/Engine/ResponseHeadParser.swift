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
    mutating func take(_ line: String) -> Bool {
        if line.hasPrefix("HTTP/") { self = ResponseHeadParser(startingAt: line) }
        byteCount += line.utf8.count
        guard byteCount <= Self.maxBytes else { return false }
        let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if text.isEmpty {
            isComplete = true
        } else if let lastName, line.first == " " || line.first == "\t" {
            // Obsolete line folding (RFC 9112 §5.2) continues the previous value.
            fields[lastName, default: ""] += " " + text
        } else if let colon = text.firstIndex(of: ":") {
            add(text[..<colon].lowercased(), text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        return true
    }

    init() {}

    private init(startingAt line: String) {
        let parts = line.split(separator: " ", maxSplits: 2)
        version = parts.first.map(String.init)
        statusCode = parts.count > 1 ? Int(parts[1].prefix(3)) : nil
    }

    private mutating func add(_ name: String, _ value: String) {
        fields[name] = fields[name].map { $0 + ", " + value } ?? value
        lastName = name
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
        let type = fields["content-type"]?.split(separator: ";", maxSplits: 1).first
        return WebImageResponse(
            url: url, statusCode: statusCode, allHeaderFields: fields, expectedContentLength: expectedContentLength,
            mimeType: type.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }.flatMap {
                $0.isEmpty ? nil : $0
            }, httpVersion: version)
    }
}
