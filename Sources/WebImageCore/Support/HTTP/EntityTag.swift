package import Foundation

/// Creates and compares strong validators of bodies (RFC 9110 §8.8.3).
package enum EntityTag {
    /// Returns the validator of a body: the 128-bit digest of the body in hexadecimal, with quotes around it.
    package static func tag(of body: Data) -> String {
        "\"" + ContentDigest(body).data.map { String(plainFormat: "%02x", $0) }.joined() + "\""
    }

    /// Whether `field`, the value of `If-None-Match`, contains the validator `tag` or is `*`. The comparison is weak
    /// (RFC 9110 §13.1.2). Only the first 8 KB of the field are read.
    package static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        // Try `==` first: almost every client sends only one validator, exactly as it received this validator.
        if field == tag { return true }
        let trimmed = field.trimmingCharacters(in: .whitespaces)
        if trimmed == "*" { return true }
        return trimmed.prefix(8192).split(separator: ",").contains { part in
            let part = part.trimmingCharacters(in: .whitespaces)
            return (part.hasPrefix("W/") ? String(part.dropFirst(2)) : part) == tag
        }
    }
}
