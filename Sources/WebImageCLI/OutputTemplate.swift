import Foundation
import WebImage

/// The value of `--out`. It is a folder, the path of one file, or a path with fields such as `%s` that are replaced for
/// each picture.
struct OutputTemplate: Sendable {
    /// The output name of one picture.
    struct Name: Sendable {
        let path: String
        let fileExtension: String?
        /// Whether the template contains the extension. In that case, the template determines the format.
        let isChosen: Bool
    }

    private let text: String
    private let hasFields: Bool
    private let digits: Int
    /// Whether the template is the path of one file.
    let isOneFile: Bool

    init(_ text: String, operandCount: Int) throws(UsageError) {
        self.text = text
        hasFields = text.contains("%")
        digits = String(operandCount).count
        let namesPicture = ImageFormat(fileExtension: PathText.fileExtension(of: text)) != .undefined
        isOneFile = !hasFields && namesPicture && !PathCalls.isFolder(text)
        guard !isOneFile || operandCount == 1 else {
            throw UsageError(
                "--out \(text) is one file for \(operandCount) pictures; give a template such as '%s.webp'")
        }
        guard !(text == OutputFile.standardOutput && operandCount != 1) else {
            throw UsageError("--out - takes one picture, not \(operandCount)")
        }
    }

    func name(for operand: Operand, number: Int) throws(UsageError) -> Name {
        let own = operand.fileExtension.isEmpty ? nil : operand.fileExtension
        if isOneFile {
            return Name(path: text, fileExtension: PathText.fileExtension(of: text), isChosen: true)
        }
        guard hasFields else {
            let folder = [text, operand.folder].filter { !$0.isEmpty }.joined(separator: "/")
            return Name(
                path: folder + "/" + operand.stem + (own.map { "." + $0 } ?? ""), fileExtension: own, isChosen: false)
        }
        var path = try filled(operand, number: number, ownExtension: own)
        let last = PathText.fileExtension(of: path)
        if text.hasSuffix("%e") || ImageFormat(fileExtension: PathText.fileExtension(of: text)) == .undefined {
            if !text.hasSuffix("%e"), let own { path += "." + own }
            return Name(path: path, fileExtension: own, isChosen: false)
        }
        return Name(path: path, fileExtension: last, isChosen: true)
    }

    private func filled(_ operand: Operand, number: Int, ownExtension own: String?) throws(UsageError) -> String {
        var path = ""
        var rest = text[...]
        while let percent = rest.firstIndex(of: "%") {
            path += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            switch rest.popFirst() {
            case "s": path += operand.stem
            case "d":
                // If the picture is not in a subfolder, remove the slash after the field. Otherwise the result would be
                // "small//a.webp".
                if operand.folder.isEmpty, rest.first == "/" { rest = rest.dropFirst() }
                path += operand.folder
            case "n": path += String(repeating: "0", count: max(0, digits - String(number).count)) + String(number)
            case "e":
                // If the operand has no extension, remove the dot before the field.
                if own == nil, path.hasSuffix(".") { path.removeLast() }
                path += own ?? ""
            case "%": path += "%"
            case let letter:
                throw UsageError("--out supports %s, %d, %n, %e and %%, not '%\(letter.map { String($0) } ?? "")'")
            }
        }
        return path + rest
    }
}
