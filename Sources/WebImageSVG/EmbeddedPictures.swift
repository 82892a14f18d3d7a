import Foundation
import WebImageCore

/// Checks the pictures and documents that are embedded in a document before librsvg reads them, and counts the drawn
/// elements. Documents inside embedded documents are checked in the same way.
///
/// Replaces embedded pictures by PNG pictures that the registered coders have decoded. librsvg then draws the same
/// picture in every process, regardless of the picture's format, declared type and orientation. Otherwise librsvg would
/// load a library for many formats, which a decoder process cannot do, and would ignore the orientation.
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
    /// - Returns: The elements that the document draws, with their prices, and the document with replaced pictures.
    /// - Throws: `.limitExceeded` if the embedded content exceeds a limit. `.badImageData` if the document is refused
    ///   or cannot be checked.
    mutating func check(_ document: Data) throws(WebImageError) -> (priced: PricedDocument, text: Data) {
        let (priced, _, text) = try check(document, level: 0)
        return (priced, text)
    }

    /// Checks a document at a level of nesting. Returns its elements, the number of elements that it draws, and the
    /// document with replaced pictures.
    private mutating func check(
        _ document: Data, level: Int
    ) throws(WebImageError) -> (PricedDocument, Int, text: Data) {
        let markup = try MarkupText.narrowed(document) ?? document
        try limits.checkEncodedBytes(markup.count)
        var references: [(element: Data, href: XMLScanner.Attribute, part: Int)] = []
        var drawn = DrawnElements()
        let (rules, document) = try withMedia(markup)
        var reader = ElementReader(rules)
        var depthOfText = 0
        var isRoot = true
        try document.withFileBytes { bytes throws(WebImageError) in
            var scanner = XMLScanner(bytes, limits: limits, deadline: deadline)
            try scanner.scan { (item: XMLScanner.Item) throws(WebImageError) in
                switch item {
                case .start(let element, let attributes):
                    let name = String(decoding: element, as: UTF8.self)
                    if depthOfText > 0 || name == "text" { depthOfText += 1 }
                    let (price, styled) = reader.read(name, attributes, isRoot: isRoot)
                    isRoot = false
                    let isReferenced = attributes.contains {
                        $0.name == Self.id || $0.value.contains(UInt8(ascii: "#"))
                    }
                    drawn.startElement(price, isReferenced: isReferenced)
                    for reference in styled { drawn.refer(reference) }
                    for attribute in attributes {
                        if try Self.mayEmbed(attribute, of: element, &drawn) {
                            references.append((element, attribute, drawn.innermostPart()))
                        }
                    }
                case .end:
                    depthOfText = max(depthOfText - 1, 0)
                    drawn.endElement()
                case .text(let byteCount): if depthOfText > 0 { drawn.add(text: byteCount) }
                case .styleSheet(let sheet): try StyleReferences.check(sheet.text)
                case .instruction(let content): try Self.checkInstruction(content)
                }
            }
        }
        var text = Data()
        var copied = 0
        for reference in references {
            let content = try check(reference.href.value, of: reference.element, level: level)
            drawn.add(content.count, nanoseconds: content.nanoseconds, to: reference.part)
            guard let url = content.replacement else { continue }
            text += document.slice(copied..<reference.href.range.lowerBound) + url
            copied = reference.href.range.upperBound
        }
        if copied > 0 { text += document.dropFirst(copied) }
        return (
            PricedDocument(elements: drawn, reader: reader), try drawn.count(), copied > 0 ? text : document
        )
    }

    /// Checks an attribute. Returns whether it is a reference that may embed content.
    private static func mayEmbed(
        _ attribute: XMLScanner.Attribute, of element: Data, _ drawn: inout DrawnElements
    ) throws(WebImageError) -> Bool {
        let (name, value) = (attribute.name, attribute.value)
        if attribute.prefix == xmlns || name == xmlns { try checkNamespace(value) }
        if name == id { drawn.setID(value) }
        guard name == href else {
            try StyleReferences.check(value)
            // The reader counts the markers, because each vertex of a path draws them.
            if !name.starts(with: marker) {
                for id in StyleReferences.ids(in: value) { drawn.refer(to: id) }
            }
            return false
        }
        guard let id = StyleReferences.id(value) else { return true }
        if drawingElements.contains(element) { drawn.refer(to: id) }
        return false
    }

    /// Applies the media of a document's style sheets. Returns the rules that are left, which apply to elements before and
    /// after them, and the document with these rules.
    private func withMedia(_ document: Data) throws(WebImageError) -> (StyleRules, Data) {
        var rules = StyleRules()
        guard document.range(of: Data("style".utf8)) != nil else { return (rules, document) }
        var medium: DrawingMedium?
        var text = Data()
        var copied = 0
        try document.withFileBytes { bytes throws(WebImageError) in
            var scanner = XMLScanner(bytes, limits: limits, deadline: deadline)
            try scanner.scan { (item: XMLScanner.Item) throws(WebImageError) in
                if case .start(_, let attributes) = item, medium == nil { medium = DrawingMedium(ofRoot: attributes) }
                guard case .styleSheet(let sheet) = item else { return }
                let applied = try StyleMedia.applied(to: sheet, medium ?? DrawingMedium(), deadline)
                rules.add(applied ?? sheet.text)
                guard let applied else { return }
                text += document.slice(copied..<sheet.content.lowerBound) + StyleMedia.markup(applied)
                copied = sheet.content.upperBound
            }
        }
        return (rules, copied > 0 ? text + document.slice(copied..<document.count) : document)
    }

    /// The embedded content of a reference.
    private struct Content {
        /// The number of elements that the reference draws, and the time of drawing them.
        var count = 0
        var nanoseconds = 0.0
        /// The URL that librsvg reads instead; nil for the original one.
        var replacement: Data?
    }

    /// Checks the embedded content of a reference.
    private mutating func check(_ href: Data, of element: Data, level: Int) throws(WebImageError) -> Content {
        let url: DataURL?
        do throws(DataURL.Failure) { url = try DataURL(href) } catch {
            throw .badData("SVG", "a data URL is ambiguous")
        }
        guard let url else { return Content() }
        guard let data = url.content else { throw .badData("SVG", "a data URL is not valid base64") }
        guard !data.isEmpty else { return Content() }
        let isPicture = Self.pictureElements.contains(element)
        if StyleReferences.isDocument(data) { return try checkDocument(data, level: level + 1, isPicture: isPicture) }
        // Only the elements in `pictureElements` draw a picture. librsvg ignores a reference from another element to a
        // picture.
        return isPicture ? try checkPicture(data, mediaType: url.mediaType) : Content()
    }

    private mutating func checkDocument(
        _ data: Data, level: Int, isPicture: Bool
    ) throws(WebImageError) -> Content {
        guard level < Self.mostLevels else {
            throw .badData("SVG", "documents are nested more than \(Self.mostLevels) levels deep")
        }
        var remaining = limits
        remaining.maxEncodedBytes = limits.maxEncodedBytes - bytes
        let document = Gunzip.isGzip(data) ? try Gunzip.whole(data, limits: remaining) : data
        bytes += document.count
        try limits.checkEncodedBytes(bytes)
        let (priced, elements, text) = try check(document, level: level)
        try priced.check(deadline)
        let drawing = try text.withFileBytes { bytes throws(WebImageError) -> SVGDocument? in
            // If librsvg cannot open the document here, librsvg does not draw the document later. The document then
            // uses no pixels of the budget.
            try? SVGDocument(bytes)
        }
        guard let drawing else { return Content(count: elements) }
        try take(drawing.pixelSize)
        var content = Content(count: elements)
        content.nanoseconds = try priced.price(of: drawing, on: drawing.pixelSize, deadline).nanoseconds
        if isPicture { content.replacement = try replacement(of: drawing, text) }
        return content
    }

    /// Returns the URL with which librsvg draws an embedded document.
    private func replacement(of drawing: SVGDocument, _ text: Data) throws(WebImageError) -> Data? {
        // librsvg draws an embedded document of 2.60 itself. An older one loads a library of gdk-pixbuf, which draws the
        // document at its own size.
        guard RSVGLibrary.loadsLibraryForDocuments else { return Self.url("image/svg+xml", text) }
        let size = drawing.pixelSize
        try limits.checkDecodeBytes(size.byteCount(4))
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        try drawing.render(into: pixels, deadline)
        return try Self.pictureURL(Image(pixels: pixels, hasAlpha: true))
    }

    /// Checks an embedded picture.
    private mutating func checkPicture(_ data: Data, mediaType: String) throws(WebImageError) -> Content {
        let coders = ImageCodersManager.shared
        guard coders.canDecode(from: data) else {
            throw .badData("SVG", "it has a picture that no registered coder can check", hint: "Add a coder for it.")
        }
        let info = try coders.imageInfo(of: data, limits: limits)
        try take(info.storedSize)
        let count = info.storedSize.pixelCount / Self.pixelsPerElement
        var content = Content(count: count, nanoseconds: Double(count) * DrawingPrice.Rate.element)
        // gdk-pixbuf reads these without a further library.
        let isPlain =
            info.format.container == .png && mediaType == "image/png"
            || info.format == .jpeg && mediaType == "image/jpeg" && info.orientation == .up
        if !isPlain {
            var options = DecodingOptions()
            options.limits = limits
            options.pixelFormat = .rgba8
            options.firstFrameOnly = true
            content.replacement = try Self.pictureURL(try coders.decode(data, options: options))
        }
        return content
    }

    private static func pictureURL(_ image: Image) throws(WebImageError) -> Data {
        url("image/png", try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions()))
    }

    private static func url(_ type: String, _ content: Data) -> Data {
        Data("data:\(type);base64,".utf8) + content.base64EncodedData()
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
    private static let marker = Data("marker".utf8)
    private static let xmlns = Data("xmlns".utf8)
    private static let pictureElements: Set<Data> = [Data("image".utf8), Data("feImage".utf8)]
    /// The names of the elements that draw other elements. They draw either the element to which `href` refers or the
    /// content of this element.
    private static let drawingElements: Set<Data> = [
        Data("use".utf8), Data("feImage".utf8), Data("pattern".utf8),
    ]
}

/// A checked document: its elements and the values of its style that affect the price of drawing it.
struct PricedDocument {
    let elements: DrawnElements
    let reader: ElementReader

    /// Refuses a document whose measuring would take too long, or whose letters librsvg cannot draw. librsvg measures a
    /// document without a size before it is drawn.
    func check(_ deadline: DecodeDeadline) throws(WebImageError) {
        // A document without a size is 300 px wide and 150 px high (CSS 2.1 §10.3.2).
        _ = try price(SVGSize(width: 300, height: 150), on: PixelSize(width: 300, height: 150), deadline)
    }

    /// Returns an upper bound of the cost of drawing the document.
    ///
    /// - Parameter size: The size of the drawing in pixels.
    /// - Throws: `.limitExceeded` if the time exceeds the remaining time.
    func price(
        of document: SVGDocument, on size: PixelSize, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> DrawingPrice {
        try price(SVGSize(width: document.width, height: document.height), on: size, deadline)
    }

    /// Refuses filters for which librsvg 2.54 ends the process: a convolution with more weights than it reads, and a tile
    /// without pixels. Whether a tile has pixels depends on every coordinate of the drawing, so every tile is refused.
    private func checkFilters() throws(WebImageError) {
        guard RSVGLibrary.endsTheProcess else { return }
        guard reader.kernelSize <= DrawingPrice.largestKernel else {
            throw .badData("SVG", "a convolution has over \(Int(DrawingPrice.largestKernel)) weights")
        }
        guard !reader.hasTiles else {
            throw .badData("SVG", "it repeats a tile (feTile)", hint: "Install librsvg 2.60, which draws it.")
        }
    }

    private func price(
        _ document: SVGSize, on size: PixelSize, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> DrawingPrice {
        let canvas = DrawingPrice.Canvas(
            size: size, document: document, strokeWidth: reader.strokeWidth, dashes: reader.shortestDashes,
            paintRate: reader.paintRate)
        let scale = max(Double(size.width) / document.width, Double(size.height) / document.height)
        let (price, fontScale) = elements.price(on: canvas, scale: scale, limit: deadline.remainingSeconds * 1e9)
        guard reader.largestFont * fontScale <= DrawingPrice.largestFont else {
            throw .badData("SVG", "its letters are over \(Int(DrawingPrice.largestFont)) px high")
        }
        try deadline.admit("drawing the SVG", seconds: price.nanoseconds / 1e9)
        try checkFilters()
        return price
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
