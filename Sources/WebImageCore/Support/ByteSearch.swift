package import Foundation

extension UnsafeRawBufferPointer {
    /// Returns the offset of the first occurrence of a text. Finds the text's first byte with `memchr`, then
    /// compares the remaining bytes.
    package func offset(of text: StaticString) -> Int? {
        let length = text.utf8CodeUnitCount
        guard let start = baseAddress, length > 0, count >= length else { return nil }
        let last = start + (count - length)
        var place = start
        while place <= last, let found = memchr(place, Int32(text.utf8Start[0]), last - place + 1) {
            if memcmp(found, text.utf8Start, length) == 0 { return UnsafeRawPointer(found) - start }
            place = UnsafeRawPointer(found) + 1
        }
        return nil
    }
}

extension Data {
    /// Returns the range of the first occurrence of a text.
    ///
    /// The search of Foundation is not used, because each call would allocate an object for each operand.
    package func firstRange(of text: StaticString) -> Range<Index>? {
        guard let offset = withUnsafeBytes({ $0.offset(of: text) }) else { return nil }
        return startIndex + offset..<startIndex + offset + text.utf8CodeUnitCount
    }

    /// Returns whether the bytes contain a text.
    package func contains(_ text: StaticString) -> Bool { firstRange(of: text) != nil }
}
