import Foundation
import WebImageCore

/// Applies the media of a style sheet, because librsvg does not evaluate them: it drops every `@media` block, also one for
/// screens, and applies every `style` element, also one for print.
///
/// The blocks of `@media` whose conditions hold in a ``DrawingMedium`` are replaced by their rules, all others are removed.
/// Everything else is copied byte by byte. Takes time and memory in proportion to the length of the text.
struct StyleMedia {
    private var tokenizer: CSSTokenizer
    private let medium: DrawingMedium
    private let deadline: DecodeDeadline
    private var result = Data()
    /// The place of the last token.
    private var last = 0..<0
    /// The number of open `@media` blocks whose rules are kept.
    private var depth = 0
    private var count = 0

    /// The tokens of a condition. A longer one does not hold.
    private static let longestCondition = 1000
    private static let brace = UInt8(ascii: "{")

    /// Returns the style sheet with the rules for `medium`, as CSS. Returns nil if it has no conditions, or if the element
    /// contains other elements and cannot be replaced.
    static func applied(
        to sheet: XMLScanner.StyleSheet, _ medium: DrawingMedium, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> Data? {
        guard !sheet.hasElements else { return nil }
        for attribute in sheet.attributes where attribute.prefix.isEmpty {
            let value = String(decoding: attribute.value, as: UTF8.self)
            switch attribute.name {
            case media: guard medium.matches(CSSTokenizer.tokens(of: value)) else { return Data() }
            // Browsers ignore a style sheet in another language.
            case type: guard value.isEmpty || value.lowercased() == "text/css" else { return Data() }
            default: break
            }
        }
        guard mayHaveConditions(sheet.text) else { return nil }
        var rules = StyleMedia(
            tokenizer: CSSTokenizer(sheet.text), medium: medium, deadline: deadline)
        try rules.run()
        return rules.result
    }

    private static let (media, type) = (Data("media".utf8), Data("type".utf8))

    /// CSS as the content of an element.
    static func markup(_ css: Data) -> Data {
        var result = Data()
        result.reserveCapacity(css.count)
        for byte in css {
            switch byte {
            case UInt8(ascii: "&"): result.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): result.append(contentsOf: "&lt;".utf8)
            // `]]>` must not appear in text.
            case UInt8(ascii: ">"): result.append(contentsOf: "&gt;".utf8)
            default: result.append(byte)
            }
        }
        return result
    }

    private init(tokenizer: CSSTokenizer, medium: DrawingMedium, deadline: DecodeDeadline) {
        (self.tokenizer, self.medium, self.deadline) = (tokenizer, medium, deadline)
    }

    /// Whether the text contains `@m` or an `@` with an escape. Most style sheets do not.
    private static func mayHaveConditions(_ text: Data) -> Bool {
        var rest = text[...]
        while let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            rest = rest[(at + 1)...]
            if let next = rest.first, [UInt8(ascii: "m"), UInt8(ascii: "M"), UInt8(ascii: "\\")].contains(next) {
                return true
            }
        }
        return false
    }

    private mutating func next() throws(WebImageError) -> CSSToken? {
        count &+= 1
        if count & 1023 == 0 { try deadline.check() }
        let start = tokenizer.place
        guard let token = tokenizer.next() else { return nil }
        last = start..<tokenizer.place
        return token
    }

    private mutating func copy() { result.append(contentsOf: tokenizer.bytes[last]) }

    /// Ends the block of a kept `@media`. A space separates the rules inside it from those behind it.
    private mutating func endBlock() {
        depth -= 1
        result.append(UInt8(ascii: " "))
    }

    private mutating func run() throws(WebImageError) {
        while let token = try next() {
            switch token {
            case .whitespace, .comment, .htmlComment: copy()
            case .atKeyword(let name):
                switch name.lowercased() {
                case "media": try mediaRule()
                // Inside a block these rules are not valid, but outside they would be.
                case "import", "charset", "namespace": try rule(token, isCopied: depth == 0)
                default: try rule(token, isCopied: true)
                }
            default: try rule(token, isCopied: true)
            }
        }
    }

    /// Reads a rule of which the first token has been read, to the end of its block.
    private mutating func rule(_ first: CSSToken, isCopied: Bool) throws(WebImageError) {
        var endsAtSemicolon = false
        if case .atKeyword = first { endsAtSemicolon = true }
        var open: [UInt8] = []
        var token = first
        while true {
            if open.isEmpty, depth > 0, token == .close(UInt8(ascii: "}")) { return endBlock() }
            if isCopied { copy() }
            if open.isEmpty, endsAtSemicolon, token == .semicolon { return }
            if let closing = token.closing {
                open.append(closing)
            } else if let closing = open.last, token == .close(closing) {
                open.removeLast()
                if open.isEmpty, closing == UInt8(ascii: "}") { return }
            }
            guard let following = try next() else { return }
            token = following
        }
    }

    /// Reads a `@media` rule to the start of its block if its conditions hold, otherwise to its end.
    private mutating func mediaRule() throws(WebImageError) {
        var conditions: [CSSToken] = []
        var open: [UInt8] = []
        while let token = try next() {
            if open.isEmpty {
                switch token {
                case .semicolon: return
                case .close(UInt8(ascii: "}")) where depth > 0: return endBlock()
                case .open(Self.brace):
                    let holds = conditions.count <= Self.longestCondition && medium.matches(conditions)
                    guard holds else { return try rule(token, isCopied: false) }
                    depth += 1
                    result.append(UInt8(ascii: " "))
                    return
                default: break
                }
            }
            if let closing = token.closing {
                open.append(closing)
            } else if let closing = open.last, token == .close(closing) {
                open.removeLast()
            }
            if conditions.count <= Self.longestCondition { conditions.append(token) }
        }
    }
}
