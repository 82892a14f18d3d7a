import Foundation
import WebImage
import WebImageCommandLine

/// `webimage init`: creates a package that uses this library.
enum InitCommand {
    static let text = CommandText(
        name: "init", head: "init gtk|server|tool NAME",
        summary: "create a package that uses this library",
        usage: ["webimage init (gtk|server|tool) NAME [--library PATH|URL]"],
        parts: [
            .text(
                """
                Makes the folder NAME with a Swift package that builds and runs: manifest, main, a test, and for gtk a desktop
                file and AppStream metadata, for server a systemd unit. NAME has lower-case letters, digits and hyphens, and
                may follow the path of a folder.
                """),
            .words([
                ("gtk", "a program with a window that shows pictures"),
                ("server", "an HTTP service that scales pictures down"),
                ("tool", "a command that scales pictures down"),
            ]),
            .options([
                .value(
                    "library", "WHERE",
                    """
                    this library: a clone's folder, or the URL of its repository
                    (default: the clone in which this command was built; an installed command takes a
                    clone swift-web-image in the current folder or beside it)
                    """),
                .quiet,
            ]),
            .examples([
                "webimage init gtk my-viewer",
                "webimage init server ../my-service",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        guard arguments.operands.count == 2, let kind = PackageTemplate.Kind(rawValue: arguments.operands[0]) else {
            throw UsageError("init requires gtk, server or tool, and a NAME")
        }
        // A shell completes the name of a folder with a slash.
        let folder =
            arguments.operands[1].hasSuffix("/") ? String(arguments.operands[1].dropLast()) : arguments.operands[1]
        let name = PathText.name(of: folder)
        guard PackageTemplate.isName(name) else {
            throw UsageError(
                "a NAME has lower-case letters, digits and single hyphens, begins with a letter, and has at most 50 "
                    + "characters; '\(name)' has not")
        }
        guard let place = arguments.string("library") ?? clone else {
            throw UsageError(
                "init does not know where this library is. Add --library with the folder of a clone or the URL of the "
                    + "repository, or run init beside a clone named swift-web-image")
        }
        let library = try PackageTemplate.Library(place, ofPackageIn: PathText.folder(of: folder))
        guard let templates = templates(of: place) else {
            throw UsageError(
                "init does not find its templates. Add --library with the folder of a clone, or run init beside a clone "
                    + "named swift-web-image")
        }
        let isQuiet = arguments.has("quiet")
        let template = PackageTemplate(kind: kind, name: name, folder: folder, library: library)
        return {
            do throws(WebImageError) {
                guard !PathCalls.exists(folder) else {
                    throw .posix(
                        EEXIST, stage: .store, url: URL(fileURLWithPath: folder),
                        hint: "Choose another name, or remove it.")
                }
                for file in try template.files(from: templates) {
                    let path = folder + "/" + file.path
                    try OutputFile.makeFolder(PathText.folder(of: path))
                    try OutputFile.write(Data(file.text.utf8), to: path, replaces: false)
                    if !isQuiet { Console.line(path) }
                }
            } catch {
                Console.report(folder, error)
                return error.exitCode
            }
            if !isQuiet { Console.status(template.nextSteps) }
            return .ok
        }
    }

    /// The folder of the templates: beside an installed command, else in a clone.
    private static func templates(of library: String) -> String? {
        let clones = [checkout, library, clone].compactMap { $0 }.filter { isClone($0) == true }
        return ([PathText.folder(of: executable) + "/../share/webimage/templates"] + clones.map { $0 + "/Templates" })
            .first { PathCalls.exists($0) }
    }

    /// The path of this program.
    private static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    }

    /// A clone of this library: the one in which this program was built, or else one in the current folder or beside it.
    private static var clone: String? {
        checkout ?? ["swift-web-image", "../swift-web-image"].first { isClone($0) == true }
    }

    /// The folder of the source code from which this program was built. Nil if the folder is not known.
    private static var checkout: String? {
        var folder = PathText.folder(of: executable)
        while folder.count > 1 {
            if let isClone = isClone(folder) { return isClone ? folder : nil }
            folder = PathText.folder(of: folder)
        }
        return nil
    }

    /// Whether a folder is a clone of this library; nil if it is no package at all.
    private static func isClone(_ folder: String) -> Bool? {
        (try? String(contentsOfFile: folder + "/Package.swift", encoding: .utf8))?
            .contains("name: \"swift-web-image\"")
    }
}
