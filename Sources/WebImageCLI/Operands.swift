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
    var isLocal: Bool { isStandardInput || InputSource.url(text).isFileURL }

    /// The last component of the path, percent-decoded. Empty if the operand has no file name.
    private var lastName: String {
        let url = InputSource.url(text)
        guard !isStandardInput, url.scheme != "data" else { return "" }
        return url.path.hasSuffix("/") && !url.isFileURL ? "" : url.lastPathComponent
    }

    /// The name of an output file for this picture, without extension. The name contains no slash, so it cannot name a
    /// file in another folder. It does not begin with a dot, so the file is not hidden.
    var stem: String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_. "))
        let given = fileExtension.isEmpty ? lastName : String(lastName.dropLast(fileExtension.count + 1))
        var stem = String(String.UnicodeScalarView(given.unicodeScalars.filter(allowed.contains)).prefix(100))
        stem = stem.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        return stem.isEmpty ? "picture" : stem
    }

    /// The extension of the file name in its original case. Empty if the extension is not that of a picture format.
    var fileExtension: String {
        let words = lastName.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count > 1, !words.dropLast().joined().isEmpty, let last = words.last,
            ImageFormat(fileExtension: String(last)) != .undefined
        else { return "" }
        return String(last)
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
        guard !texts.isEmpty else { throw UsageError("\(command) requires at least one URL or path") }
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

    /// Returns the names in a list file. Each line contains one name. Empty lines and lines that start with `#` are
    /// skipped.
    private static func lines(_ path: String, of option: String) throws(UsageError) -> [String] {
        try ListFile.text(path, of: option).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private static func isFolder(_ text: String) -> Bool {
        var isFolder: ObjCBool = false
        let url = InputSource.url(text)
        return url.isFileURL && FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// Returns the regular files in a folder and its subfolders, ordered by path. Only files with the extension of a
    /// picture format are returned. Hidden files and folders are skipped, and links are not followed.
    private static func files(below text: String) throws(UsageError) -> [Operand] {
        let top = InputSource.url(text).path
        guard let names = FileManager.default.enumerator(atPath: top) else {
            throw UsageError("the folder '\(text)' cannot be read")
        }
        var found: [String] = []
        for case let name as String in names {
            if name.split(separator: "/").last?.hasPrefix(".") == true {
                if names.fileAttributes?[.type] as? FileAttributeType == .typeDirectory { names.skipDescendants() }
                continue
            }
            guard !Operand(text: "/" + name).fileExtension.isEmpty,
                names.fileAttributes?[.type] as? FileAttributeType == .typeRegular
            else { continue }
            found.append(name)
        }
        let prefix = text.hasSuffix("/") ? text : text + "/"
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { name in
            Operand(text: prefix + name, folder: PathText.folder(of: name))
        }
    }
}
