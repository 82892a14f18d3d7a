import Foundation
import WebImage

/// One picture of a command line.
struct Operand: Sendable {
    /// The text of the operand. If the operand is a folder, the path of one file in the folder.
    let text: String
    /// If the operand is a folder, the relative path from this folder to the folder that contains the file. Empty if
    /// the operand is the file itself, or if the file is directly in the operand's folder.
    var folder = ""

    var isStandardInput: Bool { text == InputSource.standardInput }
    var isLocal: Bool { isStandardInput || path != nil }

    /// The path of a local file. Nil for standard input and for other URLs.
    var path: String? { InputSource.localPath(text) }

    /// The last component of the path, percent-decoded. Empty if the operand has no file name.
    private var lastName: String {
        guard !isStandardInput else { return "" }
        if let path { return PathText.name(of: path) }
        let url = InputSource.url(text)
        return url.scheme == "data" || url.path.hasSuffix("/") ? "" : url.lastPathComponent
    }

    /// The name of an output file for this picture, without extension. The name contains no slash, so it cannot name a
    /// file in another folder. The name of a local file is kept. In a name from a server, only letters, digits and
    /// `-_. ` are kept. Such a name does not begin with a dot, so the file is not hidden.
    var stem: String {
        let given = fileExtension.isEmpty ? lastName : PathText.withoutExtension(lastName)
        if path != nil { return ["", ".", ".."].contains(given) ? "picture" : given }
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_. "))
        var stem = String(String.UnicodeScalarView(given.unicodeScalars.filter(allowed.contains)).prefix(100))
        stem = stem.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        return stem.isEmpty ? "picture" : stem
    }

    /// The extension of the file name in its original case. Empty if the extension is not that of a picture format.
    var fileExtension: String {
        let last = PathText.fileExtension(of: lastName)
        let stem = PathText.withoutExtension(lastName)
        guard !last.isEmpty, stem.contains(where: { $0 != "." }), ImageFormat(fileExtension: last) != .undefined else {
            return ""
        }
        return last
    }
}

/// Collects the pictures of a command line from its operands, list files and folders.
enum Operands {
    /// Returns the pictures of a command line: first the pictures of the operands, then those of the `--input` lists.
    ///
    /// - Throws: `UsageError` if there is no picture, if a list cannot be read, or if standard input is used twice.
    static func read(_ arguments: Arguments, of command: String) throws(UsageError) -> [Operand] {
        var texts: [String] = []
        for text in arguments.operands {
            texts += text.hasPrefix("@") ? try lines(String(text.dropFirst()), of: text) : [text]
        }
        for path in arguments.strings("input") { texts += try lines(path, of: "--input") }
        guard !texts.isEmpty else {
            throw UsageError(
                arguments.strings("input").isEmpty
                    ? "\(command) requires at least one URL or path" : "the lists of --input name no picture")
        }
        var operands: [Operand] = []
        for text in texts {
            operands += arguments.has("recursive") && isFolder(text) ? try files(below: text) : [Operand(text: text)]
        }
        guard operands.filter(\.isStandardInput).count <= 1 else {
            throw UsageError("standard input can be read only once")
        }
        guard !operands.isEmpty else { throw UsageError("there is no picture in these folders") }
        return operands
    }

    /// Returns the names in a list file. Each line contains one name. Spaces around the name, empty lines and lines
    /// that start with `#` are skipped. If the file contains a byte 0, as the output of `find -print0`, each name ends at
    /// such a byte and is used unchanged.
    private static func lines(_ path: String, of option: String) throws(UsageError) -> [String] {
        let bytes = try ListFile.bytes(path, of: option)
        if bytes.contains(0) { return bytes.split(separator: 0).map { RawText.string($0) } }
        return bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { RawText.string($0).trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private static func isFolder(_ text: String) -> Bool {
        InputSource.localPath(text).map(PathCalls.isFolder) ?? false
    }

    /// Returns the regular files in a folder and its subfolders, ordered by path. Only files with the extension of a
    /// picture format are returned. Hidden files and folders are skipped, and links are not followed.
    private static func files(below text: String) throws(UsageError) -> [Operand] {
        let top = InputSource.localPath(text) ?? text
        guard let entries = PathCalls.entries(of: top) else {
            throw UsageError("the folder \(RawText.shown(text)) cannot be read")
        }
        var found: [String] = []
        // A list instead of a recursion, because folders can be nested deeply. An unreadable subfolder is skipped.
        var pending = [("", entries)]
        while let (folder, entries) = pending.popLast() {
            for entry in entries where !entry.name.unicodeScalars.starts(with: ["."]) {
                let name = folder + entry.name
                switch entry.kind {
                case .folder: pending.append((name + "/", PathCalls.entries(of: top + "/" + name) ?? []))
                case .file where !Operand(text: "/" + name).fileExtension.isEmpty: found.append(name)
                case .file, .other: break
                }
            }
        }
        let prefix = text.hasSuffix("/") ? text : text + "/"
        return found.sorted { RawText.bytes(of: $0).lexicographicallyPrecedes(RawText.bytes(of: $1)) }.map { name in
            Operand(text: prefix + name, folder: PathText.folder(of: name))
        }
    }
}
