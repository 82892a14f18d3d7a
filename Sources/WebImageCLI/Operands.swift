import Foundation
import WebImage

/// One picture named on the command line.
struct Operand: Sendable {
    /// The operand as given, or the path of a file that was found in a folder.
    let text: String
    /// The subfolder of the operand in which the file was found; empty if the operand names the file itself.
    var folder = ""

    var isStandardInput: Bool { text == InputSource.standardInput }
    var isLocal: Bool { isStandardInput || InputSource.url(text).isFileURL }

    /// The last part of the path, percent-decoded; empty if the operand has no file name.
    private var lastName: String {
        let url = InputSource.url(text)
        guard !isStandardInput, url.scheme != "data" else { return "" }
        return url.path.hasSuffix("/") && !url.isFileURL ? "" : url.lastPathComponent
    }

    /// The name without extension for an output file of this picture. It contains no slash and begins with no dot, so
    /// the file stays in its folder and is not hidden.
    var stem: String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_. "))
        let given = fileExtension.isEmpty ? lastName : String(lastName.dropLast(fileExtension.count + 1))
        var stem = String(String.UnicodeScalarView(given.unicodeScalars.filter(allowed.contains)).prefix(100))
        stem = stem.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        return stem.isEmpty ? "picture" : stem
    }

    /// The extension of the file name in its original case if it is the extension of a picture format; otherwise empty.
    var fileExtension: String {
        let words = lastName.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count > 1, !words.dropLast().joined().isEmpty, let last = words.last,
            ImageFormat(fileExtension: String(last)) != .undefined
        else { return "" }
        return String(last)
    }
}

/// Collects the pictures that the operands, lists and folders of a command line name, in their order.
enum Operands {
    /// Returns the pictures of a command line.
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

    /// The names in a list file, one per line. Empty lines and lines that start with `#` are skipped.
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

    /// All regular files below a folder that have the extension of a picture format, ordered by path. Hidden files
    /// and folders are skipped, and links are not followed.
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
