/// Reads a style sheet as tokens (CSS Syntax Module Level 3, §4.3). Every text is a sequence of tokens.
package struct CSSTokenizer {
    /// The text as §3.3 requires it: one kind of line end, and no null characters.
    package let bytes: [UInt8]
    /// The position in ``bytes`` behind the last token.
    package private(set) var place = 0

    /// Returns the tokens of a text. Takes time in proportion to its length.
    package static func tokens(of text: String) -> [CSSToken] {
        var tokenizer = CSSTokenizer(text.utf8)
        var tokens: [CSSToken] = []
        while let token = tokenizer.next() { tokens.append(token) }
        return tokens
    }

    package init(_ text: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var wasReturn = false
        for byte in text {
            switch byte {
            case 0x0A where wasReturn: break
            case 0x0D, 0x0C: bytes.append(0x0A)
            case 0: bytes += Array("\u{FFFD}".utf8)
            default: bytes.append(byte)
            }
            wasReturn = byte == 0x0D
        }
        self.bytes = bytes
    }

    private func byte(_ offset: Int = 0) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

    private func has(_ text: StaticString) -> Bool {
        (0..<text.utf8CodeUnitCount).allSatisfy { byte($0) == text.utf8Start[$0] }
    }

    /// Returns the next token; nil at the end of the text.
    package mutating func next() -> CSSToken? {
        guard let first = byte() else { return nil }
        if has("/*") { return comment() }
        if Self.isSpace(first) {
            while let byte = byte(), Self.isSpace(byte) { place += 1 }
            return .whitespace
        }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return string(first) }
        if startsNumber() { return numeric() }
        // Before names, because `--` also starts a name.
        if has("<!--") || has("-->") {
            place += first == UInt8(ascii: "<") ? 4 : 3
            return .htmlComment
        }
        if startsIdentifier() { return identLike() }
        if first == UInt8(ascii: "#"), Self.isName(byte(1)) || isEscape(1) {
            place += 1
            return .hash(name())
        }
        if first == UInt8(ascii: "@"), startsIdentifier(1) {
            place += 1
            return .atKeyword(name())
        }
        place += 1
        switch first {
        case UInt8(ascii: ":"): return .colon
        case UInt8(ascii: ";"): return .semicolon
        case UInt8(ascii: ","): return .comma
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): return .open(first)
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): return .close(first)
        default: return .delim(Unicode.Scalar(first))
        }
    }

    private mutating func comment() -> CSSToken {
        place += 2
        while place < bytes.count, !has("*/") { place += 1 }
        place = min(place + 2, bytes.count)
        return .comment
    }

    private mutating func string(_ quote: UInt8) -> CSSToken {
        place += 1
        var value: [UInt8] = []
        while let byte = byte(), byte != quote {
            // The line end is not part of the string.
            if byte == 0x0A { return .badString }
            place += 1
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let escaped = self.byte() else { break }
            // An escaped line end continues the string.
            if escaped == 0x0A { place += 1 } else { escape(into: &value) }
        }
        place = min(place + 1, bytes.count)
        return .string(String(decoding: value, as: UTF8.self))
    }

    private mutating func numeric() -> CSSToken {
        let start = place
        if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { place += 1 }
        skipDigits()
        if byte() == UInt8(ascii: "."), Self.isDigit(byte(1)) {
            place += 1
            skipDigits()
        }
        if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
            let isSigned = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
            if Self.isDigit(byte(isSigned ? 2 : 1)) {
                place += isSigned ? 2 : 1
                skipDigits()
            }
        }
        let digits = String(decoding: bytes[start..<place], as: UTF8.self)
        if startsIdentifier() { return .dimension(digits, unit: name()) }
        guard byte() == UInt8(ascii: "%") else { return .number(digits) }
        place += 1
        return .percentage(digits)
    }

    private mutating func skipDigits() { while Self.isDigit(byte()) { place += 1 } }

    private mutating func identLike() -> CSSToken {
        let name = name()
        guard byte() == UInt8(ascii: "(") else { return .ident(name) }
        place += 1
        guard name.lowercased() == "url" else { return .function(name) }
        var end = place
        while end < bytes.count, Self.isSpace(bytes[end]) { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: "\"") || bytes[end] == UInt8(ascii: "'") {
            return .function(name)
        }
        place = end
        return url()
    }

    private mutating func url() -> CSSToken {
        var value: [UInt8] = []
        while let byte = byte() {
            if byte == UInt8(ascii: ")") {
                place += 1
                return .url(String(decoding: value, as: UTF8.self))
            }
            if Self.isSpace(byte) {
                while let space = self.byte(), Self.isSpace(space) { place += 1 }
                if self.byte() == nil || self.byte() == UInt8(ascii: ")") { continue }
                return badURL()
            }
            let isInvalid =
                [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "(")].contains(byte)
                || byte < 0x20 && byte != 0x09 || byte == 0x7F
            if isInvalid { return badURL() }
            if byte == UInt8(ascii: "\\") {
                guard isEscape(0) else { return badURL() }
                place += 1
                escape(into: &value)
            } else {
                value.append(byte)
                place += 1
            }
        }
        return .url(String(decoding: value, as: UTF8.self))
    }

    private mutating func badURL() -> CSSToken {
        while let byte = byte() {
            let isEscaped = isEscape(0)
            place += 1
            if byte == UInt8(ascii: ")") { break }
            if isEscaped {
                var ignored: [UInt8] = []
                escape(into: &ignored)
            }
        }
        return .badURL
    }

    private mutating func name() -> String {
        var value: [UInt8] = []
        while let byte = byte() {
            if Self.isName(byte) {
                value.append(byte)
                place += 1
            } else if isEscape(0) {
                place += 1
                escape(into: &value)
            } else {
                break
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// Reads the part of an escape after the backslash.
    private mutating func escape(into value: inout [UInt8]) {
        var (number, count): (UInt32, Int) = (0, 0)
        while count < 6, let byte = byte(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
            number = number * 16 + UInt32(digit)
            place += 1
            count += 1
        }
        if count > 0 {
            if let byte = byte(), Self.isSpace(byte) { place += 1 }
            let scalar = number == 0 ? nil : Unicode.Scalar(number)
            value += Array(String(scalar ?? "\u{FFFD}").utf8)
        } else if let byte = byte() {
            value.append(byte)
            place += 1
            // The other bytes of the character.
            while let next = self.byte(), byte >= 0x80, next & 0xC0 == 0x80 {
                value.append(next)
                place += 1
            }
        } else {
            value += Array("\u{FFFD}".utf8)
        }
    }

    // MARK: The next characters

    /// Whether a backslash at this offset starts an escape.
    private func isEscape(_ offset: Int) -> Bool { byte(offset) == UInt8(ascii: "\\") && byte(offset + 1) != 0x0A }

    private func startsIdentifier(_ offset: Int = 0) -> Bool {
        if byte(offset) == UInt8(ascii: "-") {
            return Self.isNameStart(byte(offset + 1)) || byte(offset + 1) == UInt8(ascii: "-") || isEscape(offset + 1)
        }
        return Self.isNameStart(byte(offset)) || isEscape(offset)
    }

    private func startsNumber() -> Bool {
        let isSigned = byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-")
        let start = isSigned ? 1 : 0
        return Self.isDigit(byte(start)) || byte(start) == UInt8(ascii: ".") && Self.isDigit(byte(start + 1))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A }

    private static func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }

    private static func isNameStart(_ byte: UInt8?) -> Bool {
        byte.map { $0.isASCIILetter || $0 == UInt8(ascii: "_") || $0 >= 0x80 } ?? false
    }

    private static func isName(_ byte: UInt8?) -> Bool {
        isNameStart(byte) || isDigit(byte) || byte == UInt8(ascii: "-")
    }
}
