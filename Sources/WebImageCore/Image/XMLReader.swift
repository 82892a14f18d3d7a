package import Foundation

/// Reads an XML document in UTF-8, UTF-16 or Latin-1 as tokens. Entities are plain text. Comments and processing instructions are
/// skipped.
package struct XMLReader {
    package struct Attribute {
        package var name: String
        package var value: String
    }

    package enum Token {
        case start(name: String, attributes: [Attribute], isEmpty: Bool)
        case end(name: String)
        case text(String)
        /// The document is not well-formed or uses an unsupported feature.
        case malformed
    }

    private let bytes: [UInt8]
    private var place = 0
    private var entities: [String: String] = [:]
    /// The number of bytes that entities may still add.
    private var expansion = 1 << 20

    /// Nil if the text is in another encoding.
    package init?(_ data: Data) {
        guard let data = try? MarkupText.narrowed(data) ?? data else { return nil }
        let start = String(decoding: data.prefix(256), as: UTF8.self)
        if Self.isLatin(start) {
            bytes = data.flatMap { Self.utf8(latin: $0) }
        } else {
            guard String(validating: data, as: UTF8.self) != nil else { return nil }
            bytes = [UInt8](data)
        }
        // A byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// Whether the XML declaration at the start of a document names ISO 8859-1 or Windows-1252.
    private static func isLatin(_ start: String) -> Bool {
        guard start.hasPrefix("<?xml"), let end = start.range(of: "?>") else { return false }
        let encoding = encoding(in: start[..<end.lowerBound])
        return ["iso-8859-1", "latin1", "windows-1252"].contains(encoding)
    }

    /// The encoding that an XML declaration names, in lower case.
    private static func encoding(in declaration: Substring) -> String {
        guard let name = declaration.range(of: "encoding") else { return "utf-8" }
        let value = declaration[name.upperBound...].drop { "= \t\r\n\"'".contains($0) }
        return value.prefix { !"\"' ".contains($0) }.lowercased()
    }

    /// Converts a byte of Windows-1252. Browsers read ISO 8859-1 like this too (WHATWG Encoding, §4.2).
    private static func utf8(latin byte: UInt8) -> [UInt8] {
        guard byte >= 0x80 else { return [byte] }
        let scalar = byte < 0xA0 ? windows[Int(byte) - 0x80] : UInt32(byte)
        return Array(String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }

    private static let windows: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
        0x17E, 0x178,
    ]

    /// The next token; nil at the end of the document.
    package mutating func next() -> Token? {
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else { return text() }
            if has("<!--") {
                guard skip(past: "-->") else { return .malformed }
            } else if has("<![CDATA[") {
                return section()
            } else if has("<?") {
                guard skipInstruction() else { return .malformed }
            } else if has("<!") {
                guard skipDocumentType() else { return .malformed }
            } else if has("</") {
                return endTag()
            } else {
                return startTag()
            }
        }
        return nil
    }

    // MARK: Bytes

    private func has(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    /// Moves behind the next occurrence of a text. Returns false if there is none.
    private mutating func skip(past text: String) -> Bool {
        let wanted = Array(text.utf8)
        while place + wanted.count <= bytes.count {
            if bytes[place] == wanted[0], bytes[place..<place + wanted.count].elementsEqual(wanted) {
                place += wanted.count
                return true
            }
            place += 1
        }
        return false
    }

    private mutating func skipSpace() -> Bool {
        let start = place
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        return place > start
    }

    private mutating func name() -> String? {
        let start = place
        while place < bytes.count {
            let byte = bytes[place]
            let isFirst = byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte >= 0x80
            let isLater =
                (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard isFirst || (isLater && place > start) else { break }
            place += 1
        }
        return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
    }

    // MARK: Tokens

    private mutating func text() -> Token {
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "<") { place += 1 }
        return decoded(bytes[start..<place]).map { .text($0) } ?? .malformed
    }

    private mutating func section() -> Token {
        let start = place + 9
        guard skip(past: "]]>") else { return .malformed }
        return .text(String(decoding: bytes[start..<place - 3], as: UTF8.self))
    }

    /// Skips a processing instruction. Returns false for an XML declaration with an encoding that is not read.
    private mutating func skipInstruction() -> Bool {
        let start = place
        guard skip(past: "?>") else { return false }
        let text = String(decoding: bytes[start..<place - 2], as: UTF8.self)
        guard text.lowercased().hasPrefix("<?xml ") else { return true }
        let known = ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"]
        return known.contains(Self.encoding(in: text[...]))
    }

    /// Reads a document type. Returns false if it declares more than entities of plain text, elements, and namespaces as
    /// attribute defaults.
    private mutating func skipDocumentType() -> Bool {
        guard has("<!DOCTYPE") || has("<!doctype") else { return false }
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: ">"): return true
            case UInt8(ascii: "["): guard readInternalSubset() else { return false }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                place -= 1
                guard quoted() != nil else { return false }
            default: break
            }
        }
        return false
    }

    private mutating func readInternalSubset() -> Bool {
        while place < bytes.count {
            _ = skipSpace()
            if has("]") {
                place += 1
                return true
            }
            if has("<!--") {
                guard skip(past: "-->") else { return false }
            } else if has("<?") {
                guard skip(past: "?>") else { return false }
            } else if has("<!ENTITY") {
                guard readEntity() else { return false }
            } else if has("<!ELEMENT") || has("<!NOTATION") {
                guard skip(past: ">") else { return false }
            } else if has("<!ATTLIST") {
                guard skipAttributeDefaults() else { return false }
            } else {
                return false
            }
        }
        return false
    }

    private mutating func readEntity() -> Bool {
        place += 8
        guard skipSpace(), let name = name(), skipSpace(), let value = quoted() else { return false }
        let text = String(decoding: value, as: UTF8.self)
        let isPlain = !text.contains { "<&%".contains($0) } && entities[name] == nil
        entities[name] = text
        _ = skipSpace()
        guard isPlain, has(">") else { return false }
        place += 1
        return true
    }

    private static let defaultNamespaces = ["http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"]

    /// Old files declare the namespaces of SVG and XLink as defaults.
    private mutating func skipAttributeDefaults() -> Bool {
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            guard [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]) else {
                place += 1
                continue
            }
            guard let value = quoted() else { return false }
            let text = String(decoding: value, as: UTF8.self)
            guard Self.defaultNamespaces.contains(text) else { return false }
        }
        place += 1
        return place <= bytes.count
    }

    /// Reads a text in quotes.
    private mutating func quoted() -> ArraySlice<UInt8>? {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
            return nil
        }
        let quote = bytes[place]
        let start = place + 1
        guard let end = bytes[start...].firstIndex(of: quote) else { return nil }
        place = end + 1
        return bytes[start..<end]
    }

    private mutating func endTag() -> Token {
        place += 2
        guard let name = name() else { return .malformed }
        _ = skipSpace()
        guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else { return .malformed }
        place += 1
        return .end(name: name)
    }

    private mutating func startTag() -> Token {
        place += 1
        guard let element = name() else { return .malformed }
        var attributes: [Attribute] = []
        var names: Set<String> = []
        while true {
            let isSeparated = skipSpace()
            guard place < bytes.count else { return .malformed }
            if bytes[place] == UInt8(ascii: ">") {
                place += 1
                return .start(name: element, attributes: attributes, isEmpty: false)
            }
            if has("/>") {
                place += 2
                return .start(name: element, attributes: attributes, isEmpty: true)
            }
            guard isSeparated, let attribute = attribute(), names.insert(attribute.name).inserted else {
                return .malformed
            }
            attributes.append(attribute)
        }
    }

    private mutating func attribute() -> Attribute? {
        guard let name = name() else { return nil }
        _ = skipSpace()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return nil }
        place += 1
        _ = skipSpace()
        guard let raw = quoted(), !raw.contains(UInt8(ascii: "<")), let value = decoded(raw) else { return nil }
        return Attribute(name: name, value: value)
    }

    /// Replaces references by characters. Returns nil for an unknown entity and for a character that XML does not allow.
    private mutating func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var parts = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)[...]
        var text = String(decoding: parts.removeFirst(), as: UTF8.self)
        for part in parts {
            guard let end = part.prefix(64).firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let name = String(decoding: part[part.startIndex..<end], as: UTF8.self)
            if let character = Self.character(name) {
                text.unicodeScalars.append(character)
            } else {
                guard let value = entities[name], expansion >= value.utf8.count else { return nil }
                expansion -= value.utf8.count
                text += value
            }
            text += String(decoding: part[(end + 1)...], as: UTF8.self)
        }
        return text
    }

    private static func character(_ name: String) -> UnicodeScalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.hasPrefix("x")
        let number = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
        guard let number, number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number), number != 0xFFFE, number != 0xFFFF
        else { return nil }
        return UnicodeScalar(number)
    }
}
