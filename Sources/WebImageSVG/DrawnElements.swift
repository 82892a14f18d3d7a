import Foundation
import WebImageCore

/// Counts the elements that a document draws, including those that it draws again by reference.
///
/// A document of 3 KB can draw 1,000,000,000 elements: nine groups, each of which uses the previous group ten times.
/// librsvg stops after 500,000 references, which takes seconds. So references in attributes are counted before librsvg
/// draws. References in style sheets are not counted, because only librsvg determines the elements to which a rule
/// applies. The limit of librsvg bounds these references.
struct DrawnElements {
    /// The maximum number of elements that references draw again. For a document with more elements than this, the
    /// maximum is its number of elements. librsvg draws about 100,000 small rectangles a second.
    static let mostRepeated = 50_000

    /// An element that has an id or refers to other elements, together with all elements inside it that have neither an
    /// id nor a reference.
    private struct Part {
        var elements = 0
        /// The parts directly inside this one.
        var inner: [Int] = []
        /// The ids that this part refers to, once for each reference.
        var references: [Data] = []
    }

    /// The first part is the document.
    private var parts = [Part()]
    private var partOfID: [Data: Int] = [:]
    /// The open elements, the outermost first, and whether each is a part or belongs to the part of its parent.
    private var open: [(part: Int, isPart: Bool)] = [(0, true)]
    private var elements = 0

    mutating func startElement() {
        elements += 1
        let parent = open[open.count - 1].part
        parts[parent].elements += 1
        open.append((parent, false))
    }

    /// Ends the innermost element. An end without a start is ignored, because librsvg refuses such a document.
    mutating func endElement() {
        if open.count > 1 { open.removeLast() }
    }

    /// Sets the id of the innermost element. librsvg uses the first of several elements with the same id.
    mutating func setID(_ id: Data) {
        let part = innermostPart()
        if partOfID[id] == nil { partOfID[id] = part }
    }

    /// Records that the innermost element draws the element with this id.
    mutating func refer(to id: Data) {
        let part = innermostPart()
        parts[part].references.append(id)
    }

    /// Returns the part of the innermost element, and makes one if it has none.
    mutating func innermostPart() -> Int {
        let (parent, isPart) = open[open.count - 1]
        if isPart { return parent }
        parts[parent].elements -= 1
        parts[parent].inner.append(parts.count)
        open[open.count - 1] = (parts.count, true)
        parts.append(Part(elements: 1))
        return parts.count - 1
    }

    /// Adds the number of elements of a document that a part embeds. For a picture, adds the number of elements that
    /// take as long to draw.
    mutating func add(_ count: Int, to part: Int) {
        parts[part].elements = Self.sum(parts[part].elements, count)
        elements = Self.sum(elements, count)
    }

    /// Returns the number of drawn elements. The content of `defs` is counted once more than librsvg draws it, because
    /// librsvg draws it only by reference.
    ///
    /// - Throws: `.badImageData` if references draw too many elements again.
    func count() throws(WebImageError) -> Int {
        let total = total()
        let limit = max(elements, Self.mostRepeated)
        guard total - elements <= limit else {
            throw .badData("SVG", "it draws more than \(limit) elements again by reference")
        }
        return total
    }

    /// Adds up the parts. Each part is added after the parts that it contains or refers to. A part in a cycle of
    /// references counts once, because librsvg does not draw cyclic references.
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

    /// Adds two counts. The sum stays far below the largest integer.
    private static func sum(_ one: Int, _ other: Int) -> Int { min(one + other, 1 << 60) }
}
