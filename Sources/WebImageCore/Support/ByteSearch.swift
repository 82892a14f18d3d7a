package import Foundation

extension UnsafeRawBufferPointer {
    /// Returns the offset of the first occurrence of a text. libc searches for the text's first byte, then the
    /// remaining bytes are compared.
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
    /// Returns the first range of a text.
    ///
    /// Foundation's own search allocates an object for each operand in every call.
    package func firstRange(of text: StaticString) -> Range<Index>? {
        guard let offset = withUnsafeBytes({ $0.offset(of: text) }) else { return nil }
        return startIndex + offset..<startIndex + offset + text.utf8CodeUnitCount
    }

    /// Returns whether the bytes contain a text.
    package func contains(_ text: StaticString) -> Bool { firstRange(of: text) != nil }
}
