import Foundation

/// A replacement of the beginning of a source, defined as `pattern=replacement`. `*` in the pattern matches any text
/// without a slash. In the replacement, `${1}` stands for the text that the first `*` matched, and `${2}` for the text
/// that the second `*` matched. A `*` matches as much as the rest of the pattern allows.
struct SourceReplacement: Sendable, Hashable {
    private enum Part: Hashable {
        case text(String)
        /// The text that a `*` matched, counted from 0.
        case match(Int)
    }

    /// The texts between the stars of the pattern, at least one.
    private let pieces: [[UInt8]]
    private let replacement: [Part]

    /// Parses a definition; nil if it has no `=` or no pattern.
    init?(_ definition: String) {
        let parts = definition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        pieces = parts[0].split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
        var (replacement, rest) = ([Part](), parts[1])
        while let match = rest.firstMatch(of: /\$\{([0-9]{1,2})\}/) {
            guard let number = Int(match.1) else { break }
            replacement.append(.text(String(rest[..<match.range.lowerBound])))
            let isKnown = (1..<pieces.count).contains(number)
            replacement.append(isKnown ? .match(number - 1) : .text(String(match.0)))
            rest = rest[match.range.upperBound...]
        }
        self.replacement = replacement + [.text(String(rest))]
    }

    /// Returns the text with its beginning replaced; the same text if the pattern does not match. Takes time in proportion
    /// to the length of the text, multiplied by the length of the pattern.
    func applied(to text: String) -> String {
        let bytes = Array(text.utf8)
        guard let (matches, end) = match(bytes) else { return text }
        // The parts are put together in one pass. A `${1}` in the text of a source stays as it is: if it was replaced, a
        // short source could become gigabytes.
        let beginning = replacement.map { part in
            switch part {
            case .text(let text): text
            case .match(let index): String(decoding: bytes[matches[index]], as: UTF8.self)
            }
        }
        return beginning.joined() + String(decoding: bytes[end...], as: UTF8.self)
    }

    /// The beginnings of the texts that ``applied(to:)`` makes of texts with a prefix; also of others. Nil if the replacement
    /// begins with a match before its host ends.
    func prefixes(of prefix: String) -> [String]? {
        let applied = applied(to: prefix)
        let isOpen = SourcePattern.ends(Array(pieces.joined(separator: "*".utf8))[...], Array(prefix.utf8)[...]).isOpen
        // What the last star matches can become longer with the text.
        guard isOpen || (applied != prefix && pieces.count > 1) else {
            return applied == prefix ? [prefix] : [applied]
        }
        var lead = ""
        for part in replacement {
            guard case .text(let text) = part else { break }
            lead += text
        }
        guard let mark = lead.range(of: "://"), lead[mark.upperBound...].contains("/") else { return nil }
        return applied == prefix ? [prefix, lead] : [applied, lead]
    }

    /// Returns what each `*` matches, and where the match ends.
    private func match(_ text: [UInt8]) -> (matches: [Range<Int>], end: Int)? {
        guard text.starts(with: pieces[0]) else { return nil }
        // For each piece behind a star and each position: the farthest place of the piece that the star can reach from the
        // position, so that the rest of the pattern matches. Computed from the end, so no position is tried twice.
        var farthest: [[Int?]] = []
        for piece in pieces.dropFirst().reversed() {
            let next = farthest.last
            var reached = [Int?](repeating: nil, count: text.count + 1)
            for place in stride(from: text.count, through: 0, by: -1) {
                if place < text.count, text[place] != UInt8(ascii: "/") { reached[place] = reached[place + 1] }
                guard reached[place] == nil, text[place...].starts(with: piece),
                    next == nil || next?[place + piece.count] != nil
                else { continue }
                reached[place] = place
            }
            farthest.append(reached)
        }
        var (matches, place) = ([Range<Int>](), pieces[0].count)
        for (piece, reached) in zip(pieces.dropFirst(), farthest.reversed()) {
            guard let end = reached[place] else { return nil }
            matches.append(place..<end)
            place = end + piece.count
        }
        return (matches, place)
    }
}
