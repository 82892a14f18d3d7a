import Foundation
import WebImage

/// The output names of all pictures of a command line. The command determines the names before the first load. The
/// names depend only on the options, the operands and their order. Every run therefore uses the same names, even if the
/// loads finish in another order.
struct OutputNames: Sendable {
    enum Existing: Sendable { case refused, replaced, kept }

    /// The output name of one picture. If the extension depends on the format of the picture, the name has no extension
    /// yet.
    struct Target: Sendable, Equatable {
        let path: String
        /// The format that the extension in `--out` requests. Nil if `--out` contains no extension.
        let format: ImageFormat?
        /// The format that the extension of `path` names. Nil if `path` has no extension.
        let named: ImageFormat?
    }

    let targets: [Target]
    let existing: Existing

    /// Parses `--overwrite` and `--skip-existing`.
    static func existing(_ arguments: Arguments) throws(UsageError) -> Existing {
        guard !(arguments.has("overwrite") && arguments.has("skip-existing")) else {
            throw UsageError("--overwrite and --skip-existing exclude each other")
        }
        return arguments.has("overwrite") ? .replaced : arguments.has("skip-existing") ? .kept : .refused
    }

    /// Parses `--out`, `--overwrite` and `--skip-existing`. Returns nil if `--out` is missing.
    init?(_ arguments: Arguments, _ operands: [Operand]) throws(UsageError) {
        let existing = try Self.existing(arguments)
        guard let text = arguments.string("out") else {
            guard existing == .refused else { throw UsageError("--overwrite and --skip-existing require --out") }
            return nil
        }
        guard !text.isEmpty else {
            throw UsageError("--out requires a folder, a template such as 'small/%s.webp', or -")
        }
        try self.init(out: text, operands, existing)
    }

    /// Determines the names of the output files.
    ///
    /// - Parameter text: A folder, the path of one file, or a path with the fields of ``OutputTemplate``.
    init(out text: String, _ operands: [Operand], _ existing: Existing) throws(UsageError) {
        self.existing = existing
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

    /// Returns the path of a picture that is written in `format`. If the target's extension names another format, or no
    /// format, the extension of `format` is appended.
    static func path(of target: Target, format: ImageFormat) -> String {
        guard target.path != OutputFile.standardOutput, target.named != format.container else { return target.path }
        return target.path + "." + (format.name ?? "bin")
    }

    /// The extensions that ``path(of:format:)`` can append to a name.
    private static let extensions = [
        "jpeg", "png", "webp", "gif", "avif", "heic", "heif", "jxl", "svg", "tiff", "bmp", "ico", "pdf", "bin",
    ]

    /// Returns the path of an existing output file of a target. The file has the target's path, or this path plus an
    /// extension that ``path(of:format:)`` can append. Nil if there is no such file.
    static func existingFile(of target: Target) -> String? {
        guard target.path != OutputFile.standardOutput else { return nil }
        if PathCalls.exists(target.path) { return target.path }
        guard target.format == nil else { return nil }
        return extensions.map { target.path + "." + $0 }.first { PathCalls.exists($0) }
    }
}

/// The output names in use. Two names conflict if they are equal. They also conflict if one name is the other name plus
/// an extension, because ``OutputNames/path(of:format:)`` can append an extension.
private struct UsedNames {
    private var names: Set<String> = []
    /// The beginnings of all names in use. For each dot in a name, the set contains the text before the dot.
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
