import Foundation
import WebImageCore

/// Finds the parts of an XML document that can contain references: elements, attributes, style sheets and instructions.
///
/// The scanner accepts fewer documents than libxml2, and refuses every document that it cannot parse. Therefore librsvg
/// never reads a reference that was not checked. Entities must be plain text. A reference to an external entity is
/// refused. The only accepted attribute defaults are the namespaces of SVG and XLink.
struct XMLScanner {
    /// A part of the document. Parts are reported in document order. A style sheet is reported at the end of its
    /// element.
    enum Item {
        /// The start of an element. `name` is the element's name without prefix.
        case start(name: Data, [Attribute])
        /// The end of an element. An empty element also has an end.
        case end
        /// Text outside style sheets. `byteCount` is its length after entity references are replaced.
        case text(byteCount: Int)
        /// One `style` element. The element's name can have any prefix.
        case styleSheet(StyleSheet)
        /// The text of a processing instruction between `<?` and `?>`. The text includes the target of the instruction.
        case instruction(Data)
    }

    /// A `style` element.
    struct StyleSheet {
        let attributes: [Attribute]
        /// All text inside the element. Entity references are replaced.
        fileprivate(set) var text = Data()
        /// The place of the element's content in the document.
        fileprivate(set) var content: Range<Int>
        /// Whether the element contains other elements.
        fileprivate(set) var hasElements = false
    }

    /// An attribute of an element. In `value`, entity references are replaced.
    struct Attribute {
        let prefix: Data
        let name: Data
        let value: Data
        /// The place of the value in the document, without its quotes.
        let range: Range<Int>
    }

    private let bytes: UnsafeRawBufferPointer
    private let deadline: DecodeDeadline
    private var offset = 0
    private var entities: [Data: Data] = [:]
    /// The number of bytes that entity values can still add before the limit is exceeded.
    private var expansion: Int
    /// The open `style` elements, the outermost one first.
    private var styles: [StyleSheet] = []
    private var hasDocumentType = false

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, deadline: DecodeDeadline) {
        self.bytes = bytes
        self.deadline = deadline
        expansion = limits.maxAncillaryBytes
    }

    /// Scans the whole document and calls `found` for each part.
    mutating func scan(_ found: (Item) throws(WebImageError) -> Void) throws(WebImageError) {
        if starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        skipSpace()
        guard byte == .lessThan else {
            throw Self.refused("it does not start like XML in an encoding based on ASCII")
        }
        guard let base = bytes.baseAddress, memchr(base, 0, bytes.count) == nil else {
            throw Self.refused("its encoding is not based on ASCII")
        }
        var count = 0
        while offset < bytes.count {
            count &+= 1
            if count & 1023 == 0 { try deadline.check() }
            if byte == .lessThan {
                try markup(found)
            } else {
                let end = find(.lessThan) ?? bytes.count
                if styles.isEmpty {
                    try found(.text(byteCount: textByteCount(offset..<end)))
                } else {
                    try addStyle(try replaced(offset..<end))
                }
                offset = end
            }
        }
        guard styles.isEmpty else { throw Self.refused("a style element has no end") }
    }

    private mutating func markup(_ found: (Item) throws(WebImageError) -> Void) throws(WebImageError) {
        if starts(with: "<!--") {
            try skip(through: "-->", from: offset + 4)
        } else if starts(with: "<![CDATA[") {
            let start = offset + 9
            try skip(through: "]]>", from: start)
            if styles.isEmpty {
                try found(.text(byteCount: offset - 3 - start))
            } else {
                try addStyle(Data(bytes[start..<offset - 3]))
            }
        } else if starts(with: "<?") {
            let start = offset + 2
            try skip(through: "?>", from: start)
            let content = Data(bytes[start..<offset - 2])
            try checkEncoding(content)
            try found(.instruction(content))
        } else if starts(with: "<!DOCTYPE") {
            try documentType()
        } else if starts(with: "</") {
            let start = offset + 2
            try skip(through: ">", from: start)
            let name = Data(bytes[start..<offset - 1].prefix { !Self.isSpace($0) })
            if Self.local(name).name == Self.style, var sheet = styles.popLast() {
                sheet.content = sheet.content.lowerBound..<start - 2
                try found(.styleSheet(sheet))
            }
            try found(.end)
        } else {
            try startTag(found)
        }
    }

    private mutating func startTag(_ found: (Item) throws(WebImageError) -> Void)
        throws(WebImageError)
    {
        offset += 1
        let element = Self.local(try name()).name
        for index in styles.indices { styles[index].hasElements = true }
        var attributes: [Attribute] = []
        while true {
            skipSpace()
            guard let next = byte else { throw Self.refused("a tag has no end") }
            if next == .greaterThan {
                offset += 1
                try found(.start(name: element, attributes))
                if element == Self.style {
                    styles.append(StyleSheet(attributes: attributes, content: offset..<offset))
                }
                return
            }
            if starts(with: "/>") {
                offset += 2
                try found(.start(name: element, attributes))
                return try found(.end)
            }
            let (prefix, name) = Self.local(try name())
            skipSpace()
            guard byte == UInt8(ascii: "=") else { throw Self.refused("an attribute has no value") }
            offset += 1
            skipSpace()
            let range = try quoted()
            attributes.append(Attribute(prefix: prefix, name: name, value: try replaced(range), range: range))
        }
    }

    /// Scans a document type declaration. The internal subset may contain only these parts: declarations of entities,
    /// elements and notations, attribute defaults for namespaces, comments, and instructions. Anything else is refused,
    /// for example a reference to a parameter entity.
    private mutating func documentType() throws(WebImageError) {
        guard !hasDocumentType else { throw Self.refused("it has two document types") }
        hasDocumentType = true
        offset += 9
        while let next = byte {
            switch next {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try quoted()
            case .greaterThan:
                offset += 1
                return
            case UInt8(ascii: "["):
                offset += 1
                try internalSubset()
            default: offset += 1
            }
        }
        throw Self.refused("the document type has no end")
    }

    private mutating func internalSubset() throws(WebImageError) {
        while true {
            skipSpace()
            if byte == UInt8(ascii: "]") {
                offset += 1
                return
            }
            if starts(with: "<!--") {
                try skip(through: "-->", from: offset + 4)
            } else if starts(with: "<?") {
                try skip(through: "?>", from: offset + 2)
            } else if starts(with: "<!ENTITY") {
                offset += 8
                try entity()
            } else if starts(with: "<!ELEMENT") || starts(with: "<!NOTATION") {
                try skip(through: ">", from: offset)
            } else if starts(with: "<!ATTLIST") {
                try attributeDefaults()
            } else {
                throw Self.refused("its document type declares more than entities")
            }
        }
    }

    /// Scans attribute defaults. Accepts the namespaces of XLink and SVG, because old files declare them as defaults.
    /// Refuses all other defaults.
    private mutating func attributeDefaults() throws(WebImageError) {
        offset += 9
        while let next = byte, next != .greaterThan {
            guard next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") else {
                offset += 1
                continue
            }
            let value = Data(bytes[try quoted()])
            guard
                value == Data("http://www.w3.org/1999/xlink".utf8)
                    || value == Data("http://www.w3.org/2000/svg".utf8)
            else { throw Self.refused("an attribute has a default value") }
        }
        guard byte == .greaterThan else { throw Self.refused("the document type has no end") }
        offset += 1
    }

    private mutating func entity() throws(WebImageError) {
        skipSpace()
        let name = try name()
        skipSpace()
        guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
            // Skip the declaration of an external entity. librsvg does not load the entity, and a reference to the
            // entity is refused.
            try skip(through: ">", from: offset)
            return
        }
        let value = Data(bytes[try quoted()])
        let isPlain = !value.contains {
            [.lessThan, UInt8(ascii: "&"), UInt8(ascii: "%")].contains($0)
        }
        guard isPlain else { throw Self.refused("an entity is more than plain text") }
        guard entities[name] == nil || entities[name] == value else {
            throw Self.refused("an entity is declared twice")
        }
        entities[name] = value
        skipSpace()
        guard byte == .greaterThan else { throw Self.refused("an entity's declaration has no end") }
        offset += 1
    }

    // MARK: Pieces

    /// Returns the text in a range of the document, with entity references replaced by their values.
    private mutating func replaced(_ range: Range<Int>) throws(WebImageError) -> Data {
        let text = Data(bytes[range])
        guard var reference = text.firstIndex(of: UInt8(ascii: "&")) else { return text }
        var result = Data(text[..<reference])
        while true {
            guard let end = text[reference...].firstIndex(of: UInt8(ascii: ";")) else {
                throw Self.refused("a reference has no end")
            }
            result.append(try value(of: Data(text[(reference + 1)..<end])))
            let rest = text[(end + 1)...]
            guard let next = rest.firstIndex(of: UInt8(ascii: "&")) else { return result + rest }
            result.append(rest[..<next])
            reference = next
        }
    }

    /// The length of a text after entity references are replaced. A text with an invalid reference counts as it is,
    /// because librsvg refuses the document.
    private mutating func textByteCount(_ range: Range<Int>) -> Int {
        guard memchr(bytes.baseAddress! + range.lowerBound, Int32(UInt8(ascii: "&")), range.count) != nil else {
            return range.count
        }
        return (try? replaced(range))?.count ?? range.count
    }

    private mutating func value(of reference: Data) throws(WebImageError) -> Data {
        if reference.first == UInt8(ascii: "#") {
            let digits = String(decoding: reference.dropFirst(), as: UTF8.self)
            let code = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let code, let scalar = Unicode.Scalar(code) else {
                throw Self.refused("a reference is not a valid character")
            }
            return Data(String(Character(scalar)).utf8)
        }
        if let predefined = Self.predefined[reference] { return predefined }
        guard let value = entities[reference] else {
            throw Self.refused("an entity is not declared in the document")
        }
        expansion -= value.count
        guard expansion >= 0 else { throw Self.refused("its entities add too much text") }
        return value
    }

    private mutating func addStyle(_ text: Data) throws(WebImageError) {
        for index in styles.indices { styles[index].text.append(text) }
        // Limit the nesting, because text is added to every open style element. Deep nesting would copy the same text
        // many times.
        guard styles.count < 8 else { throw Self.refused("style elements are nested too deeply") }
    }

    private func checkEncoding(_ declaration: Data) throws(WebImageError) {
        guard declaration.starts(with: Data("xml".utf8)), declaration.count > 3,
            Self.isSpace(declaration[3])
        else {
            return
        }
        let text = String(decoding: declaration, as: UTF8.self)
        guard let name = text.range(of: "encoding") else { return }
        let value = text[name.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = value.first, quote == "\"" || quote == "'" else {
            throw Self.refused("its encoding is not readable")
        }
        let encoding = value.dropFirst().prefix { $0 != quote }.lowercased()
        let isKnown =
            ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding)
            || ["iso-8859-", "windows-125"].contains {
                encoding.hasPrefix($0) && encoding.count <= $0.count + 2
            }
        guard isKnown else { throw Self.refused("its encoding is not based on ASCII") }
    }

    private mutating func name() throws(WebImageError) -> Data {
        let start = offset
        while let next = byte, !Self.isSpace(next), !Self.endsName.contains(next) { offset += 1 }
        guard offset > start else { throw Self.refused("a name is missing") }
        return Data(bytes[start..<offset])
    }

    private mutating func quoted() throws(WebImageError) -> Range<Int> {
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw Self.refused("a value has no quotes")
        }
        offset += 1
        guard let end = find(quote) else { throw Self.refused("a value has no end") }
        defer { offset = end + 1 }
        return offset..<end
    }

    /// Moves the offset to the end of the next occurrence of `text`. `text` must end with `>`, because the method
    /// searches for `>` and then compares the bytes before it.
    private mutating func skip(through text: StaticString, from start: Int) throws(WebImageError) {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        offset = min(start, bytes.count)
        while let end = find(.greaterThan) {
            offset = end + 1
            let first = offset - wanted.count
            if first >= start, bytes[first..<offset].elementsEqual(wanted) { return }
        }
        throw Self.refused("it ends too early")
    }

    private func find(_ value: UInt8) -> Int? {
        guard let base = bytes.baseAddress,
            let place = memchr(base + offset, Int32(value), bytes.count - offset)
        else {
            return nil
        }
        return UnsafeRawPointer(place) - base
    }

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let next = byte, Self.isSpace(next) { offset += 1 }
    }

    private func starts(with text: StaticString) -> Bool {
        starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func starts(with start: some Collection<UInt8>) -> Bool {
        offset + start.count <= bytes.count && bytes[offset..<offset + start.count].elementsEqual(start)
    }

    private static func local(_ name: Data) -> (prefix: Data, name: Data) {
        guard let colon = name.lastIndex(of: UInt8(ascii: ":")) else { return (Data(), name) }
        return (Data(name[..<colon]), Data(name[(colon + 1)...]))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func refused(_ why: String) -> WebImageError {
        .badData(
            "SVG", "the document cannot be checked: \(why)",
            hint: "Save it as plain UTF-8 without entities.")
    }

    private static let style = Data("style".utf8)
    private static let endsName = Data("=>/<\"'&".utf8)
    private static let predefined = [
        Data("amp".utf8): Data("&".utf8), Data("lt".utf8): Data("<".utf8),
        Data("gt".utf8): Data(">".utf8),
        Data("quot".utf8): Data("\"".utf8), Data("apos".utf8): Data("'".utf8),
    ]
}

extension UInt8 {
    fileprivate static let lessThan = UInt8(ascii: "<")
    fileprivate static let greaterThan = UInt8(ascii: ">")
}
