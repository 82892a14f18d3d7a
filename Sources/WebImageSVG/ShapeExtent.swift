import Foundation

/// The size and the number of segments of a basic shape or path, in user units. Values that affect the time of drawing
/// are never too small; they may be too large.
struct ShapeExtent {
    /// The sides of the box around the shape. Nil if the size is unknown, for example for a percentage.
    var size: SVGSize?
    /// The number of straight segments after curves are flattened.
    var segmentCount = 1
    /// The number of vertices. Each vertex can have a marker.
    var vertexCount = 2
    /// The length of the outline.
    var length = 0.0
    /// The total vertical length of the outline, as a multiple of the height of the box around its points.
    private var heights = 1.0

    /// The average number of segments that cross a horizontal line through the shape. cairo compares the segments that
    /// cross the same line with each other.
    var overlap: Double { min(heights, Double(segmentCount)) }

    /// The number of segments into which cairo splits a curve at most, for curves of usual sizes.
    private static let segmentsPerCurve = 16

    /// Returns nil if the element draws no shape.
    init?(_ name: String, _ value: (String) -> String?, path: Data?) {
        if ["path", "polyline", "polygon"].contains(name) {
            self.init(outline: path ?? Data(), isPath: name == "path")
            return
        }
        guard ["rect", "image", "circle", "ellipse", "line"].contains(name) else { return nil }
        self.init()
        func number(_ key: String) -> Double? { value(key).flatMap(SVGLength.absolute) }
        switch name {
        case "rect", "image":
            if let width = number("width"), let height = number("height") { box(width, height) }
        case "circle":
            if let radius = number("r") { box(2 * radius, 2 * radius) }
            segmentCount = 4 * Self.segmentsPerCurve
        case "ellipse":
            if let x = number("rx"), let y = number("ry") { box(2 * x, 2 * y) }
            segmentCount = 4 * Self.segmentsPerCurve
        case "line":
            let ends = ["x1", "x2", "y1", "y2"].map { value($0).map(SVGLength.absolute) ?? 0 }
            if let x1 = ends[0], let x2 = ends[1], let y1 = ends[2], let y2 = ends[3] { box(x2 - x1, y2 - y1) }
        default: break
        }
    }

    private init() {}

    private mutating func box(_ width: Double, _ height: Double) {
        size = SVGSize(width: abs(width), height: abs(height))
        length = 2 * (abs(width) + abs(height))
        heights = 2
    }

    /// Reads the data of a path, or the points of a polygon. Reading ends at the first error, as in librsvg.
    private init(outline: Data, isPath: Bool) {
        segmentCount = 0
        vertexCount = 0
        var reader = NumberReader(outline)
        var command = isPath ? UInt8(0) : UInt8(ascii: "L")
        var (x, y, startX, startY, verticalLength) = (0.0, 0.0, 0.0, 0.0, 0.0)
        var (lowX, highX, lowY, highY) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)
        func reach(_ nextX: Double, _ nextY: Double) {
            (lowX, highX) = (min(lowX, nextX), max(highX, nextX))
            (lowY, highY) = (min(lowY, nextY), max(highY, nextY))
        }
        func line(to nextX: Double, _ nextY: Double) {
            reach(nextX, nextY)
            length += abs(nextX - x) + abs(nextY - y)
            verticalLength += abs(nextY - y)
            (x, y) = (nextX, nextY)
        }
        while !reader.isAtEnd {
            if isPath, let next = reader.command() { command = next }
            let isRelative = command & 0x20 != 0
            let (baseX, baseY) = isRelative ? (x, y) : (0, 0)
            let count = Self.argumentCounts[command | 0x20] ?? 0
            if command | 0x20 == UInt8(ascii: "z") {
                line(to: startX, startY)
                segmentCount += 1
                command = 0
                continue
            }
            guard count > 0, let values = reader.numbers(count, isArc: command | 0x20 == UInt8(ascii: "a")) else {
                break
            }
            vertexCount += 1
            switch command | 0x20 {
            case UInt8(ascii: "m"):
                (x, y) = (baseX + values[0], baseY + values[1])
                (startX, startY) = (x, y)
                reach(x, y)
                // Further pairs are lines.
                command = isRelative ? UInt8(ascii: "l") : UInt8(ascii: "L")
            case UInt8(ascii: "h"): line(to: baseX + values[0], y)
            case UInt8(ascii: "v"): line(to: x, baseY + values[0])
            case UInt8(ascii: "a"):
                // An arc is inside the box around its end points that is extended by twice its radii.
                let (reachX, reachY) = (
                    2 * max(abs(values[0]), abs(values[1])), 2 * max(abs(values[0]), abs(values[1]))
                )
                let (endX, endY) = (baseX + values[5], baseY + values[6])
                reach(min(x, endX) - reachX, min(y, endY) - reachY)
                reach(max(x, endX) + reachX, max(y, endY) + reachY)
                length += 4 * (reachX + reachY)
                verticalLength += 4 * reachY
                line(to: endX, endY)
                segmentCount += 4 * Self.segmentsPerCurve
            default:
                // The points of a curve are inside the box around its control points.
                for index in stride(from: 0, to: count, by: 2) {
                    line(to: baseX + values[index], baseY + values[index + 1])
                }
                if count > 2 || command | 0x20 == UInt8(ascii: "t") { segmentCount += Self.segmentsPerCurve }
            }
            segmentCount += 1
        }
        guard segmentCount > 0 else {
            size = SVGSize(width: 0, height: 0)
            return
        }
        heights = .infinity
        guard highX >= lowX, highY >= lowY, (highX - lowX + highY - lowY).isFinite else { return }
        if highY > lowY { heights = verticalLength / (highY - lowY) }
        // A smooth curve reflects its control point, so it can leave the box by as much as the box is large.
        size = SVGSize(width: 2 * (highX - lowX), height: 2 * (highY - lowY))
    }

    private static let argumentCounts: [UInt8: Int] = [
        UInt8(ascii: "m"): 2, UInt8(ascii: "l"): 2, UInt8(ascii: "h"): 1, UInt8(ascii: "v"): 1, UInt8(ascii: "c"): 6,
        UInt8(ascii: "s"): 4, UInt8(ascii: "q"): 4, UInt8(ascii: "t"): 2, UInt8(ascii: "a"): 7,
    ]
}

/// Reads the numbers and commands of a path.
private struct NumberReader {
    private let bytes: Data
    private var offset: Int

    init(_ bytes: Data) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    var isAtEnd: Bool {
        mutating get {
            while offset < bytes.endIndex, bytes[offset] <= 0x20 || bytes[offset] == UInt8(ascii: ",") { offset += 1 }
            return offset == bytes.endIndex
        }
    }

    /// The next letter, if a letter is next.
    mutating func command() -> UInt8? {
        guard !isAtEnd, (0x41...0x5A).contains(bytes[offset] & 0xDF) else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func numbers(_ count: Int, isArc: Bool) -> [Double]? {
        var result: [Double] = []
        for index in 0..<count {
            guard let value = isArc && (index == 3 || index == 4) ? flag() : number() else { return nil }
            result.append(value)
        }
        return result
    }

    /// A flag of an arc. No space is needed after a flag.
    private mutating func flag() -> Double? {
        guard !isAtEnd, bytes[offset] == UInt8(ascii: "0") || bytes[offset] == UInt8(ascii: "1") else { return nil }
        defer { offset += 1 }
        return Double(bytes[offset] - UInt8(ascii: "0"))
    }

    private mutating func number() -> Double? {
        guard !isAtEnd else { return nil }
        var text: [UInt8] = []
        var (hasPoint, hasExponent) = (false, false)
        loop: while offset < bytes.endIndex, text.count < 64 {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                guard text.isEmpty || text.last.map({ $0 | 0x20 }) == UInt8(ascii: "e") else { break loop }
            case UInt8(ascii: "."):
                guard !hasPoint, !hasExponent else { break loop }
                hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard !hasExponent, !text.isEmpty else { break loop }
                hasExponent = true
            default: break loop
            }
            text.append(byte)
            offset += 1
        }
        return strtod(text)
    }

    private func strtod(_ text: [UInt8]) -> Double? { Double(String(decoding: text, as: UTF8.self)) }
}

/// A size in user units.
struct SVGSize: Equatable {
    var width: Double
    var height: Double
}

/// Lengths of SVG.
enum SVGLength {
    private static let units: [String: Double] = [
        "": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
    ]

    /// The length in user units. Nil for a relative unit and for text that is not a length.
    static func absolute(_ text: String) -> Double? {
        let (value, unit) = split(text)
        return value.flatMap { value in units[unit].map { value * $0 } }
    }

    /// The factor of a relative length such as `2em` or `150%`. Nil for other lengths.
    static func factor(_ text: String) -> Double? {
        let (value, unit) = split(text)
        switch unit {
        case "em", "rem", "ex", "ch": return value
        case "%": return value.map { $0 / 100 }
        default: return nil
        }
    }

    /// All numbers in a text, such as a list.
    static func numbers(_ text: some StringProtocol) -> [Double] {
        text.split { $0 == "," || $0.isWhitespace }.compactMap { split(String($0)).value }
    }

    private static func split(_ text: String) -> (value: Double?, unit: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        var end = text.endIndex
        while end > text.startIndex {
            if let value = Double(text[..<end]), value.isFinite { return (value, String(text[end...])) }
            end = text.index(before: end)
            // A number is shorter than its text by the length of a unit.
            if text.distance(from: end, to: text.endIndex) > 4 { break }
        }
        return (nil, "")
    }
}
