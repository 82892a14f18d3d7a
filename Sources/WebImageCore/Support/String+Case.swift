extension String {
    /// Returns whether both strings are equal apart from upper and lower case of ASCII letters. This comparison is used
    /// for URL schemes and header names. It does not allocate memory, even in a debug build.
    package func isSameIgnoringCase(_ other: String) -> Bool {
        // Try `==` first: usually the strings are equal, and `==` compares short strings quickly, as two machine words.
        if self == other { return true }
        guard utf8.count == other.utf8.count else { return false }
        var (index, otherIndex) = (utf8.startIndex, other.utf8.startIndex)
        while index < utf8.endIndex {
            guard utf8[index].isSameIgnoringCase(other.utf8[otherIndex]) else { return false }
            index = utf8.index(after: index)
            otherIndex = other.utf8.index(after: otherIndex)
        }
        return true
    }

    /// Returns whether the text of a URL begins with this scheme and a colon. The comparison ignores the case of ASCII
    /// letters.
    package func hasScheme(_ scheme: String) -> Bool {
        let (text, scheme) = (utf8.span, scheme.utf8.span)
        guard text.count > scheme.count else { return false }
        var index = 0
        while index < scheme.count {
            guard text[index].isSameIgnoringCase(scheme[index]) else { return false }
            index += 1
        }
        return text[index] == UInt8(ascii: ":")
    }
}

extension UInt8 {
    /// Returns whether two bytes are equal, or are the upper-case and lower-case form of one ASCII letter.
    @inline(__always)
    fileprivate func isSameIgnoringCase(_ other: UInt8) -> Bool {
        self == other || self ^ other == 0x20 && self | 0x20 >= 0x61 && self | 0x20 <= 0x7A
    }
}
