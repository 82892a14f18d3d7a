import Foundation
import WebImageCore

/// The medium in which documents are drawn, for the conditions of style sheets (Media Queries Level 4): a screen of 96 dpi
/// with colours, in a light scheme, without a pointer. Its width and height are those of the document itself, as in a
/// browser that shows the document at its own size. So the conditions do not depend on the size of the result.
struct DrawingMedium {
    /// In pixels at 96 dpi. A document without a size is 300 px wide and 150 px high (CSS 2.1 §10.3.2).
    private(set) var (width, height) = (300.0, 150.0)

    init() {}

    /// The medium of a document with these attributes of its outermost element.
    init(ofRoot attributes: [XMLScanner.Attribute]) {
        func value(_ name: String) -> String? {
            attributes.first { $0.prefix.isEmpty && $0.name.elementsEqual(name.utf8) }
                .map { String(decoding: $0.value, as: UTF8.self) }
        }
        func length(_ name: String) -> Double? {
            guard let text = value(name) else { return nil }
            let length =
                SVGLength.absolute(text) ?? (text.hasSuffix("em") ? SVGLength.factor(text).map { $0 * 16 } : nil)
            return length.flatMap { $0 > 0 && $0 < 1e9 ? $0 : nil }
        }
        let box = value("viewBox").map { SVGLength.numbers($0).suffix(2) }.flatMap { sides -> (Double, Double)? in
            guard let width = sides.first, let height = sides.last, width > 0, height > 0 else { return nil }
            return (width, height)
        }
        switch (length("width"), length("height"), box) {
        case (let width?, let height?, _): (self.width, self.height) = (width, height)
        case (let width?, nil, let box?): (self.width, self.height) = (width, width * box.1 / box.0)
        case (nil, let height?, let box?): (self.width, self.height) = (height * box.0 / box.1, height)
        case (nil, nil, let box?): (self.width, self.height) = box
        case (let width, let height, nil): (self.width, self.height) = (width ?? self.width, height ?? self.height)
        }
    }

    /// Whether one of the queries in a list holds. An empty list holds.
    func matches(_ list: [CSSToken]) -> Bool {
        let tokens = list.filter { $0 != .whitespace && $0 != .comment }
        guard !tokens.isEmpty else { return true }
        var open: [UInt8] = []
        var query: [CSSToken] = []
        for token in tokens {
            if open.isEmpty, token == .comma {
                if holds(query) { return true }
                query = []
                continue
            }
            if let closing = token.closing {
                open.append(closing)
            } else if let closing = open.last, token == .close(closing) {
                open.removeLast()
            }
            query.append(token)
        }
        return holds(query)
    }

    /// Whether a query holds. A query that is not valid, or whose value is unknown, does not.
    private func holds(_ query: [CSSToken]) -> Bool {
        var words = query[...]
        var isNegated = false
        if case .ident(let word) = query.first, ["not", "only"].contains(word.lowercased()), query.count > 1,
            case .ident = query[1]
        {
            isNegated = word.lowercased() == "not"
            words = words.dropFirst()
        }
        guard case .ident(let type) = words.first, type.lowercased() != "not" else {
            return condition(words, mayHaveOr: true, level: 0) == true
        }
        guard !["and", "or", "only", "layer"].contains(type.lowercased()) else { return false }
        words = words.dropFirst()
        var value: Bool? = ["all", "screen"].contains(type.lowercased())
        if let word = words.first {
            guard Self.isWord(word, "and") else { return false }
            value = Self.both(value, condition(words.dropFirst(), mayHaveOr: false, level: 0))
        }
        return value.map { $0 != isNegated } ?? false
    }

    // MARK: Conditions. Nil is a value that is unknown (Media Queries §3.1).

    private static func both(_ one: Bool?, _ two: Bool?) -> Bool? {
        if one == false || two == false { return false }
        return one == nil || two == nil ? nil : true
    }

    private static func either(_ one: Bool?, _ two: Bool?) -> Bool? { both(one.map(!), two.map(!)).map(!) }

    private static func isWord(_ token: CSSToken, _ word: String) -> Bool {
        if case .ident(let name) = token { name.lowercased() == word } else { false }
    }

    /// `not (…)`, or conditions in parentheses that are joined by only `and` or only `or`. Nil if the text is not valid.
    private func condition(_ tokens: ArraySlice<CSSToken>, mayHaveOr: Bool, level: Int) -> Bool? {
        // A condition that is nested more deeply is unknown.
        guard level < 16, let first = tokens.first else { return nil }
        var rest = tokens
        if Self.isWord(first, "not") {
            rest = rest.dropFirst()
            let value = inParentheses(&rest, level: level)
            return rest.isEmpty ? value.map(!) : nil
        }
        var value = inParentheses(&rest, level: level)
        var joint: String?
        while let token = rest.first {
            guard case .ident(let name) = token else { return nil }
            let word = name.lowercased()
            guard word == "and" || word == "or" && mayHaveOr, joint == nil || joint == word, rest.count > 1 else {
                return nil
            }
            joint = word
            rest = rest.dropFirst()
            let next = inParentheses(&rest, level: level)
            value = word == "and" ? Self.both(value, next) : Self.either(value, next)
        }
        return value
    }

    /// Reads one condition in parentheses. A function is unknown.
    private func inParentheses(_ rest: inout ArraySlice<CSSToken>, level: Int) -> Bool? {
        guard let first = rest.first, first.closing == UInt8(ascii: ")") else {
            rest = []
            return nil
        }
        var open: [UInt8] = []
        let end =
            rest.indices.first { index in
                if let closing = rest[index].closing {
                    open.append(closing)
                } else if let closing = open.last, rest[index] == .close(closing) {
                    open.removeLast()
                }
                return open.isEmpty
            } ?? rest.endIndex
        let inner = rest[rest.startIndex + 1..<end]
        rest = rest[min(end + 1, rest.endIndex)...]
        guard first == .open(UInt8(ascii: "(")), let start = inner.first else { return nil }
        let isFeature = start.closing == nil && !Self.isWord(start, "not")
        return isFeature ? MediaFeature(inner)?.holds(in: self) : condition(inner, mayHaveOr: true, level: level + 1)
    }
}

/// A feature of a medium and the values that it must have.
private struct MediaFeature {
    private typealias Comparison = (isHeld: (Double, Double) -> Bool, limit: ArraySlice<CSSToken>)

    private var name = ""
    /// For `name: value`.
    private var value: ArraySlice<CSSToken>?
    private var comparisons: [Comparison] = []

    /// Reads `name`, `name: value`, `name < value`, `value < name` or `value < name < value`; nil for another text.
    init?(_ tokens: ArraySlice<CSSToken>) {
        var parts: [ArraySlice<CSSToken>] = []
        var signs: [String] = []
        var start = tokens.startIndex
        var place = start
        while place < tokens.endIndex {
            guard case .delim(let scalar) = tokens[place], ["<", ">", "="].contains(scalar) else {
                place += 1
                continue
            }
            parts.append(tokens[start..<place])
            let isPair = scalar != "=" && place + 1 < tokens.endIndex && tokens[place + 1] == .delim("=")
            signs.append(String(scalar) + (isPair ? "=" : ""))
            place += isPair ? 2 : 1
            start = place
        }
        parts.append(tokens[start...])
        func name(_ part: ArraySlice<CSSToken>) -> String? {
            if part.count == 1, case .ident(let name) = part.first { name.lowercased() } else { nil }
        }
        switch signs.count {
        case 0:
            guard case .ident(let name) = tokens.first else { return nil }
            self.name = name.lowercased()
            guard tokens.count > 1 else { return }
            guard tokens.count > 2, tokens[tokens.startIndex + 1] == .colon else { return nil }
            value = tokens.dropFirst(2)
            addLimit()
        case 1:
            if let name = name(parts[0]) {
                self.name = name
                comparisons = [(Self.isHeld(signs[0]), parts[1])]
            } else if let name = name(parts[1]) {
                self.name = name
                comparisons = [(Self.turned(signs[0]), parts[0])]
            } else {
                return nil
            }
        case 2:
            guard let name = name(parts[1]), signs[0].first == signs[1].first, signs[0] != "=" else { return nil }
            self.name = name
            comparisons = [(Self.turned(signs[0]), parts[0]), (Self.isHeld(signs[1]), parts[2])]
        default: return nil
        }
    }

    private static func isHeld(_ sign: String) -> (Double, Double) -> Bool {
        switch sign {
        case "<": { $0 < $1 }
        case "<=": { $0 <= $1 }
        case ">": { $0 > $1 }
        case ">=": { $0 >= $1 }
        default: { $0 == $1 }
        }
    }

    private static func turned(_ sign: String) -> (Double, Double) -> Bool {
        let isHeld = isHeld(sign)
        return { isHeld($1, $0) }
    }

    /// Reads `min-` and `max-` in the name.
    private mutating func addLimit() {
        guard let value else { return }
        let vendor = name.hasPrefix("-webkit-") ? "-webkit-" : ""
        let plain = name.dropFirst(vendor.count)
        for (prefix, sign) in [("min-", ">="), ("max-", "<=")] where plain.hasPrefix(prefix) {
            name = vendor + plain.dropFirst(prefix.count)
            comparisons = [(Self.isHeld(sign), value)]
            self.value = nil
            return
        }
        if Self.words[name] == nil, name != "orientation" { comparisons = [(Self.isHeld("="), value)] }
    }

    /// Whether the feature has the values; nil if the feature or a value is unknown.
    func holds(in medium: DrawingMedium) -> Bool? {
        if let word = Self.words[name] ?? orientation(medium) {
            guard comparisons.isEmpty else { return nil }
            guard let value else { return !["none", "no-preference", "0"].contains(word) }
            guard value.count == 1, let token = value.first else { return nil }
            switch token {
            case .ident(let name): return name.lowercased() == word
            case .number(let digits): return word == "0" ? digits == word : nil
            default: return nil
            }
        }
        guard let own = number(medium) else { return nil }
        guard !comparisons.isEmpty else { return own != 0 }
        for comparison in comparisons {
            guard let limit = Self.number(comparison.limit, medium, isLength: isLength) else { return nil }
            guard comparison.isHeld(own, limit) else { return false }
        }
        return true
    }

    private func orientation(_ medium: DrawingMedium) -> String? {
        guard name == "orientation" else { return nil }
        return medium.height >= medium.width ? "portrait" : "landscape"
    }

    private static let words: [String: String] = [
        "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", "prefers-contrast": "no-preference",
        "prefers-reduced-transparency": "no-preference", "prefers-reduced-data": "no-preference",
        "forced-colors": "none",
        "inverted-colors": "none", "hover": "none", "any-hover": "none", "pointer": "none", "any-pointer": "none",
        "update": "none", "scripting": "none", "grid": "0", "scan": "progressive", "overflow-block": "none",
        "overflow-inline": "none", "color-gamut": "srgb", "dynamic-range": "standard",
        "video-dynamic-range": "standard",
        "display-mode": "browser",
    ]

    private var isLength: Bool { ["width", "height", "device-width", "device-height"].contains(name) }

    private func number(_ medium: DrawingMedium) -> Double? {
        switch name {
        case "width", "device-width": medium.width
        case "height", "device-height": medium.height
        case "aspect-ratio", "device-aspect-ratio": medium.width / medium.height
        case "resolution", "-webkit-device-pixel-ratio": 1
        case "color": 8
        case "color-index", "monochrome": 0
        default: nil
        }
    }

    /// The value in pixels, in pixels per pixel, or as it is.
    private static func number(_ tokens: ArraySlice<CSSToken>, _ medium: DrawingMedium, isLength: Bool) -> Double? {
        switch (tokens.count, tokens.first) {
        case (1, .number(let digits)):
            // Only 0 needs no unit.
            return Double(digits).flatMap { isLength && $0 != 0 ? nil : $0 }
        case (1, .dimension(let digits, let unit)):
            guard let value = Double(digits) else { return nil }
            let (name, side) = (unit.lowercased(), min(medium.width, medium.height))
            guard isLength else { return resolutions[name].map { value * $0 } }
            let relative = [
                "vw": medium.width, "vh": medium.height, "vmin": side, "vmax": medium.width + medium.height - side,
            ]
            return (lengths[name] ?? relative[name].map { $0 / 100 }).map { value * $0 }
        case (3, .number(let upper)):
            guard !isLength, tokens[tokens.startIndex + 1] == .delim("/"), case .number(let lower) = tokens.last,
                let one = Double(upper), let two = Double(lower), two != 0
            else { return nil }
            return one / two
        default: return nil
        }
    }

    private static let lengths: [String: Double] = [
        "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72, "pc": 16, "em": 16,
        "rem": 16,
        "ex": 8, "ch": 8,
    ]
    private static let resolutions: [String: Double] = ["dppx": 1, "x": 1, "dpi": 1.0 / 96, "dpcm": 2.54 / 96]
}
