import Foundation
import WebImageCore

/// Removes the parts of an SVG that could be harmful in a browser: scripts, event handlers, foreign content, and
/// references to other resources.
///
/// The document is read as XML and written again, so that the result contains only what this type has understood.
/// Elements are kept if they are in a list of known elements.
///
/// If a browser loads the SVG from the service, the `sandbox` policy of the answer protects the browser. If a person
/// saves the SVG and opens the saved file, this policy is missing, because it is not part of the file. This type
/// protects in that case.
struct SVGSanitizer {
    private var reader: XMLReader
    private var output: [UInt8] = []
    /// The names of the open elements. For an element whose start tag was written under another name, `written` is that
    /// name; it is nil if the start tag was not written.
    private var open: [(name: String, written: String?)] = []
    /// The number of open elements, up to the outermost element that is removed; nil if no open element is removed.
    private var removedDepth: Int?
    private var style: [UInt8]?
    private var hasRoot = false

    private static let maxBytes = 10 << 20
    private static let maxDepth = 256

    /// Returns the document without its harmful parts. Returns nil if the data is not a well-formed SVG in UTF-8, has
    /// more than 10 MiB or declares entities. Takes time in proportion to the size of the document.
    static func sanitized(_ data: Data) -> Data? {
        guard data.count <= maxBytes, String(validating: data, as: UTF8.self) != nil else { return nil }
        var sanitizer = SVGSanitizer(reader: XMLReader([UInt8](data)))
        guard sanitizer.run() else { return nil }
        return Data(sanitizer.output)
    }

    private init(reader: XMLReader) { self.reader = reader }

    private mutating func run() -> Bool {
        while let token = reader.next() {
            switch token {
            case .start(let name, let attributes, let isEmpty):
                guard begin(name, attributes) else { return false }
                if isEmpty, !end(name) { return false }
            case .end(let name): guard end(name) else { return false }
            case .text(let text): guard add(text) else { return false }
            case .malformed: return false
            }
        }
        return hasRoot && open.isEmpty
    }

    private mutating func begin(_ name: String, _ attributes: [XMLReader.Attribute]) -> Bool {
        guard open.count < Self.maxDepth, !open.isEmpty || (!hasRoot && name == "svg") else { return false }
        // A style sheet contains only text.
        guard style == nil else { return false }
        let isRoot = !hasRoot
        hasRoot = true
        let space = attributes.first { $0.name == "xmlns" }?.value
        guard removedDepth == nil, let kept = Self.elements[name], space == nil || space == Self.namespace,
            Self.mayAnimate(name, attributes)
        else {
            if removedDepth == nil { removedDepth = open.count }
            open.append((name, nil))
            return !isRoot
        }
        open.append((name, kept))
        if name == "style" {
            style = []
            return true
        }
        output += Array("<\(kept)".utf8)
        if isRoot {
            output += Array(" xmlns=\"\(Self.namespace)\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"".utf8)
        }
        for attribute in attributes where SVGAttribute.isSafe(attribute, of: name) {
            output += Array(" \(attribute.name)=\"".utf8) + Self.escaped(attribute.value) + [UInt8(ascii: "\"")]
        }
        output.append(UInt8(ascii: ">"))
        return true
    }

    private mutating func end(_ name: String) -> Bool {
        guard let last = open.popLast(), last.name == name else { return false }
        if let text = style, last.written != nil {
            style = nil
            if SVGAttribute.isSafeStyle(String(decoding: text, as: UTF8.self)) {
                output += Array("<style>".utf8) + Self.escaped(String(decoding: text, as: UTF8.self))
                output += Array("</style>".utf8)
            }
            return true
        }
        if removedDepth == open.count { removedDepth = nil }
        if let written = last.written { output += Array("</\(written)>".utf8) }
        return true
    }

    private mutating func add(_ text: String) -> Bool {
        guard !open.isEmpty else { return text.utf8.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
        guard removedDepth == nil else { return true }
        if style != nil { style? += Array(text.utf8) } else { output += Self.escaped(text) }
        return true
    }

    private static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    // MARK: Elements

    static let namespace = "http://www.w3.org/2000/svg"

    /// Whether the element is not an animation, or animates an attribute that can be neither a reference nor an event
    /// handler.
    private static func mayAnimate(_ name: String, _ attributes: [XMLReader.Attribute]) -> Bool {
        guard ["animate", "set", "animateTransform", "animateMotion"].contains(name) else { return true }
        let animated = attributes.first { $0.name == "attributeName" }?.value.lowercased() ?? ""
        return animated.utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "-") } && !animated.hasPrefix("on")
            && animated != "href" && animated != "style"
    }

    /// The elements that are kept, with the names under which they are written. A link becomes a group.
    private static let elements: [String: String] = {
        let names = """
            svg g defs symbol use image switch view style title desc path rect circle ellipse line polyline polygon text
            tspan textPath linearGradient radialGradient stop pattern clipPath mask marker filter animate set
            animateTransform animateMotion mpath feBlend feColorMatrix feComponentTransfer feComposite
            feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB
            feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
            feSpecularLighting feSpotLight feTile feTurbulence
            """
        var elements = ["a": "g"]
        for name in names.split(whereSeparator: \.isWhitespace) { elements[String(name)] = String(name) }
        return elements
    }()
}

/// Decides which attributes and style sheets of an SVG are harmless.
private enum SVGAttribute {
    static func isSafe(_ attribute: XMLReader.Attribute, of element: String) -> Bool {
        let name = attribute.name
        if name == "href" || name == "xlink:href" { return isSafeReference(attribute.value, of: element) }
        // The root element declares the namespaces. Attributes of other vocabularies have no effect on the picture.
        if name == "xmlns" || (name.contains(":") && name != "xml:space" && name != "xml:lang") { return false }
        let lower = name.lowercased()
        guard !lower.hasPrefix("on"), !["src", "srcdoc", "action", "formaction", "ping", "target"].contains(lower)
        else { return false }
        return isSafeStyle(attribute.value)
    }

    /// Whether a reference is `#id`, or a bitmap in a `data:` URL for an image.
    private static func isSafeReference(_ value: String, of element: String) -> Bool {
        guard element != "a" else { return false }
        if value.hasPrefix("#") { return true }
        guard element == "image" || element == "feImage" else { return false }
        return ["png", "jpeg", "jpg", "gif", "webp", "avif"].contains { value.hasPrefix("data:image/\($0);base64,") }
    }

    /// Whether a style or the value of a presentation attribute refers to no other resource and contains no escapes,
    /// which could hide a reference.
    static func isSafeStyle(_ text: String) -> Bool {
        // Most values have none of these characters, and no harmful value is without them.
        guard text.utf8.contains(where: { suspicious.contains($0) }) else { return true }
        let lower = text.lowercased()
        // A comment between `url` and its parenthesis could hide a reference.
        guard !lower.contains("\\"), !(lower.contains("/*") && lower.contains("url")),
            !forbidden.contains(where: { lower.contains($0) })
        else { return false }
        return lower.components(separatedBy: "url(").dropFirst().allSatisfy { reference in
            reference.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }.hasPrefix("#")
        }
    }

    private static let suspicious: Set<UInt8> = Set("(@\\:".utf8)

    private static let forbidden = [
        "@import", "@namespace", "expression(", "javascript:", "vbscript:", "behavior", "-moz-binding",
        // Functions that take the text of a URL without `url()`.
        "image-set(", "image(", "src(",
    ]
}

/// Reads an XML document as tokens. It accepts no entity declarations and no encodings other than UTF-8. Comments,
/// processing instructions and the document type are skipped.
private struct XMLReader {
    struct Attribute {
        var name: String
        var value: String
    }

    enum Token {
        case start(name: String, attributes: [Attribute], isEmpty: Bool)
        case end(name: String)
        case text(String)
        /// The document is not well-formed or uses an unsupported feature.
        case malformed
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    mutating func next() -> Token? {
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
        return Self.decoded(bytes[start..<place]).map { .text($0) } ?? .malformed
    }

    private mutating func section() -> Token {
        let start = place + 9
        guard skip(past: "]]>") else { return .malformed }
        return .text(String(decoding: bytes[start..<place - 3], as: UTF8.self))
    }

    /// Skips a processing instruction. Returns false for an XML declaration with another encoding than UTF-8.
    private mutating func skipInstruction() -> Bool {
        let start = place
        guard skip(past: "?>") else { return false }
        let text = String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
        guard text.hasPrefix("<?xml "), let encoding = text.range(of: "encoding") else { return true }
        let value = text[encoding.upperBound...].drop { "= \t\"'".contains($0) }
        return value.hasPrefix("utf-8") || value.hasPrefix("us-ascii") || value.hasPrefix("ascii")
    }

    /// Skips a document type without an internal subset, which could declare entities.
    private mutating func skipDocumentType() -> Bool {
        guard has("<!DOCTYPE") || has("<!doctype") else { return false }
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            if bytes[place] == UInt8(ascii: "[") { return false }
            place += 1
        }
        place += 1
        return place <= bytes.count
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
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
            return nil
        }
        let quote = bytes[place]
        let start = place + 1
        place = start
        while place < bytes.count, bytes[place] != quote {
            if bytes[place] == UInt8(ascii: "<") { return nil }
            place += 1
        }
        guard place < bytes.count, let value = Self.decoded(bytes[start..<place]) else { return nil }
        place += 1
        return Attribute(name: name, value: value)
    }

    /// Replaces references by characters. Returns nil for an unknown entity and for a character that XML does not allow.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var parts = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)[...]
        var text = String(decoding: parts.removeFirst(), as: UTF8.self)
        for part in parts {
            guard let end = part.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: part[part.startIndex..<end], as: UTF8.self))
            else { return nil }
            text.unicodeScalars.append(character)
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
