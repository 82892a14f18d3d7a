import Foundation
import WebImageCore

/// Removes the rules and declarations of a style sheet that could load another resource, and keeps all others.
///
/// The style sheet is read as tokens and written again from them. A value is kept only if each of its functions is in a
/// list, and if each URL in it is `#id`.
struct CSSSanitizer {
    private let tokens: [CSSToken]
    /// For each token that opens a block the position of its closing token, or the number of tokens.
    private let ends: [Int]

    private static let mostLevels = 64

    /// Returns the style sheet without the harmful rules. The result is empty if no rule is kept.
    static func styleSheet(_ text: String) -> String {
        guard let sanitizer = CSSSanitizer(text) else { return "" }
        return sanitizer.rules(0..<sanitizer.tokens.count, level: 0)
    }

    /// Returns the harmless declarations of a `style` attribute.
    static func declarations(_ text: String) -> String {
        guard let sanitizer = CSSSanitizer(text) else { return "" }
        return sanitizer.block(0..<sanitizer.tokens.count, level: mostLevels)
    }

    /// Whether the value of a presentation attribute refers to no other resource.
    static func isSafeValue(_ text: String) -> Bool {
        // Most values have none of these characters, and no harmful value is without them.
        guard text.utf8.contains(where: { "(\\:@".utf8.contains($0) }) else { return true }
        let lower = text.lowercased()
        guard !lower.contains("javascript:"), !lower.contains("vbscript:") else { return false }
        guard let sanitizer = CSSSanitizer(text) else { return false }
        return sanitizer.isSafe(0..<sanitizer.tokens.count)
    }

    /// Nil if blocks are nested too deeply.
    private init?(_ text: String) {
        tokens = CSSTokenizer.tokens(of: text)
        var ends = Array(repeating: tokens.count, count: tokens.count)
        var open: [(place: Int, closing: UInt8)] = []
        for (place, token) in tokens.enumerated() {
            if let closing = token.closing {
                open.append((place, closing))
                guard open.count <= Self.mostLevels else { return nil }
            } else if case .url = token {
                // It is written as a function with a string, so it is a level of the result.
                guard open.count < Self.mostLevels else { return nil }
            } else if let last = open.last, token == .close(last.closing) {
                ends[last.place] = place
                open.removeLast()
            }
        }
        self.ends = ends
    }

    // MARK: Rules

    /// The rules of a style sheet, or of a rule such as `@media`.
    private func rules(_ range: Range<Int>, level: Int) -> String {
        var result = ""
        var place = range.lowerBound
        while place < range.upperBound {
            switch tokens[place] {
            case .whitespace, .comment, .htmlComment, .semicolon: place += 1
            case .atKeyword: result += atRule(&place, range.upperBound, level: level)
            default: result += styleRule(&place, range.upperBound, level: level)
            }
        }
        return result
    }

    /// The content of a rule: declarations, and rules inside of it.
    private func block(_ range: Range<Int>, level: Int) -> String {
        var declarations: [String] = []
        var rules = ""
        var place = range.lowerBound
        while place < range.upperBound {
            switch tokens[place] {
            case .whitespace, .comment, .semicolon: place += 1
            case .atKeyword: rules += atRule(&place, range.upperBound, level: level)
            default:
                let end = end(place, range.upperBound) { $0 == .semicolon }
                if let declaration = declaration(place..<end) {
                    declarations += declaration.isEmpty ? [] : [declaration]
                    place = end
                } else {
                    rules += styleRule(&place, end, level: level)
                }
            }
        }
        return declarations.joined(separator: ";") + (declarations.isEmpty || rules.isEmpty ? "" : ";") + rules
    }

    private func styleRule(_ place: inout Int, _ limit: Int, level: Int) -> String {
        let open = end(place, limit) { $0 == .open(UInt8(ascii: "{")) }
        let selectors = place..<open
        guard open < limit else {
            place = limit
            return ""
        }
        let close = min(ends[open], limit)
        place = min(close + 1, limit)
        guard level < Self.mostLevels, let start = text(selectors, isValue: false) else { return "" }
        let content = block(open + 1..<close, level: level + 1)
        return content.isEmpty ? "" : start + "{" + content + "}"
    }

    /// The rules that contain rules. All others are removed: they import, embed or declare something else.
    private static let groups: Set<String> = [
        "media", "supports", "container", "layer", "keyframes", "-webkit-keyframes",
    ]

    private func atRule(_ place: inout Int, _ limit: Int, level: Int) -> String {
        guard case .atKeyword(let name) = tokens[place] else { return "" }
        let start = place + 1
        let open = end(start, limit) { $0 == .open(UInt8(ascii: "{")) || $0 == .semicolon }
        guard open < limit, tokens[open] != .semicolon else {
            place = min(open + 1, limit)
            return ""
        }
        let close = min(ends[open], limit)
        place = min(close + 1, limit)
        guard level < Self.mostLevels, Self.groups.contains(name.lowercased()),
            let condition = text(start..<open, isValue: true)
        else { return "" }
        // Inside of a style rule, the content can also be declarations.
        let content =
            level == 0 || name.hasSuffix("keyframes")
            ? rules(open + 1..<close, level: level) : block(open + 1..<close, level: level + 1)
        guard !content.isEmpty else { return "" }
        return "@\(name.lowercased())" + (condition.isEmpty ? "" : " ") + condition + "{" + content + "}"
    }

    /// The first position from `start` on, outside of blocks, whose token `isWanted`; otherwise `limit`.
    private func end(_ start: Int, _ limit: Int, where isWanted: (CSSToken) -> Bool) -> Int {
        var place = start
        while place < limit, !isWanted(tokens[place]) {
            place = tokens[place].closing == nil ? place + 1 : ends[place] + 1
        }
        return min(place, limit)
    }

    // MARK: Declarations

    /// Properties that bind programs to elements in old browsers.
    private static let forbidden: Set<String> = ["behavior", "-ms-behavior", "-moz-binding"]

    /// Returns the text of a declaration: empty if it is harmful, nil if the tokens are no declaration.
    private func declaration(_ range: Range<Int>) -> String? {
        guard case .ident(let name) = tokens[range.lowerBound] else { return nil }
        let colon = end(range.lowerBound + 1, range.upperBound) { $0 != .whitespace && $0 != .comment }
        guard colon < range.upperBound, tokens[colon] == .colon else { return nil }
        let value = colon + 1..<range.upperBound
        // Braces belong to a rule inside of this one, unless the property is a custom one.
        let brace = end(value.lowerBound, value.upperBound) { $0 == .open(UInt8(ascii: "{")) }
        if brace < value.upperBound, !name.hasPrefix("--") { return nil }
        guard !Self.forbidden.contains(name.lowercased()), let text = text(value, isValue: true),
            let property = CSSToken.ident(name).text
        else { return "" }
        return property + ":" + text
    }

    /// Returns tokens as text without blanks at its ends. Nil if a token is not safe.
    private func text(_ range: Range<Int>, isValue: Bool) -> String? {
        guard isValue ? isSafe(range) : isSafeSelector(range) else { return nil }
        var result = ""
        var open: [UInt8] = []
        var blank = ""
        for token in tokens[range] {
            if token == .whitespace {
                blank = result.isEmpty ? "" : " "
                continue
            }
            if token == .comment {
                // A comment separates tokens that could otherwise become one.
                if blank.isEmpty, !result.isEmpty { blank = "/**/" }
                continue
            }
            guard let text = token.text else { return nil }
            // Escapes are written decoded: `<!` before the name `\--a`, or the name `\--` before `>`, would become a comment
            // of HTML.
            let isComment = result.hasSuffix("<!") && text.hasPrefix("--") || result.hasSuffix("--") && text == ">"
            if isComment, blank.isEmpty { return nil }
            result += blank + text
            blank = ""
            if let closing = token.closing { open.append(closing) }
            // A closing token without its block would end another block.
            if case .close(let byte) = token { guard open.popLast() == byte else { return nil } }
        }
        // A block without an end continues to the end of the text.
        return result + open.reversed().map { String(Unicode.Scalar($0)) }.joined()
    }

    private func isSafeSelector(_ range: Range<Int>) -> Bool {
        tokens[range].allSatisfy { token in
            switch token {
            case .url, .badURL, .badString, .atKeyword, .htmlComment: false
            case .function(let name): Self.selectors.contains(name.lowercased())
            case .ident(let name): name.lowercased() != "url"
            default: true
            }
        }
    }

    private static let selectors: Set<String> = [
        "not", "is", "where", "has", "matches", "any", "-webkit-any", "-moz-any", "nth-child", "nth-last-child",
        "nth-of-type", "nth-last-of-type", "lang", "dir",
    ]

    private func isSafe(_ range: Range<Int>) -> Bool {
        var isURL = false
        for token in tokens[range] {
            switch token {
            case .url(let value): guard value.hasPrefix("#") else { return false }
            case .string(let value): if isURL { guard value.hasPrefix("#") else { return false } }
            case .function(let name):
                isURL = name.lowercased() == "url"
                guard isURL || Self.functions.contains(name.lowercased()) else { return false }
                continue
            // A parser that ignores comments would read `url/**/(` as the start of a URL.
            case .ident(let name): guard name.lowercased() != "url" else { return false }
            case .badURL, .badString, .htmlComment, .atKeyword, .delim("\\"): return false
            default: break
            }
            if token != .whitespace, token != .comment { isURL = false }
        }
        return true
    }

    /// The functions that never load a resource. `image-set()`, `image()`, `src()`, `attr()` and old programs such as
    /// `expression()` are not among them.
    private static let functions: Set<String> = {
        let names = """
            rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark device-cmyk icc-color
            calc min max clamp round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp abs sign
            var env cubic-bezier steps linear fit-content minmax repeat selector not
            matrix matrix3d translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d
            rotate rotatex rotatey rotatez rotate3d skew skewx skewy perspective
            blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
            path polygon circle ellipse inset rect xywh ray counter counters
            linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
            repeating-conic-gradient
            """
        return Set(names.split(whereSeparator: \.isWhitespace).map(String.init))
    }()
}
