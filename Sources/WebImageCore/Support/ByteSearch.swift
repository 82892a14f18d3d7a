package import Foundation

extension UnsafeRawBufferPointer {
    /// Where a text stands first; libc looks for its first byte and compares the rest.
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
    /// Where a text stands first.
    ///
    /// Foundation's own search makes an object of either side, in every call.
    package func firstRange(of text: StaticString) -> Range<Index>? {
        guard let offset = withUnsafeBytes({ $0.offset(of: text) }) else { return nil }
        return startIndex + offset..<startIndex + offset + text.utf8CodeUnitCount
    }

    /// Whether a text stands anywhere.
    package func contains(_ text: StaticString) -> Bool { firstRange(of: text) != nil }
}
