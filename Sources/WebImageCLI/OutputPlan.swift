import Foundation
import WebImage

/// The output names of one command. They depend only on the operands and their order and are determined before the
/// first load. So every run uses the same name for a picture, whatever load finishes first.
struct OutputPlan: Sendable {
    enum Existing: Sendable { case refused, replaced, kept }

    /// The output name of one picture. The extension may be missing, because it depends on the format of the picture.
    struct Target: Sendable, Equatable {
        let path: String
        /// The format that the extension in `--out` requests; nil if the extension comes from the operand.
        let format: ImageFormat?
        /// The format of the path's extension; nil if it has none.
        let named: ImageFormat?
    }

    let targets: [Target]
    let existing: Existing

    /// Parses `--out`, `--overwrite` and `--skip-existing`; nil without `--out`.
    init?(_ arguments: Arguments, _ operands: [Operand]) throws(UsageError) {
        guard !(arguments.has("overwrite") && arguments.has("skip-existing")) else {
            throw UsageError("--overwrite and --skip-existing exclude each other")
        }
        existing = arguments.has("overwrite") ? .replaced : arguments.has("skip-existing") ? .kept : .refused
        guard let text = arguments.string("out") else {
            guard existing == .refused else { throw UsageError("--overwrite and --skip-existing want --out") }
            return nil
        }
        guard !text.isEmpty else {
            throw UsageError("--out requires a folder, a template such as 'small/%s.webp', or -")
        }
        let template = try OutputTemplate(text, operandCount: operands.count)
        var taken = UsedNames()
        targets = try operands.enumerated().map { index, operand throws(UsageError) in
            if text == OutputFile.standardOutput { return Target(path: text, format: nil, named: nil) }
            let name = try template.name(for: operand, number: index + 1)
            let path = template.isOneFile ? name.path : taken.take(name.path)
            let named = name.fileExtension.map { ImageFormat(fileExtension: $0).container }
            return Target(path: path, format: name.isChosen ? named : nil, named: named)
        }
    }

    /// The path of a picture in `format`. An extension that matches the format is kept; otherwise the extension of
    /// the format is appended.
    static func path(of target: Target, format: ImageFormat) -> String {
        guard target.path != OutputFile.standardOutput, target.named != format.container else { return target.path }
        return target.path + "." + (format.name ?? "bin")
    }

    /// The extensions that ``path(of:format:)`` can append to a name.
    private static let extensions = [
        "jpeg", "png", "webp", "gif", "avif", "heic", "heif", "jxl", "svg", "tiff", "bmp", "ico", "pdf", "bin",
    ]

    /// An existing file with the target's name and any extension that could be appended; nil if there is none.
    static func existingFile(of target: Target) -> String? {
        guard target.path != OutputFile.standardOutput else { return nil }
        if access(target.path, F_OK) == 0 { return target.path }
        guard target.format == nil else { return nil }
        return extensions.map { target.path + "." + $0 }.first { access($0, F_OK) == 0 }
    }
}

/// The output names in use. Two names conflict if they are equal or if one is the other plus an extension.
private struct UsedNames {
    private var names: Set<String> = []
    /// The prefixes of all names in use that end before a dot.
    private var beginnings: Set<String> = []

    mutating func take(_ path: String) -> String {
        let folder = PathText.folder(of: path)
        let name = PathText.name(of: path)
        let tail = PathText.fileExtension(of: name)
        let stem = tail.isEmpty ? name : String(name.dropLast(tail.count + 1))
        var number = 1
        var candidate = path
        while isTaken(candidate) {
            number += 1
            let numbered = "\(stem)-\(number)" + (tail.isEmpty ? "" : "." + tail)
            candidate = folder.isEmpty ? numbered : folder == "/" ? "/" + numbered : folder + "/" + numbered
        }
        names.insert(candidate)
        beginnings.formUnion(Self.beginnings(of: candidate))
        return candidate
    }

    private func isTaken(_ path: String) -> Bool {
        names.contains(path) || beginnings.contains(path)
            || Self.beginnings(of: path).contains { names.contains($0) }
    }

    private static func beginnings(of path: String) -> [String] {
        path.indices.filter { path[$0] == "." }.map { String(path[..<$0]) }
    }
}
