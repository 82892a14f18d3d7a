/// Splits paths as text. Used instead of `NSString.deletingLastPathComponent`, because in Swift 6.3 that property traps
/// for a path of one character. The functions compare scalars, because a combining character at the start of a file
/// name forms one `Character` with the slash before it.
enum PathText {
    /// Returns the text before the last slash of a path. Returns `/` for a file in the root folder. Returns an empty
    /// text if the path has no slash.
    static func folder(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path.unicodeScalars[..<slash])
    }

    /// Returns the text after the last slash of a path, or the whole path if it has no slash.
    static func name(of path: String) -> String {
        let scalars = path.unicodeScalars
        return scalars.lastIndex(of: "/").map { String(scalars[scalars.index(after: $0)...]) } ?? path
    }

    /// Returns a file name without its last dot and the text after it.
    static func withoutExtension(_ name: String) -> String {
        name.unicodeScalars.lastIndex(of: ".").map { String(name.unicodeScalars[..<$0]) } ?? name
    }

    /// Returns the text after the last dot of the file name. Returns an empty text if there is no dot, or if there is
    /// no text before the dot.
    static func fileExtension(of path: String) -> String {
        let scalars = name(of: path).unicodeScalars
        guard let dot = scalars.lastIndex(of: "."), dot != scalars.startIndex else { return "" }
        return String(scalars[scalars.index(after: dot)...])
    }
}
