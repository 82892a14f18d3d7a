import Foundation

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

    /// Whether the text of a URL begins with one of these schemes.
    package func hasScheme(in schemes: [String]) -> Bool {
        // Compares text, because every memory hit runs this code and `URL.scheme` would create a string. By index, because
        // an iterator would allocate memory in a debug build.
        var index = 0
        while index < schemes.count {
            if hasScheme(schemes[index]) { return true }
            index += 1
        }
        return false
    }
}

extension UInt8 {
    /// Returns whether two bytes are equal, or are the upper-case and lower-case form of one ASCII letter.
    @inline(__always)
    fileprivate func isSameIgnoringCase(_ other: UInt8) -> Bool {
        self == other || self ^ other == 0x20 && self | 0x20 >= 0x61 && self | 0x20 <= 0x7A
    }
}

extension String {
    /// The extension of the last path component without its dot. Empty if the component has no extension. The result is
    /// the same as that of `NSString.pathExtension`, but `NSString.pathExtension` takes 20 times as long.
    package var fileExtension: String {
        let slash = UInt8(ascii: "/")
        var path = utf8[...]
        while path.last == slash { path.removeLast() }
        let start = path.lastIndex(of: slash).map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[start...].lastIndex(of: UInt8(ascii: ".")), dot > start else { return "" }
        return String(path[path.index(after: dot)...]) ?? ""
    }
}

extension String {
    /// Formats text like `printf(3)` in the C locale, so that numbers always have a decimal point.
    ///
    /// `String(format:)` uses the locale that `setlocale(3)` sets, and GTK calls `setlocale(3)`. In many European
    /// locales, cache keys and JSON would then contain a decimal comma.
    package init(plainFormat format: String, _ arguments: any CVarArg...) {
        let previous = Self.plainLocale.map { uselocale($0) }
        defer { if let previous { _ = uselocale(previous) } }
        self.init(format: format, arguments: arguments)
    }

    // `nonisolated(unsafe)` is correct because a locale does not change after its creation (newlocale(3)). All
    // categories of this locale are those of the C locale.
    nonisolated(unsafe) private static let plainLocale = newlocale(1 << LC_NUMERIC, "C", nil)
}

extension String {
    /// The text itself if it is short, otherwise a digest of it. Tables that remember keys for a long time store this
    /// text, so that a long key, such as a `data:` URL, does not occupy memory.
    package var boundedKey: String {
        guard utf8.count > Self.longestKey else { return self }
        // A digest begins with a zero byte, which no URL contains.
        return "\0" + ContentDigest(Data(utf8)).data.map { String(plainFormat: "%02x", $0) }.joined()
    }

    private static let longestKey = 512
}

extension Sequence<String> {
    /// Joins texts so that different lists always give different results: each text follows its length in bytes.
    package func joinedWithLengths(separator: String = "") -> String {
        map { "\($0.utf8.count):\($0)" }.joined(separator: separator)
    }
}

extension UInt8 {
    /// Whether the byte is a digit from 0 to 9 in ASCII.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is a letter from A to Z in ASCII, in upper or lower case.
    package var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
