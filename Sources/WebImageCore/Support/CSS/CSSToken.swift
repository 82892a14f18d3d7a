/// A token of CSS (CSS Syntax Module Level 3, §4). Escapes are decoded.
package enum CSSToken: Equatable, Sendable {
    case ident(String)
    /// A name with its opening parenthesis.
    case function(String)
    case atKeyword(String)
    case hash(String)
    case string(String)
    case badString
    case url(String)
    case badURL
    /// A number as the style sheet writes it.
    case number(String)
    case percentage(String)
    case dimension(String, unit: String)
    case whitespace
    /// `<!--` or `-->`.
    case htmlComment
    case colon, semicolon, comma
    /// `(`, `[` or `{`.
    case open(UInt8)
    /// `)`, `]` or `}`.
    case close(UInt8)
    case delim(Unicode.Scalar)
    /// A comment. It is no token of the standard, but it separates two tokens.
    case comment

    /// The closing character of a token that opens a block.
    package var closing: UInt8? {
        switch self {
        case .function, .open(UInt8(ascii: "(")): UInt8(ascii: ")")
        case .open(UInt8(ascii: "[")): UInt8(ascii: "]")
        case .open: UInt8(ascii: "}")
        default: nil
        }
    }

    /// The token as CSS text from which a parser reads the same token (CSSOM, "serialize an identifier" and "serialize
    /// a string"). Nil for a token without such a text.
    package var text: String? {
        switch self {
        case .ident(let name): Self.identifier(name)
        case .function(let name): Self.identifier(name) + "("
        case .atKeyword(let name): "@" + Self.identifier(name)
        case .hash(let name): "#" + Self.name(name)
        case .string(let value): Self.quoted(value)
        case .url(let value): Self.isPlainURL(value) ? "url(\(value))" : "url(\(Self.quoted(value)))"
        case .number(let digits): digits
        case .percentage(let digits): digits + "%"
        // Without the escape, the unit `e3` would be an exponent.
        case .dimension(let digits, let unit):
            digits
                + (["e", "E"].contains(unit.first)
                    ? "\\\(unit.first == "e" ? "65" : "45") " + Self.name(String(unit.dropFirst()))
                    : Self.identifier(unit))
        case .whitespace: " "
        case .colon: ":"
        case .semicolon: ";"
        case .comma: ","
        case .open(let byte), .close(let byte): String(Unicode.Scalar(byte))
        // A backslash would escape the next character.
        case .delim(let scalar): scalar == "\\" ? nil : String(scalar)
        case .comment: "/**/"
        case .badString, .badURL, .htmlComment: nil
        }
    }

    private static func identifier(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let isDigit = { (place: Int) in place < scalars.count && ("0"..."9").contains(scalars[place]) }
        if isDigit(0) { return escaped(scalars[0]) + name(String(text.unicodeScalars.dropFirst())) }
        if scalars.first == "-", isDigit(1) {
            return "-" + escaped(scalars[1]) + name(String(text.unicodeScalars.dropFirst(2)))
        }
        return scalars == ["-"] ? "\\-" : name(text)
    }

    private static func name(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": result.unicodeScalars.append(scalar)
            case _ where scalar.value >= 0x80: result.unicodeScalars.append(scalar)
            default: result += escaped(scalar)
            }
        }
    }

    private static func quoted(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "\"") { result, scalar in
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += escaped(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        } + "\""
    }

    private static func isPlainURL(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0.isASCIILetter || (0x30...0x39).contains($0) || "#-_.".utf8.contains($0) }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String { "\\" + String(scalar.value, radix: 16) + " " }
}
