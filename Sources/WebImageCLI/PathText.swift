/// Splits paths as text. It replaces `NSString.deletingLastPathComponent`, which traps for a path of one character
/// (Swift 6.3).
enum PathText {
    /// The path before its last slash; `/` for a file in the root, empty if the path has no slash.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The text after the last slash.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The text after the last dot of the file name; empty if there is no dot or no text before the dot.
    static func fileExtension(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }
}
