package import Foundation

/// The parsed directives of a `Cache-Control` field (RFC 9111 §5.2). Directive names are in lower case.
package struct CacheControl: Sendable, Hashable {
    private var directives: [String: String] = [:]

    package init(_ field: String?) {
        guard let field, !field.isEmpty else { return }
        for part in Self.parts(field) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmingCharacters(in: .whitespaces).lowercased()
            guard !name.isEmpty else { continue }
            let value = pair.count > 1 ? pair[1].trimmingCharacters(in: .whitespaces) : ""
            // If a directive occurs twice, use its first value, as §4.2.1 allows. Choosing the stricter value would
            // require a different rule for each directive.
            if directives[name] == nil { directives[name] = value.trimmingCharacters(in: ["\""]) }
        }
    }

    package func contains(_ name: String) -> Bool { directives[name] != nil }

    /// The value of a directive in seconds, at most 2^31 (§1.2.2); nil if the directive is absent, 0 if its value is
    /// not a number.
    package func seconds(_ name: String) -> TimeInterval? {
        guard let text = directives[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(TimeInterval(text) ?? 0, 2_147_483_648)
    }

    /// Splits a field at the commas that are not inside quotes.
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
