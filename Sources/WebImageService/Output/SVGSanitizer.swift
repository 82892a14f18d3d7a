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
    /// The open elements, the outermost first.
    private var open: [Element] = []
    /// The number of open elements around the outermost removed element; nil if no open element is removed.
    private var removedDepth: Int?
    /// The text of an open style sheet, and the start tag of its element.
    private var style: (text: String, tag: [UInt8])?
    private var hasRoot = false

    private struct Element {
        /// The name in the document, with its prefix.
        var name: String
        /// The name under which the element is written; nil if it is removed.
        var written: String?
        /// The namespaces of the elements inside of this one.
        var spaces = Spaces()
    }

    /// Which names of elements belong to SVG.
    private struct Spaces {
        /// Whether names without a prefix do. An SVG without a declaration is accepted.
        var isDefault = true
        var prefixes: Set<String> = []

        /// Returns the name of an element of SVG without its prefix; nil for an element of another vocabulary.
        func localName(_ name: String) -> String? {
            guard let colon = name.firstIndex(of: ":") else { return isDefault ? name : nil }
            return prefixes.contains(String(name[..<colon])) ? String(name[name.index(after: colon)...]) : nil
        }

        mutating func declare(_ attributes: [XMLReader.Attribute]) {
            for attribute in attributes where attribute.name.hasPrefix("xmlns") {
                let isSVG = attribute.value == SVGSanitizer.namespace
                if attribute.name == "xmlns" {
                    isDefault = isSVG
                } else if attribute.name.hasPrefix("xmlns:") {
                    let prefix = String(attribute.name.dropFirst(6))
                    if isSVG { prefixes.insert(prefix) } else { prefixes.remove(prefix) }
                }
            }
        }
    }

    private static let maxBytes = 10 << 20
    private static let maxDepth = 256

    /// Returns the document without its harmful parts, in UTF-8. Returns nil if the data is not a well-formed SVG in
    /// UTF-8, UTF-16 or Latin-1, has more than 10 MiB or declares entities that are more than plain text. Takes time in
    /// proportion to the size of the document.
    static func sanitized(_ data: Data) -> Data? {
        guard data.count <= maxBytes, let reader = XMLReader(data) else { return nil }
        var sanitizer = SVGSanitizer(reader: reader)
        guard sanitizer.run() else { return nil }
        return Data(sanitizer.output)
    }

    private init(reader: XMLReader) { self.reader = reader }

    /// Reads the document and writes its harmless parts into `output`.
    ///
    /// Returns false if the whole document must be refused. ``begin(_:_:)``, ``end(_:)`` and ``add(_:)`` return false for the
    /// same reason: `output` then has a part of a document and must not be used.
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

    /// Writes a start tag with its safe attributes, or begins to remove the element and its content.
    private mutating func begin(_ name: String, _ attributes: [XMLReader.Attribute]) -> Bool {
        let isRoot = !hasRoot
        var spaces = open.last?.spaces ?? Spaces()
        if isRoot, name.contains(":") { spaces.isDefault = false }
        spaces.declare(attributes)
        let local = spaces.localName(name)
        guard open.count < Self.maxDepth, !open.isEmpty || (isRoot && local == "svg") else { return false }
        // A style sheet contains only text.
        guard style == nil else { return false }
        hasRoot = true
        guard removedDepth == nil, let local, let kept = Self.elements[local], Self.mayAnimate(local, attributes)
        else {
            if removedDepth == nil { removedDepth = open.count }
            open.append(Element(name: name, written: nil, spaces: spaces))
            return !isRoot
        }
        open.append(Element(name: name, written: kept, spaces: spaces))
        if kept == "style" {
            style = ("", Self.styleTag(attributes))
            return true
        }
        output += Array("<\(kept)".utf8)
        if isRoot {
            output += Array(" xmlns=\"\(Self.namespace)\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"".utf8)
        }
        for attribute in attributes {
            if let value = SVGAttribute.safeValue(of: attribute, of: local) { write(attribute.name, value) }
        }
        output.append(UInt8(ascii: ">"))
        return true
    }

    private mutating func write(_ name: String, _ value: String) {
        output += Array(" \(name)=\"".utf8) + Self.escaped(value) + [UInt8(ascii: "\"")]
    }

    /// The start tag of a style sheet with its media. Empty if browsers ignore the style sheet because of its type.
    private static func styleTag(_ attributes: [XMLReader.Attribute]) -> [UInt8] {
        var tag = Array("<style".utf8)
        for attribute in attributes where attribute.name == "type" || attribute.name == "media" {
            let value = attribute.value.lowercased()
            if attribute.name == "type", !value.isEmpty, value != "text/css" { return [] }
            tag += Array(" \(attribute.name)=\"".utf8) + escaped(attribute.value) + [UInt8(ascii: "\"")]
        }
        return tag + [UInt8(ascii: ">")]
    }

    /// Writes the end tag of the innermost open element. A style sheet is written here, because it is checked as a whole.
    private mutating func end(_ name: String) -> Bool {
        guard let last = open.popLast(), last.name == name else { return false }
        if let (text, tag) = style, last.written != nil {
            style = nil
            let safe = tag.isEmpty ? "" : CSSSanitizer.styleSheet(text)
            if !safe.isEmpty { output += tag + Self.escaped(safe) + Array("</style>".utf8) }
            return true
        }
        if removedDepth == open.count { removedDepth = nil }
        if let written = last.written { output += Array("</\(written)>".utf8) }
        return true
    }

    /// Writes text, unless an element around it is removed. Outside the root element, only white space is allowed.
    private mutating func add(_ text: String) -> Bool {
        guard !open.isEmpty else { return text.utf8.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
        guard removedDepth == nil else { return true }
        if style != nil { style?.text += text } else { output += Self.escaped(text) }
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

/// Decides which attributes of an SVG are harmless.
private enum SVGAttribute {
    /// Returns the value under which an attribute is written. Nil if it is removed.
    static func safeValue(of attribute: XMLReader.Attribute, of element: String) -> String? {
        let (name, value) = (attribute.name, attribute.value)
        if name == "href" || name == "xlink:href" { return isSafeReference(value, of: element) ? value : nil }
        // The root element declares the namespaces. Attributes of other vocabularies have no effect on the picture.
        if name == "xmlns" || (name.contains(":") && name != "xml:space" && name != "xml:lang") { return nil }
        let lower = name.lowercased()
        guard !lower.hasPrefix("on"), !["src", "srcdoc", "action", "formaction", "ping", "target"].contains(lower)
        else { return nil }
        if lower == "style" {
            let declarations = CSSSanitizer.declarations(value)
            return declarations.isEmpty ? nil : declarations
        }
        // Names are not parsed as CSS.
        if ["id", "class"].contains(lower) || lower.hasPrefix("aria-") || lower.hasPrefix("data-") { return value }
        return CSSSanitizer.isSafeValue(value) ? value : nil
    }

    /// Whether a reference is `#id`, or a bitmap in a `data:` URL for an image.
    private static func isSafeReference(_ value: String, of element: String) -> Bool {
        guard element != "a" else { return false }
        if value.hasPrefix("#") { return true }
        guard element == "image" || element == "feImage" else { return false }
        return ["png", "jpeg", "jpg", "gif", "webp", "avif"].contains { value.hasPrefix("data:image/\($0);base64,") }
    }
}
