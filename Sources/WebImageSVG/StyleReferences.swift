import Foundation
import WebImageCore

/// Finds references in style sheets and in the values of attributes. A reference is either a `data:` URL in `url()` or
/// `@import`, or the id of another element.
///
/// A `data:` URL that contains a document or a style sheet is refused, because librsvg would read the content without a
/// limit. A `data:` URL that contains a font or a picture is allowed, because librsvg does not read it here.
enum StyleReferences {
    /// Checks a style sheet or the value of an attribute.
    ///
    /// - Throws: `.badImageData` if a document or a style sheet is embedded.
    static func check(_ css: Data) throws(WebImageError) {
        // A text without a colon contains no `data:` URL. An escape such as `\3a` can represent the colon.
        guard css.contains(UInt8(ascii: ":")) || css.contains(UInt8(ascii: "\\")) else { return }
        let text = DataURL.withoutLineEnds(unescaped(css))
        let places = dataURLs(in: text)
        guard !places.isEmpty, refersToURL(text) else { return }
        for place in places {
            // 8,192 bytes are enough to read the media type and the start of the content.
            let piece = Data(text[place...].prefix(8192))
            guard piece.contains(UInt8(ascii: ",")) || piece.count < 8192 else { throw refused }
            do {
                guard let url = try DataURL(piece) else { continue }
                guard !isDocument(url.start) else { throw refused }
            } catch { throw refused }
        }
        // Check the text with its comments and also without them, because a comment can contain text that looks like
        // the end of a rule.
        guard !importsData(text), !importsData(withoutComments(text)) else { throw refused }
    }

    /// Returns the id in a reference to an element of the same document, such as `#shadow`. Returns nil for any other
    /// reference.
    static func id(_ reference: Data) -> Data? {
        let text = reference.drop { $0 <= 0x20 }
        return text.first == UInt8(ascii: "#") ? Data(text.dropFirst()) : nil
    }

    /// Returns the ids of all references of the form `url(#id)` in an attribute's value. CSS escapes are not decoded.
    static func ids(in value: Data) -> [Data] {
        guard value.contains(UInt8(ascii: "#")) else { return [] }
        var ids: [Data] = []
        var rest = value[...]
        while let start = rest.range(of: Data("url(".utf8)) {
            rest = rest[start.upperBound...]
            let end = rest.firstIndex(of: UInt8(ascii: ")")) ?? rest.endIndex
            let quotes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'")]
            let target = rest[..<end].filter { $0 > 0x20 && !quotes.contains($0) }
            if let id = id(target) { ids.append(id) }
            rest = rest[end...]
        }
        return ids
    }

    /// Whether the bytes can be the start of a plain or compressed XML document, in any encoding that libxml2 detects.
    static func isDocument(_ start: Data) -> Bool {
        let head = Data(start.prefix(8))
        let marks: [[UInt8]] = [
            [0x1F, 0x8B], [0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE], [0, 0, 0xFE, 0xFF],
            [0x4C, 0x6F, 0xA7, 0x94],
        ]
        if marks.contains(where: { head.starts(with: $0) }) { return true }
        return start.first { $0 > 0x20 } == UInt8(ascii: "<")
    }

    private static let refused = WebImageError.badData(
        "SVG", "a style sheet embeds a document or a style sheet",
        hint: "Put it into the document itself.")

    private static func refersToURL(_ text: Data) -> Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        return text.contains("url(") || text.contains("@import")
    }

    /// Returns all positions of `data:` in the text. Ignores the case of the letters.
    private static func dataURLs(in text: Data) -> [Int] {
        var places: [Int] = []
        var rest = text[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            let start = colon - 4
            if start >= 0, text[start..<colon].map({ $0 | 0x20 }).elementsEqual("data".utf8) {
                places.append(start)
            }
            rest = rest[(colon + 1)...]
        }
        return places
    }

    /// Whether a rule imports a style sheet from a `data:` URL.
    private static func importsData(_ text: Data) -> Bool {
        var rest = Data(text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })[...]
        while let start = rest.range(of: Data("@import".utf8)) {
            let rule = rest[start.upperBound...]
            let end = rule.firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "}") } ?? rule.endIndex
            if rule[..<end].range(of: Data("data:".utf8)) != nil { return true }
            rest = rule[end...]
        }
        return false
    }

    static func withoutComments(_ text: Data) -> Data {
        var result = Data()
        var rest = text[...]
        while let start = rest.range(of: Data("/*".utf8)) {
            result.append(rest[..<start.lowerBound])
            guard let end = rest[start.upperBound...].range(of: Data("*/".utf8)) else { return result }
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    /// Returns the text with each CSS escape replaced by its character (CSS Syntax §4.3.7).
    private static func unescaped(_ css: Data) -> Data {
        guard css.contains(UInt8(ascii: "\\")) else { return css }
        var result = Data(capacity: css.count)
        var rest = css[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            result.append(rest[..<backslash])
            rest = rest[(backslash + 1)...]
            let digits = rest.prefix(6).prefix { Character(Unicode.Scalar($0)).isHexDigit }
            guard !digits.isEmpty else {
                if let escaped = rest.popFirst() { result.append(escaped) }
                continue
            }
            rest = rest[digits.endIndex...]
            if rest.starts(with: [0x0D, 0x0A]) {
                rest = rest.dropFirst(2)
            } else if let space = rest.first, [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(space) {
                rest = rest.dropFirst()
            }
            let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(
                Unicode.Scalar.init)
            result.append(contentsOf: String(Character(scalar ?? "\u{FFFD}")).utf8)
        }
        result.append(rest)
        return result
    }
}
