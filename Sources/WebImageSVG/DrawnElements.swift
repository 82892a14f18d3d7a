import Foundation
import WebImageCore

/// Counts the elements that a document draws. An element that several references draw is counted several times.
///
/// A document of 3 KB can draw 1,000,000,000 elements: it needs nine groups, and each group uses the previous group ten
/// times. librsvg stops after 500,000 references, but drawing them takes seconds. Therefore the references in
/// attributes are counted before librsvg draws. References in style sheets are not counted here, because only librsvg can
/// determine the elements to which a rule applies. They are part of the price of the drawing.
struct DrawnElements {
    /// The maximum number of elements that references may draw in addition to the elements of the document. If a
    /// document has more elements than this number, the maximum is the number of elements in the document. librsvg
    /// draws about 100,000 small rectangles per second.
    static let mostRepeated = 50_000

    /// An element with an id or a reference, together with those elements inside it that have neither an id nor a
    /// reference. An inner element with an id or a reference is a separate part.
    private struct Part {
        var elements = 0
        /// The indices of the parts directly inside this part.
        var inner: [Int] = []
        /// The elements to which this part refers. An element can occur several times.
        var references: [ElementReader.Reference] = []
        /// The prices of the elements.
        var prices: [ElementPrice] = []
        /// Time in nanoseconds of embedded documents.
        var embedded = 0.0
    }

    /// All parts. The first part is the document.
    private var parts = [Part()]
    private var partOfID: [Data: Int] = [:]
    /// The open elements, the outermost element first. `isPart` is false for an element that belongs to the part of its
    /// parent.
    private var open: [(part: Int, isPart: Bool)] = [(0, true)]
    private var elements = 0

    /// - Parameters:
    ///   - price: The price of the element.
    ///   - isReferenced: Whether the element has an id or a reference. Such an element is a part of its own, and so is
    ///     an element that scales its content or is drawn only by reference.
    mutating func startElement(_ price: ElementPrice = ElementPrice(), isReferenced: Bool = false) {
        elements += 1
        let parent = open[open.count - 1].part
        parts[parent].elements += 1
        open.append((parent, false))
        let isPlain =
            price.scale.isIdentity && price.units == nil && !price.isDefinition && price.layers == 0
            && price.fontScale == 1 && !isReferenced
        parts[isPlain ? parent : innermostPart()].prices.append(price)
    }

    /// Adds the time of text inside the innermost element.
    mutating func add(text byteCount: Int) {
        let length = Double(byteCount)
        parts[open[open.count - 1].part].embedded +=
            length * DrawingPrice.Rate.character + length * length * DrawingPrice.Rate.characterPair
    }

    /// Ends the innermost element. An end without a start is ignored here, because librsvg later refuses the document.
    mutating func endElement() {
        if open.count > 1 { open.removeLast() }
    }

    /// Sets the id of the innermost element. If several elements have the same id, the first element counts, as in
    /// librsvg.
    mutating func setID(_ id: Data) {
        let part = innermostPart()
        if partOfID[id] == nil { partOfID[id] = part }
    }

    /// Records that the innermost element draws the element with this id.
    mutating func refer(to id: Data) { refer(ElementReader.Reference(id: id)) }

    mutating func refer(_ reference: ElementReader.Reference) {
        let part = innermostPart()
        parts[part].references.append(reference)
    }

    /// Returns the index of the innermost element's part. Creates a part if the element has none.
    mutating func innermostPart() -> Int {
        let (parent, isPart) = open[open.count - 1]
        if isPart { return parent }
        parts[parent].elements -= 1
        parts[parent].inner.append(parts.count)
        open[open.count - 1] = (parts.count, true)
        parts.append(Part(elements: 1))
        return parts.count - 1
    }

    /// Adds the elements that a document or picture embedded in a part draws. For a document, `count` is its number of
    /// drawn elements. A picture counts as the number of elements that take the same time to draw.
    mutating func add(_ count: Int, nanoseconds: Double, to part: Int) {
        parts[part].embedded += nanoseconds
        parts[part].elements = Self.sum(parts[part].elements, count)
        elements = Self.sum(elements, count)
    }

    /// Returns the number of drawn elements. librsvg draws the content of `defs` only by reference. This method also
    /// counts the content itself, so the content of `defs` is counted once too often.
    ///
    /// - Throws: `.badImageData` if references draw too many additional elements. Their number must not exceed the
    ///   larger of ``mostRepeated`` and the number of elements in the document.
    func count() throws(WebImageError) -> Int {
        let total = total()
        let limit = max(elements, Self.mostRepeated)
        guard total - elements <= limit else {
            throw .badData("SVG", "it draws more than \(limit) elements again by reference")
        }
        return total
    }

    /// Returns the number of elements that the whole document draws.
    private func total() -> Int {
        var totals = [Int](repeating: 0, count: parts.count)
        for index in order() {
            var total = parts[index].elements
            for part in parts[index].inner { total = Self.sum(total, totals[part]) }
            for reference in parts[index].references where reference.isInAttribute {
                if let part = partOfID[reference.id] { total = Self.sum(total, totals[part]) }
            }
            totals[index] = total
        }
        return totals[0]
    }

    /// Returns the parts in an order in which each part follows the parts that it contains and the parts to which it
    /// refers. Cyclic references are not followed, because librsvg does not draw them.
    private func order() -> [Int] {
        var result: [Int] = []
        var isVisited = [Bool](repeating: false, count: parts.count)
        var stack: [(part: Int, isReady: Bool)] = [(0, false)]
        while let (index, isReady) = stack.popLast() {
            if isReady {
                result.append(index)
            } else if !isVisited[index] {
                isVisited[index] = true
                stack.append((index, true))
                let needed = parts[index].inner + parts[index].references.compactMap { partOfID[$0.id] }
                for part in needed where !isVisited[part] { stack.append((part, false)) }
            }
        }
        return result
    }

    /// Returns the sum of two counts, but at most 2^60. This maximum prevents an overflow of further sums.
    private static func sum(_ one: Int, _ other: Int) -> Int { min(one + other, 1 << 60) }
}

extension DrawnElements {
    /// What is known about a part when all parts that draw it were priced.
    private struct Use {
        /// How often the part is drawn.
        var count = 0.0
        var scale: SVGScale?
        var layers = 0.0
        var font = 1.0

        /// Adds a use by another part.
        mutating func add(_ count: Double, _ other: Use) {
            self.count += count * other.count
            let next = other.scale ?? SVGScale()
            scale = SVGScale(
                largest: max(scale?.largest ?? 0, next.largest),
                smallest: min(scale?.smallest ?? .infinity, next.smallest))
            layers = max(layers, other.layers)
            font = max(font, other.font)
        }
    }

    /// Returns an upper bound of the cost of drawing the whole document on a canvas, and by which factor letters are
    /// larger than the largest font size of the document.
    ///
    /// - Parameters:
    ///   - scale: The number of pixels in a user unit of the outermost element.
    ///   - limit: A time in nanoseconds. Above this time, the rest of the document is not priced.
    func price(
        on canvas: DrawingPrice.Canvas, scale: Double, limit: Double
    ) -> (price: DrawingPrice, fontScale: Double) {
        let order = Array(order().reversed())
        var place = [Int](repeating: 0, count: parts.count)
        for (position, part) in order.enumerated() { place[part] = position }
        var uses = [Use](repeating: Use(), count: parts.count)
        uses[0] = Use(count: 1, scale: SVGScale(largest: scale, smallest: scale))
        var price = DrawingPrice()
        var fontScale = 1.0
        let filters = parts.indices.filter { parts[$0].prices.first?.region != nil }
        for (position, index) in order.enumerated() {
            let use = own(uses[index], parts[index], canvas)
            price.surfaces = max(price.surfaces, 1 + use.layers)
            fontScale = max(fontScale, use.font)
            price.nanoseconds += use.count * time(of: parts[index], use, canvas)
            for filter in parts[index].prices.flatMap(\.filters) {
                let known = filter.id == ElementReader.anyFilter ? filters : partOfID[filter.id].map { [$0] } ?? []
                let costs = known.map { cost(ofFilter: $0, filter, use, canvas) }
                price.nanoseconds += use.count * (costs.map(\.nanoseconds).max() ?? 0)
                price.surfaces = max(price.surfaces, use.layers + (costs.map(\.surfaces).max() ?? 0))
            }
            guard price.nanoseconds <= limit else { break }
            for part in parts[index].inner where place[part] > position {
                // The content of a definition is drawn only by reference.
                let isDrawn = parts[part].prices.first?.isDefinition != true
                uses[part].add(isDrawn ? 1 : 0, use)
            }
            for reference in parts[index].references {
                guard let part = partOfID[reference.id], place[part] > position else { continue }
                uses[part].add(Double(reference.count), use)
            }
        }
        return (price, fontScale)
    }

    /// Applies the transforms and layers of a part's own elements.
    private func own(_ use: Use, _ part: Part, _ canvas: DrawingPrice.Canvas) -> Use {
        var use = use
        for price in part.prices {
            use.scale = (use.scale ?? SVGScale()) * price.scale
            if let units = price.units { use.scale = use.scale.map { $0 * units.scale(canvas) } }
            use.layers += price.layers
            use.font *= price.fontScale
        }
        return use
    }

    /// The time of drawing a part once, without its filters and without the parts inside it.
    private func time(of part: Part, _ use: Use, _ canvas: DrawingPrice.Canvas) -> Double {
        let scale = use.scale?.largest ?? 1
        var time = part.embedded
        for price in part.prices {
            time += price.fixed + price.perPixel * canvas.pixels
            for shape in price.shapes { time += canvas.time(of: shape, scale: scale) }
            time += Double(price.functionCount) * canvas.pixels * DrawingPrice.Rate.filterFunction
        }
        return time
    }

    /// The cost of applying a filter once.
    private func cost(
        ofFilter part: Int, _ filter: ElementPrice.FilterUse, _ use: Use, _ canvas: DrawingPrice.Canvas
    ) -> DrawingPrice {
        guard let own = parts[part].prices.first, let region = own.region else { return DrawingPrice() }
        var scale = use.scale ?? SVGScale()
        if let units = own.units { scale = scale * units.scale(canvas) }
        let pixels = canvas.pixels(region.size(of: filter.size), scale: use.scale?.largest ?? 1)
        var cost = DrawingPrice(nanoseconds: pixels * DrawingPrice.Rate.filterRegion, surfaces: 3)
        // A primitive with an id is a part of its own.
        for index in [part] + parts[part].inner {
            for primitive in parts[index].prices.compactMap(\.primitive) {
                cost.nanoseconds += primitive.time(pixels: pixels, scale: scale, canvas: canvas)
                cost.surfaces += primitive.growth(scale)
            }
        }
        return cost
    }
}
