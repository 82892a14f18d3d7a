import Foundation
import WebImageCore

/// What a Lottie document says at its top, read in one pass. A pass over the whole document also refuses what rlottie must
/// not see: deep nesting, which its recursive reader would follow, and pictures in other files.
struct LottieFacts {
    let width: Double
    let height: Double
    /// The first frame.
    let start: Double
    /// The frame after the last one.
    let end: Double
    /// Frames in a second.
    let rate: Double
    /// Where the first name of each layer begins, in the order of the document. Empty if the rest was not checked.
    let layers: [Int]

    /// Reads a document.
    ///
    /// - Parameter isWhole: Whether the rest is checked for rlottie. Otherwise the pass ends when all is known, which is
    ///   usually near the start of the document.
    init(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) throws(WebImageError) {
        var reader = Reader(bytes)
        // For each open object or list whether it is an object: the document, a list of assets, and an asset. What is inside
        // of others is skipped.
        var levels: [Bool] = []
        // The last name in the document, and in an asset.
        var (outer, inner) = (Name.other, Name.other)
        var expectsName = false
        var found: [Name: Double] = [:]
        var layers: [Int] = []
        while isWhole || found.count < Name.facts.count, let byte = reader.next() {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try reader.string()
                if expectsName {
                    // No writer escapes a name, and an escaped one could hide what follows.
                    guard !text.isEscaped else { throw Self.refused("a name is escaped") }
                    if levels.count == 1 { outer = Name(text.bytes) }
                    if levels.count == 3 { inner = Name(text.bytes) }
                } else if levels.count == 3, inner == .file || inner == .folder {
                    let isInside = inner == .folder ? text.bytes.isEmpty : text.bytes.starts(with: "data:".utf8)
                    guard isInside else { throw Self.refused("it shows pictures of other files") }
                }
            case UInt8(ascii: ","): expectsName = levels.last ?? false
            case UInt8(ascii: ":"): expectsName = false
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if levels.count == 3 || levels.count == 1 && outer != .assets {
                    guard
                        reader.skipToEnd(
                            outerCount: levels.count,
                            objects: (levels.count == 1 ? outer : inner) == .layers ? { layers.append($0) } : nil)
                    else {
                        throw Self.refused("it is nested too deeply or does not end")
                    }
                    expectsName = false
                } else {
                    levels.append(byte == UInt8(ascii: "{"))
                    (expectsName, inner) = (levels.last == true, .other)
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard levels.popLast() == (byte == UInt8(ascii: "}")) else {
                    throw Self.refused("its brackets do not match")
                }
                expectsName = false
            default:
                guard levels.count == 1, Name.facts.contains(outer), let number = reader.number() else { continue }
                // rlottie would draw by the second one.
                guard found[outer] == nil else { throw Self.refused("it has two sizes or times") }
                found[outer] = number
            }
        }
        self.layers = layers
        (width, height) = (found[.width] ?? 0, found[.height] ?? 0)
        (start, end, rate) = (found[.start] ?? 0, found[.end] ?? 0, found[.rate] ?? 0)
        guard !isWhole || levels.isEmpty, width >= 1, height >= 1, width < 1e6, height < 1e6 else {
            throw Self.refused("it has no size or does not end")
        }
        guard rate > 0, rate <= 1000, end > start, end - start < 1e7 else { throw Self.refused("it has no frames") }
    }

    /// The names that this pass reads. A document has thousands of others, for which it makes no strings.
    private enum Name {
        case width, height, start, end, rate
        case assets, layers, file, folder, other

        static let facts: Set<Self> = [.width, .height, .start, .end, .rate]

        init(_ text: UnsafeBufferPointer<UInt8>) {
            func matches(_ name: StaticString) -> Bool {
                text.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            }
            self =
                switch text.count {
                case 1:
                    matches("w")
                        ? .width : matches("h") ? .height : matches("p") ? .file : matches("u") ? .folder : .other
                case 2: matches("ip") ? .start : matches("op") ? .end : matches("fr") ? .rate : .other
                default: matches("assets") ? .assets : matches("layers") ? .layers : .other
                }
        }
    }

    private static func refused(_ reason: String) -> WebImageError {
        .badData("lottie", "the document is refused: \(reason)")
    }

    /// Walks over the bytes by address: a pass over a large document must take little of the time of its drawing.
    private struct Reader {
        private var place: UnsafePointer<UInt8>
        private let end: UnsafePointer<UInt8>
        private let start: UnsafePointer<UInt8>

        private static let mostDepth = 200

        init(_ bytes: UnsafeRawBufferPointer) {
            let all = bytes.bindMemory(to: UInt8.self)
            // An empty document has no address.
            place = all.baseAddress ?? UnsafePointer(bitPattern: 1)!
            (start, end) = (place, place + all.count)
        }

        /// The next byte that is no blank.
        mutating func next() -> UInt8? {
            while place < end {
                defer { place += 1 }
                if place.pointee > 0x20 { return place.pointee }
            }
            return nil
        }

        /// Skips the rest of an object or a list, whose first bracket was read last, with all in it. Brackets of the wrong kind
        /// are left to rlottie, which ends at the first one.
        ///
        /// - Parameters:
        ///   - outerCount: The number of objects and lists around it.
        ///   - objects: Receives the place behind the first bracket of each object of a list.
        /// - Returns: False if it does not end, or is nested too deeply.
        mutating func skipToEnd(outerCount: Int, objects: ((Int) -> Void)?) -> Bool {
            var current = place
            var depth = outerCount + 1
            while current < end {
                let byte = current.pointee
                current += 1
                if byte == UInt8(ascii: "\"") {
                    while current < end, current.pointee != UInt8(ascii: "\"") {
                        current += current.pointee == UInt8(ascii: "\\") ? 2 : 1
                    }
                    current += 1
                } else if byte & 0xD9 == 0x59 {
                    // One comparison has found the four brackets and bytes that documents do not have outside of strings.
                    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                        if depth == outerCount + 1, byte == UInt8(ascii: "{") { objects?(current - start) }
                        depth += 1
                        guard depth <= Self.mostDepth else { return false }
                    } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                        depth -= 1
                        if depth == outerCount {
                            place = current
                            return true
                        }
                    }
                }
            }
            return false
        }

        /// The bytes of a string up to its end, still escaped, and whether they contain an escape.
        mutating func string() throws(WebImageError) -> (bytes: UnsafeBufferPointer<UInt8>, isEscaped: Bool) {
            let start = place
            var isEscaped = false
            while place < end, place.pointee != UInt8(ascii: "\"") {
                let isEscape = place.pointee == UInt8(ascii: "\\")
                isEscaped = isEscaped || isEscape
                place += isEscape ? 2 : 1
            }
            guard place < end else { throw LottieFacts.refused("a text does not end") }
            defer { place += 1 }
            return (UnsafeBufferPointer(start: start, count: place - start), isEscaped)
        }

        /// The number whose first byte was read last; nil if it is none.
        mutating func number() -> Double? {
            let isPart: (UInt8) -> Bool = { byte in
                (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
            }
            let start = place - 1
            guard isPart(start.pointee) else { return nil }
            while place < end, place - start < 40, isPart(place.pointee) { place += 1 }
            let text = UnsafeBufferPointer(start: start, count: place - start)
            return Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
