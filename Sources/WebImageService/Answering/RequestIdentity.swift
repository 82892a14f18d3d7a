import Foundation
import WebImageCore

/// The identifiers under which a request is logged and traced.
enum RequestIdentity {
    /// The client's `X-Request-Id` if it consists of 1...64 characters from `A-Z a-z 0-9 _ -`; otherwise a new
    /// identifier.
    static func requestID(_ headers: ServiceHeaders) -> String {
        if let wanted = headers["X-Request-Id"], (1...64).contains(wanted.utf8.count),
            wanted.utf8.allSatisfy({ $0.isASCIILetter || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D })
        {
            return wanted
        }
        let number = UInt64.random(in: .min ... .max)
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The value of `traceparent` (W3C Trace Context §3.2) if it is well formed and has version 00; otherwise nil.
    static func traceParent(_ headers: ServiceHeaders) -> String? {
        guard let field = headers["traceparent"], field.utf8.count == 55, field.hasPrefix("00-") else { return nil }
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 32, 16, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        return field
    }

    /// Returns the text that represents a source in logs. The text has at most 500 characters. The query and the
    /// fragment are omitted, also if their mark is percent-encoded, because they can contain secrets. A source with a
    /// user name or password is refused before this function is called.
    static func redacted(_ source: String) -> String {
        var plain = source.prefix { $0 != "?" && $0 != "#" }
        for mark in ["%3F", "%3f", "%23"] {
            if let range = plain.range(of: mark) { plain = plain[..<range.lowerBound] }
        }
        return String(plain.prefix(500))
    }
}
