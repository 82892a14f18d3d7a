/// Reads the boxes of a HEIF or AVIF file (ISO/IEC 14496-12 §4.2). A field that lies outside of its box is an error.
package struct HEIFBoxReader {
    package struct Box {
        package var type: String
        package var content: Range<Int>

        package init(type: String, content: Range<Int>) { (self.type, self.content) = (type, content) }
    }

    package let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the boxes in a range. If the last box is longer than the rest of the range, it is returned as if it
    /// ended at the end of the range.
    package func boxes(in range: Range<Int>) throws(WebImageError) -> [Box] {
        var found: [Box] = []
        var offset = range.lowerBound
        let all = Box(type: "", content: range)
        while range.upperBound - offset >= 8 {
            var (size, head) = (try number(at: offset, bytes: 4, in: all), 8)
            if size == 1 { (size, head) = (try number(at: offset + 8, bytes: 8, in: all), 16) }
            if size == 0 { size = range.upperBound - offset }
            guard size >= head else { throw Self.unreadable("a box is too small") }
            let end = offset + min(size, range.upperBound - offset)
            found.append(
                Box(
                    type: try type(at: offset + 4, in: all), content: offset + head..<max(offset + head, end))
            )
            guard found.count <= 1 << 20 else { throw Self.unreadable("it has too many boxes") }
            offset = end
        }
        return found
    }

    package func version(of box: Box) throws(WebImageError) -> Int {
        try number(at: box.content.lowerBound, bytes: 1, in: box)
    }

    package func rest(of range: Range<Int>, after count: Int) -> Range<Int> {
        min(range.lowerBound + count, range.upperBound)..<range.upperBound
    }

    package func number(at offset: Int, bytes count: Int, in box: Box) throws(WebImageError) -> Int {
        guard offset >= box.content.lowerBound, offset <= box.content.upperBound - count else {
            throw Self.unreadable("a box ends too early")
        }
        let value = bytes[offset..<offset + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value), number < 1 << 48 else {
            throw Self.unreadable("a number is too large")
        }
        return number
    }

    package func type(at offset: Int, in box: Box) throws(WebImageError) -> String {
        _ = try number(at: offset, bytes: 4, in: box)
        return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    package static func unreadable(_ why: String) -> WebImageError {
        .badData("HEIF", why, hint: "Fetch the file again, or convert it.")
    }
}
