import Foundation

/// Removes markup for which libxml2 takes a time that grows with the square of its length, and which no page needs. The parser
/// cannot be interrupted meanwhile.
///
/// The text is read as the parser reads it: comments, scripts, and elements with quoted values.
enum PageMarkup {
    private static let mostAttributes = 256
    private static let filler = UInt8(ascii: "_")

    /// Overwrites such markup.
    static func tame(_ text: inout Data) {
        text.withUnsafeMutableBytes { bytes in
            var scan = Scan(bytes: bytes.bindMemory(to: UInt8.self))
            scan.run()
        }
    }

    private struct Scan {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        var place = 0

        mutating func run() {
            while let start = index(of: UInt8(ascii: "<"), from: place), start + 1 < bytes.count {
                place = start + 1
                switch bytes[place] {
                case UInt8(ascii: "?"): removeInstruction(start)
                case UInt8(ascii: "!") where has("!--", at: place): skipComment()
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): readElement()
                default: break
                }
            }
            place = bytes.count
        }

        /// A processing instruction is a comment up to the next `>`.
        private mutating func removeInstruction(_ start: Int) {
            let end = index(of: UInt8(ascii: ">"), from: place).map { $0 + 1 } ?? bytes.count
            for index in start..<end { bytes[index] = UInt8(ascii: " ") }
            place = end
        }

        private mutating func skipComment() {
            place += 3
            let (dash, mark) = (UInt8(ascii: "-"), UInt8(ascii: "!"))
            while let end = index(of: UInt8(ascii: ">"), from: place) {
                place = end + 1
                let last = bytes[end - 1] == mark ? end - 2 : end - 1
                if bytes[last] == dash, bytes[last - 1] == dash { return }
            }
            place = bytes.count
        }

        private mutating func readElement() {
            let start = place
            while place < bytes.count, !isEnd(bytes[place]) { place += 1 }
            let name = bytes[start..<min(place, start + 8)].map { $0 | 0x20 }
            var count = 0
            while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
                if bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: "/") {
                    // Without what separates them, further attributes are a part of the last one.
                    if count > mostAttributes { bytes[place] = filler }
                    place += 1
                } else {
                    count += 1
                    readAttribute(isKept: count <= mostAttributes)
                }
            }
            for raw in ["script", "style"] where name.elementsEqual(raw.utf8) { skipRaw(raw) }
        }

        private mutating func readAttribute(isKept: Bool) {
            func endsName(_ byte: UInt8) -> Bool { isEnd(byte) || byte == UInt8(ascii: "=") }
            let start = place
            while place < bytes.count, place == start || !endsName(bytes[place]) { place += 1 }
            var next = place
            while next < bytes.count, bytes[next] <= 0x20 { next += 1 }
            guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else { return fill(start..<place, !isKept) }
            next += 1
            while next < bytes.count, bytes[next] <= 0x20 { next += 1 }
            let quote = next < bytes.count ? bytes[next] : 0
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                place = index(of: quote, from: next + 1).map { $0 + 1 } ?? bytes.count
            } else {
                place = next
                while place < bytes.count, bytes[place] > 0x20, bytes[place] != UInt8(ascii: ">") { place += 1 }
            }
            fill(start..<place, !isKept)
        }

        private mutating func fill(_ range: Range<Int>, _ isWanted: Bool) {
            if isWanted { for index in range { bytes[index] = filler } }
        }

        private mutating func skipRaw(_ name: String) {
            while let end = index(of: UInt8(ascii: "<"), from: place) {
                place = end + 1
                if has("/" + name, at: place) { return }
            }
            place = bytes.count
        }

        private func isEnd(_ byte: UInt8) -> Bool {
            byte <= 0x20 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
        }

        private func has(_ word: String, at index: Int) -> Bool {
            index + word.utf8.count <= bytes.count
                && zip(bytes[index...], word.utf8).allSatisfy {
                    $0 == $1 || ($1 >= UInt8(ascii: "a") && $0 | 0x20 == $1)
                }
        }

        private func index(of byte: UInt8, from start: Int) -> Int? {
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }
}
