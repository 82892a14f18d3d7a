import Foundation
import WebImageCore

/// What a Lottie document says at its top, read in one pass. The pass also refuses what rlottie must not see: deep nesting,
/// which its recursive reader would follow, and pictures in other files.
struct LottieFacts {
    private(set) var width = 0.0
    private(set) var height = 0.0
    /// The first frame.
    private(set) var start = 0.0
    /// The frame after the last one.
    private(set) var end = 0.0
    /// Frames in a second.
    private(set) var rate = 0.0

    private static let mostDepth = 200

    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        var reader = Reader(bytes)
        var depth = 0
        // For each open object: whether the next string is a name, and the last name.
        var levels: [(isObject: Bool, name: String)] = []
        var expectsName = false
        while let byte = reader.next() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= Self.mostDepth else { throw Self.refused("it is nested too deeply") }
                levels.append((byte == UInt8(ascii: "{"), ""))
                expectsName = byte == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0, levels.removeLast().isObject == (byte == UInt8(ascii: "}")) else {
                    throw Self.refused("its brackets do not match")
                }
                depth -= 1
                expectsName = false
            case UInt8(ascii: ","): expectsName = levels.last?.isObject ?? false
            case UInt8(ascii: ":"): expectsName = false
            case UInt8(ascii: "\""):
                let text = try reader.string()
                if expectsName, !levels.isEmpty {
                    // No writer escapes a name, and an escaped one could hide what follows.
                    guard !text.contains(UInt8(ascii: "\\")) else { throw Self.refused("a name is escaped") }
                    levels[levels.count - 1].name = text.count > 32 ? "" : String(decoding: text, as: UTF8.self)
                } else if levels.first?.name == "assets", depth == 3, ["p", "u"].contains(levels[2].name) {
                    let isInside = levels[2].name == "u" ? text.isEmpty : text.starts(with: "data:".utf8)
                    guard isInside else { throw Self.refused("it shows pictures of other files") }
                }
            default:
                guard depth == 1, let number = reader.number(from: byte) else { continue }
                switch levels[0].name {
                case "w": width = number
                case "h": height = number
                case "ip": start = number
                case "op": end = number
                case "fr": rate = number
                default: continue
                }
            }
        }
        guard depth == 0, width >= 1, height >= 1, width < 1e6, height < 1e6 else {
            throw Self.refused("it has no size or does not end")
        }
        guard rate > 0, rate <= 1000, end > start, end - start < 1e7 else { throw Self.refused("it has no frames") }
    }

    private static func refused(_ reason: String) -> WebImageError {
        .badData("lottie", "the document is refused: \(reason)")
    }

    private struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var place = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// The next byte that is no blank.
        mutating func next() -> UInt8? {
            while place < bytes.count {
                defer { place += 1 }
                if bytes[place] > 0x20 { return bytes[place] }
            }
            return nil
        }

        /// The bytes of a string up to its end, still escaped.
        mutating func string() throws(WebImageError) -> Slice<UnsafeRawBufferPointer> {
            let start = place
            while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
                place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard place < bytes.count else { throw LottieFacts.refused("a text does not end") }
            place += 1
            return bytes[start..<place - 1]
        }

        /// The number that begins with a byte; nil if it is none.
        mutating func number(from first: UInt8) -> Double? {
            let isPart: (UInt8) -> Bool = { byte in
                (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
            }
            guard isPart(first) else { return nil }
            let start = place - 1
            while place < bytes.count, place - start < 40, isPart(bytes[place]) { place += 1 }
            return Double(String(decoding: bytes[start..<place], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
