import Foundation
import WebImageCore

/// Counts the elements that a document draws. An element that several references draw is counted several times.
///
/// A document of 3 KB can draw 1,000,000,000 elements: it needs nine groups, and each group uses the previous group ten
/// times. librsvg stops after 500,000 references, but drawing them takes seconds. Therefore the references in
/// attributes are counted before librsvg draws. References in style sheets are not counted, because only librsvg can
/// determine the elements to which a rule applies. Only librsvg's limit applies to references in style sheets.
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
        /// The ids to which this part refers. An id with several references occurs several times.
        var references: [Data] = []
    }

    /// All parts. The first part is the document.
    private var parts = [Part()]
    private var partOfID: [Data: Int] = [:]
    /// The open elements, the outermost element first. `isPart` is false for an element that belongs to the part of its
    /// parent.
    private var open: [(part: Int, isPart: Bool)] = [(0, true)]
    private var elements = 0

    mutating func startElement() {
        elements += 1
        let parent = open[open.count - 1].part
        parts[parent].elements += 1
        open.append((parent, false))
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
    mutating func refer(to id: Data) {
        let part = innermostPart()
        parts[part].references.append(id)
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
    mutating func add(_ count: Int, to part: Int) {
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

    /// Returns the number of elements that the whole document draws. A part is counted after the parts that it contains
    /// and the parts to which it refers. Cyclic references are not followed, because librsvg does not draw them.
    private func total() -> Int {
        var totals = [Int](repeating: 0, count: parts.count)
        var isVisited = [Bool](repeating: false, count: parts.count)
        var stack: [(part: Int, isReady: Bool)] = [(0, false)]
        while let (index, isReady) = stack.popLast() {
            let needed = parts[index].inner + parts[index].references.compactMap { partOfID[$0] }
            if isReady {
                totals[index] = needed.reduce(parts[index].elements) { Self.sum($0, totals[$1]) }
            } else if !isVisited[index] {
                isVisited[index] = true
                stack.append((index, true))
                for part in needed where !isVisited[part] { stack.append((part, false)) }
            }
        }
        return totals[0]
    }

    /// Returns the sum of two counts, but at most 2^60. This maximum prevents an overflow of further sums.
    private static func sum(_ one: Int, _ other: Int) -> Int { min(one + other, 1 << 60) }
}
