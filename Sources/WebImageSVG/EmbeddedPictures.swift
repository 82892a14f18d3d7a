import Foundation
import WebImageCore

/// Checks the pictures and documents that are embedded in a document before librsvg reads them. Also counts the drawn
/// elements. Documents inside embedded documents are checked in the same way.
///
/// The checks are needed for two reasons: librsvg has no limit for embedded pictures, and it draws an embedded document
/// at that document's own size. All embedded pictures and documents share one budget of pixels. All embedded documents
/// share one budget of bytes.
struct EmbeddedPictures {
    /// The maximum number of levels of nested documents. librsvg allocates a surface for each level.
    static let mostLevels = 4

    private let limits: DecodingLimits
    private let deadline: DecodeDeadline
    private var pixels = 0
    private var bytes = 0

    init(_ limits: DecodingLimits, deadline: DecodeDeadline) {
        self.limits = limits
        self.deadline = deadline
    }

    /// Checks a whole document. The document must not be compressed.
    ///
    /// - Throws: `.limitExceeded` if the embedded content exceeds a limit. `.badImageData` if the document is refused
    ///   or cannot be checked.
    mutating func check(_ document: Data) throws(WebImageError) { _ = try check(document, level: 0) }

    /// Checks a document at a level of nesting. Returns the number of elements that the document draws.
    private mutating func check(_ document: Data, level: Int) throws(WebImageError) -> Int {
        var references: [(element: Data, href: Data, part: Int)] = []
        var drawn = DrawnElements()
        try document.withFileBytes { bytes throws(WebImageError) in
            var scanner = XMLScanner(bytes, limits: limits, deadline: deadline)
            try scanner.scan { (item: XMLScanner.Item) throws(WebImageError) in
                switch item {
                case .start: drawn.startElement()
                case .end: drawn.endElement()
                case .attribute(let element, let prefix, let name, let value):
                    if prefix == Self.xmlns || name == Self.xmlns { try Self.checkNamespace(value) }
                    if name == Self.id { drawn.setID(value) }
                    if name != Self.href {
                        try StyleReferences.check(value)
                        for id in StyleReferences.ids(in: value) { drawn.refer(to: id) }
                    } else if let id = StyleReferences.id(value) {
                        if Self.drawingElements.contains(element) { drawn.refer(to: id) }
                    } else {
                        references.append((element, value, drawn.innermostPart()))
                    }
                case .styleSheet(let text): try StyleReferences.check(text)
                case .instruction(let content): try Self.checkInstruction(content)
                }
            }
        }
        for reference in references {
            drawn.add(try check(reference.href, of: reference.element, level: level), to: reference.part)
        }
        return try drawn.count()
    }

    /// Checks the embedded content of a reference. Returns the number of elements that the reference draws.
    private mutating func check(_ href: Data, of element: Data, level: Int) throws(WebImageError) -> Int {
        let url: DataURL?
        do throws(DataURL.Failure) { url = try DataURL(href) } catch {
            throw .badData("SVG", "a data URL is ambiguous")
        }
        guard let url else { return 0 }
        guard let data = url.content else { throw .badData("SVG", "a data URL is not valid base64") }
        guard !data.isEmpty else { return 0 }
        if StyleReferences.isDocument(data) { return try checkDocument(data, level: level + 1) }
        // Only the elements in `pictureElements` draw a picture. librsvg ignores a reference from another element to a
        // picture.
        guard Self.pictureElements.contains(element) else { return 0 }
        return try checkPicture(data) / Self.pixelsPerElement
    }

    private mutating func checkDocument(_ data: Data, level: Int) throws(WebImageError) -> Int {
        guard level < Self.mostLevels else {
            throw .badData("SVG", "documents are nested more than \(Self.mostLevels) levels deep")
        }
        var remaining = limits
        remaining.maxEncodedBytes = limits.maxEncodedBytes - bytes
        let document = Gunzip.isGzip(data) ? try Gunzip.whole(data, limits: remaining) : data
        bytes += document.count
        try limits.checkEncodedBytes(bytes)
        let elements = try check(document, level: level)
        let size = try document.withFileBytes { bytes throws(WebImageError) -> PixelSize? in
            // If librsvg cannot open the document here, librsvg does not draw the document later. The document then
            // uses no pixels of the budget.
            try? SVGDocument(bytes).pixelSize
        }
        if let size { try take(size) }
        return elements
    }

    /// Checks an embedded picture. Returns its number of pixels.
    private mutating func checkPicture(_ data: Data) throws(WebImageError) -> Int {
        let coders = ImageCodersManager.shared
        // Refuse icons (ICO). An icon contains several pictures. This code checks the size of one picture, but librsvg
        // could draw another picture.
        guard ImageFormat(sniffing: data) != .ico, coders.canDecode(from: data) else {
            throw .badData("SVG", "it has a picture that no registered coder can check", hint: "Add a coder for it.")
        }
        let size = try coders.imageInfo(of: data, limits: limits).storedSize
        try take(size)
        return size.pixelCount
    }

    private mutating func take(_ size: PixelSize) throws(WebImageError) {
        let (sum, overflow) = pixels.addingReportingOverflow(size.pixelCount)
        guard !overflow, sum <= limits.maxPixels else {
            throw .limit(.pixels, actual: overflow ? .max : sum, allowed: limits.maxPixels)
        }
        pixels = sum
    }

    /// Refuses XInclude. XInclude replaces an element by another document or by text, and this replacement would not be
    /// checked.
    private static func checkNamespace(_ value: Data) throws(WebImageError) {
        guard !value.contains("XInclude") else {
            throw .badData("SVG", "it may include other documents", hint: "Save it without XInclude.")
        }
    }

    /// Refuses an `xml-stylesheet` instruction with a `data:` URL, because librsvg would read the style sheet in the
    /// URL without a check. Other URLs are allowed, because librsvg reads no style sheet from outside the document.
    private static func checkInstruction(_ content: Data) throws(WebImageError) {
        guard content.starts(with: Data("xml-stylesheet".utf8)) else { return }
        let text = String(decoding: DataURL.withoutLineEnds(content), as: UTF8.self).lowercased()
        guard !text.contains("data:"), !text.contains("&") else {
            throw .badData("SVG", "an instruction embeds a style sheet", hint: "Put it into a style element.")
        }
    }

    /// The number of picture pixels that count as one drawn element. Pixels are counted because librsvg reads all
    /// pixels of a picture to draw it.
    private static let pixelsPerElement = 1000

    private static let href = Data("href".utf8)
    private static let id = Data("id".utf8)
    private static let xmlns = Data("xmlns".utf8)
    private static let pictureElements: Set<Data> = [Data("image".utf8), Data("feImage".utf8)]
    /// The names of the elements that draw other elements. They draw either the element to which `href` refers or the
    /// content of this element.
    private static let drawingElements: Set<Data> = [
        Data("use".utf8), Data("feImage".utf8), Data("pattern".utf8),
    ]
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
