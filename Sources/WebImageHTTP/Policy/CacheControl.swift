package import Foundation

/// The directives of `Cache-Control` (RFC 9111 §5.2), names in lower case.
package struct CacheControl: Sendable, Hashable {
    private var directives: [String: String] = [:]

    package init(_ field: String?) {
        guard let field, !field.isEmpty else { return }
        for part in Self.parts(field) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmingCharacters(in: .whitespaces).lowercased()
            guard !name.isEmpty else { continue }
            let value = pair.count > 1 ? pair[1].trimmingCharacters(in: .whitespaces) : ""
            // The first of two equal directives counts, as in §4.2.1: which one is stricter depends on the directive.
            if directives[name] == nil { directives[name] = value.trimmingCharacters(in: ["\""]) }
        }
    }

    package func contains(_ name: String) -> Bool { directives[name] != nil }

    /// The seconds of a directive; nil without it, 0 when its value is not a number, at most 2^31 (§1.2.2).
    package func seconds(_ name: String) -> TimeInterval? {
        guard let text = directives[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(TimeInterval(text) ?? 0, 2_147_483_648)
    }

    /// Splits at commas outside quotes.
    private static func parts(_ field: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in field {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts
    }
}
