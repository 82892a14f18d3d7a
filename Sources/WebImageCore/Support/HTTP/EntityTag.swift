package import Foundation

/// Creates and compares strong validators of bodies (RFC 9110 §8.8.3).
package enum EntityTag {
    /// Returns the validator of a body, with its quotes: 128 bits of its digest in hexadecimal.
    package static func tag(of body: Data) -> String {
        "\"" + ContentDigest(body).data.map { String(plainFormat: "%02x", $0) }.joined() + "\""
    }

    /// Whether the field `If-None-Match` contains a validator; the comparison is weak (RFC 9110 §13.1.2). Reads only the first
    /// 8 KB.
    package static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        // Almost every client sends the one validator that it received.
        if field == tag { return true }
        let trimmed = field.trimmingCharacters(in: .whitespaces)
        if trimmed == "*" { return true }
        return trimmed.prefix(8192).split(separator: ",").contains { part in
            let part = part.trimmingCharacters(in: .whitespaces)
            return (part.hasPrefix("W/") ? String(part.dropFirst(2)) : part) == tag
        }
    }
}
