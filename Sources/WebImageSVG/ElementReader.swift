import Foundation

/// Reads the price of an element and its references from its attributes, its `style` and the style sheets.
///
/// If a property has several values, all of them are counted, because the cascade is not resolved.
struct ElementReader {
    /// A reference that draws another element.
    struct Reference {
        let id: Data
        /// How often the element is drawn.
        var count = 1
        /// False for a reference in a style sheet.
        var isInAttribute = true
    }

    private let rules: StyleRules
    /// The largest font size, the widest outline and the shortest dash pattern of the whole document.
    private(set) var largestFont = 16.0
    private(set) var strokeWidth = 1.0
    private(set) var shortestDashes: Double?
    private(set) var paintRate = 0.7
    /// The greatest number of weights of a convolution, and whether a filter repeats a tile. librsvg 2.54 ends the
    /// process for some of them.
    private(set) var kernelSize = 0.0
    private(set) var hasTiles = false

    init(_ rules: StyleRules) { self.rules = rules }

    /// Reads an element. `isRoot` is true for the outermost element.
    mutating func read(
        _ name: String, _ attributes: [XMLScanner.Attribute], isRoot: Bool
    ) -> (price: ElementPrice, references: [Reference]) {
        var values: [String: String] = [:]
        var outline: Data?
        for attribute in attributes where attribute.prefix.isEmpty {
            let key = String(decoding: attribute.name, as: UTF8.self)
            if key == "d" || key == "points" {
                outline = attribute.value
            } else if attribute.value.count < 4096 || key == "style" {
                values[key] = String(decoding: attribute.value, as: UTF8.self)
            }
        }
        var blocks = [values]
        if let style = values["style"] { blocks.append(StyleRules.declarations(style)) }
        blocks += rules.declarations(name: name, id: values["id"], classes: values["class"])

        var price = ElementPrice()
        var references: [Reference] = []
        let extent = ShapeExtent(name, { values[$0] }, path: outline)
        let ruleStart = values["style"] == nil ? 1 : 2
        for (index, block) in blocks.enumerated() {
            addDocumentValues(block)
            addLayers(block, extent, &price)
            references += Self.references(block, extent, isRule: index >= ruleStart)
            addFont(block, &price)
        }
        if let extent { price.shapes.append(extent) }
        addDefinition(name, values, &price)
        addUnits(name, values, isRoot: isRoot, &price)
        for key in ["transform", "patternTransform"] {
            for block in blocks { if let text = block[key] { price.scale = price.scale * SVGScale(transform: text) } }
        }
        return (price, references)
    }

    private mutating func addDocumentValues(_ block: [String: String]) {
        if let width = block["stroke-width"] {
            strokeWidth = max(strokeWidth, abs(SVGLength.absolute(width) ?? (SVGLength.factor(width) ?? 1) * 1e5))
        }
        if let dashes = block["stroke-dasharray"] {
            let sum = SVGLength.numbers(dashes.replacingOccurrences(of: "%", with: "")).reduce(0) { $0 + abs($1) }
            if sum > 0 { shortestDashes = min(shortestDashes ?? .infinity, sum) }
        }
        // `font` is a shorthand that contains the size.
        for key in ["font-size", "font"] {
            for word in (block[key] ?? "").split(whereSeparator: { $0 == " " || $0 == "/" }) {
                if let size = SVGLength.absolute(String(word)) { largestFont = max(largestFont, size) }
            }
        }
    }

    private func addFont(_ block: [String: String], _ price: inout ElementPrice) {
        for key in ["font-size", "font"] {
            for word in (block[key] ?? "").split(whereSeparator: { $0 == " " || $0 == "/" }) {
                let factor = word == "larger" ? 1.2 : SVGLength.factor(String(word)) ?? 1
                price.fontScale *= max(factor, 1)
            }
        }
    }

    /// Adds the surfaces that properties of the element need.
    private func addLayers(_ block: [String: String], _ extent: ShapeExtent?, _ price: inout ElementPrice) {
        func layer(_ rate: Double) {
            price.perPixel += rate
            price.layers += 1
        }
        if let opacity = block["opacity"], SVGLength.absolute(opacity).map({ $0 < 1 }) ?? true {
            layer(DrawingPrice.Rate.layer)
        }
        if block["clip-path"].map(Self.hasURL) == true { layer(DrawingPrice.Rate.layer) }
        if block["isolation"] != nil { layer(DrawingPrice.Rate.layer) }
        if let mode = block["mix-blend-mode"], !mode.contains("normal") { layer(DrawingPrice.Rate.mask) }
        if block["mask"].map(Self.hasURL) == true { layer(DrawingPrice.Rate.mask) }
        guard let filter = block["filter"], !filter.contains("none") else { return }
        layer(DrawingPrice.Rate.filterCanvas)
        price.layers += 3
        for id in StyleReferences.ids(in: Data(filter.utf8)) {
            price.filters.append(ElementPrice.FilterUse(id: id, size: extent?.size))
        }
        price.functionCount += filter.count { $0 == "(" } - (filter.components(separatedBy: "url(").count - 1)
        // `inherit` stands for a filter of a parent, whose parameters are not known here.
        if filter.contains("inherit") || filter.contains("var") {
            price.filters.append(ElementPrice.FilterUse(id: Self.anyFilter, size: extent?.size))
        }
    }

    /// Returns the elements that are drawn by reference. ``EmbeddedPictures`` finds most references in attributes; this
    /// function finds markers and the references in style sheets.
    private static func references(
        _ block: [String: String], _ extent: ShapeExtent?, isRule: Bool
    ) -> [Reference] {
        var references: [Reference] = []
        for (key, value) in block where value.contains("#") && key != "style" {
            let isMarker = key.hasPrefix("marker")
            guard isRule || isMarker else { continue }
            // `marker` sets the markers of all vertices.
            let count = isMarker ? extent?.vertexCount ?? 1 : 1
            for id in StyleReferences.ids(in: Data(value.utf8)) {
                references.append(Reference(id: id, count: count, isInAttribute: !isRule))
            }
        }
        return references
    }

    private mutating func addDefinition(_ name: String, _ values: [String: String], _ price: inout ElementPrice) {
        price.primitive = FilterPrimitive(name) { values[$0] }
        switch name {
        case "feConvolveMatrix":
            let order = SVGLength.numbers(values["order"] ?? "3")
            if let width = order.first {
                kernelSize = max(kernelSize, abs(width * (order.count > 1 ? order[1] : width)))
            }
        case "feTile": hasTiles = true
        case "filter":
            price.region = FilterRegion { values[$0] }
            price.isDefinition = true
        case "radialGradient", "linearGradient", "pattern":
            paintRate = max(paintRate, name == "radialGradient" ? 12 : 3)
            price.isDefinition = true
            if name == "pattern" { price.perPixel += DrawingPrice.Rate.layer }
        case "mask", "clipPath", "marker", "symbol": price.isDefinition = true
        case "stop": price.fixed += DrawingPrice.Rate.stop
        default: break
        }
    }

    private func addUnits(_ name: String, _ values: [String: String], isRoot: Bool, _ price: inout ElementPrice) {
        let boundingBoxKeys = ["clipPathUnits", "maskContentUnits", "patternContentUnits", "primitiveUnits"]
        if boundingBoxKeys.contains(where: { values[$0]?.contains("objectBoundingBox") == true }) {
            price.units = ElementPrice.Units(size: nil, count: SVGSize(width: 1, height: 1))
        }
        guard let box = values["viewBox"] else { return }
        let sides = SVGLength.numbers(box).suffix(2)
        guard sides.count == 2, let width = sides.first, let height = sides.last, width > 0, height > 0 else { return }
        price.units = ElementPrice.Units(size: nil, count: SVGSize(width: width, height: height))
        // The size of the outermost element is the size of the document. The size of a symbol is that of its use.
        guard !isRoot, name == "svg" || name == "marker" else { return }
        let keys = name == "marker" ? ["markerWidth", "markerHeight"] : ["width", "height"]
        let factor = name == "marker" ? max(strokeWidth, 1) : 1
        let sizes = keys.map { values[$0].flatMap(SVGLength.absolute) }
        if let width = sizes[0], let height = sizes[1] {
            price.units?.size = SVGSize(width: width * factor, height: height * factor)
        }
    }

    private static func hasURL(_ value: String) -> Bool { value.contains("url(") || value.contains("inherit") }

    /// The id that stands for the costliest filter of the document.
    static let anyFilter = Data()
}
