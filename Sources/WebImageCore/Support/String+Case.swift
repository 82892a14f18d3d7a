extension String {
    /// Whether both are the same but for the case of ASCII letters, as schemes and header names are compared; allocates
    /// nothing.
    package func isSameIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { left, right in
            left == right || (left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20))
        }
    }
}
