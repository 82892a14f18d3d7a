extension String {
    /// Whether both are the same but for the case of ASCII letters, as schemes and header names are compared; allocates
    /// nothing, in a debug build either.
    package func isSameIgnoringCase(_ other: String) -> Bool {
        // Nearly always; short strings are compared as two words.
        if self == other { return true }
        guard utf8.count == other.utf8.count else { return false }
        var (index, otherIndex) = (utf8.startIndex, other.utf8.startIndex)
        while index < utf8.endIndex {
            let (left, right) = (utf8[index], other.utf8[otherIndex])
            guard left == right || left ^ right == 0x20 && left | 0x20 >= 0x61 && left | 0x20 <= 0x7A else {
                return false
            }
            index = utf8.index(after: index)
            otherIndex = other.utf8.index(after: otherIndex)
        }
        return true
    }
}
