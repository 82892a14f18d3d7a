/// Splits paths as text. Used instead of `NSString.deletingLastPathComponent`, because in Swift 6.3 that property traps
/// for a path of one character.
enum PathText {
    /// Returns the text before the last slash of a path. Returns `/` for a file in the root folder. Returns an empty
    /// text if the path has no slash.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the text after the last slash of a path, or the whole path if it has no slash.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Returns the text after the last dot of the file name. Returns an empty text if there is no dot, or if there is
    /// no text before the dot.
    static func fileExtension(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }
}
