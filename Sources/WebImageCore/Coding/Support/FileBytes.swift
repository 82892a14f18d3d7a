/// Functions that read numbers and tags from the bytes of a file. For an offset outside the file, a function returns
/// nil (or false) instead of trapping.
extension UnsafeRawBufferPointer {
    /// Returns the range of `count` bytes from `offset`. Returns nil if any of these bytes is outside the file.
    package func range(at offset: Int, count: Int) -> Range<Int>? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { return nil }
        return offset..<offset + count
    }

    package func byte(at offset: Int) -> UInt8? {
        offset >= 0 && offset < count ? self[offset] : nil
    }

    package func littleEndian16(at offset: Int) -> Int? {
        guard range(at: offset, count: 2) != nil else { return nil }
        return Int(self[offset]) | Int(self[offset + 1]) << 8
    }

    package func littleEndian24(at offset: Int) -> Int? {
        guard range(at: offset, count: 3) != nil else { return nil }
        return Int(self[offset]) | Int(self[offset + 1]) << 8 | Int(self[offset + 2]) << 16
    }

    package func littleEndian32(at offset: Int) -> Int? {
        guard let low = littleEndian16(at: offset), let high = littleEndian16(at: offset + 2) else { return nil }
        return low | high << 16
    }

    package func bigEndian16(at offset: Int) -> Int? {
        guard range(at: offset, count: 2) != nil else { return nil }
        return Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    package func bigEndian32(at offset: Int) -> Int? {
        guard let high = bigEndian16(at: offset), let low = bigEndian16(at: offset + 2) else { return nil }
        return high << 16 | low
    }

    /// Returns the tag at `offset`: four characters.
    package func tag(at offset: Int) -> FourCC? {
        bigEndian32(at: offset).map { FourCC(rawValue: UInt32($0)) }
    }

    /// Returns whether the bytes at `offset` are the characters of `text`.
    package func has(_ text: StaticString, at offset: Int) -> Bool {
        guard let range = range(at: offset, count: text.utf8CodeUnitCount) else { return false }
        return self[range].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// The name of a chunk: four characters.
package struct FourCC: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    package let rawValue: UInt32

    /// The characters. A byte that is not a letter becomes a question mark.
    package var text: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        return String(bytes.map { Character(Unicode.Scalar(UInt8(ascii: "A")...UInt8(ascii: "z") ~= $0 ? $0 : 0x3F)) })
    }

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(stringLiteral value: StaticString) {
        precondition(value.utf8CodeUnitCount == 4, "a chunk's name has four characters")
        // Parsers compare each chunk with literals: a generic `reduce` would take most of their time in a debug build.
        let text = value.utf8Start
        let (first, second) = (UInt32(text[0]) << 24 | UInt32(text[1]) << 16, UInt32(text[2]) << 8 | UInt32(text[3]))
        rawValue = first | second
    }
}
