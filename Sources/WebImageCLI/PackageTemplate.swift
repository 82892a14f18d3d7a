import Foundation
import WebImage

/// The files of a new package.
struct PackageTemplate: Sendable {
    enum Kind: String, Sendable { case gtk, server, tool }

    struct File: Sendable {
        let path: String
        let text: String
    }

    /// The reference of the new package to this library.
    struct Library: Sendable {
        /// The dependency in the syntax of `Package.swift`.
        let dependency: String
        /// The name of this package in product dependencies of the new package.
        let package: String

        /// - Parameters:
        ///   - place: A folder, or the URL of a repository.
        ///   - parent: The folder of the new package's folder; empty for the current folder.
        init(_ place: String, ofPackageIn parent: String) throws(UsageError) {
            guard !place.isEmpty, !place.contains(where: { $0 == "\"" || $0 == "\\" || $0.isNewline }) else {
                throw UsageError("--library requires a folder or the URL of a repository")
            }
            guard place.contains("://") || place.hasPrefix("git@") else {
                // A relative path refers to the current folder. A package in the current folder is one folder deeper,
                // so the path needs an additional `../`. For a package elsewhere the path is made absolute.
                let absolute = URL(fileURLWithPath: place).standardizedFileURL.path
                let path = place.hasPrefix("/") ? place : parent.isEmpty ? "../" + place : absolute
                dependency = ".package(name: \"swift-web-image\", path: \"\(path)\")"
                package = "swift-web-image"
                return
            }
            dependency = ".package(url: \"\(place)\", from: \"\(WebImageCommand.version)\")"
            let last = place.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? place
            package = last.hasSuffix(".git") ? String(last.dropLast(4)) : last
        }
    }

    let kind: Kind
    let name: String
    /// The path of the new package: the name, or another folder's path and the name.
    let folder: String
    let library: Library

    static func isName(_ name: String) -> Bool {
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        return name.utf8.count <= 50 && name.first?.isLetter == true
            && words.allSatisfy { word in
                !word.isEmpty && word.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
            } && name != "test"
    }

    /// The name of the package as a Swift type name. For example, `photo-wall` becomes `PhotoWall`.
    private var typeName: String { name.split(separator: "-").map(\.capitalized).joined() }

    /// The name of the package as a title. For example, `photo-wall` becomes `Photo Wall`.
    private var title: String { name.split(separator: "-").map(\.capitalized).joined(separator: " ") }

    /// The files of the new package, the manifest first: those of the template and those that all templates share.
    ///
    /// - Parameter templates: The folder `Templates` of this library. Each template in it is a package that builds there.
    func files(from templates: String) throws(WebImageError) -> [File] {
        var files: [File] = []
        for path in try paths(in: templates + "/" + kind.rawValue) {
            files.append(try file(path, in: templates + "/" + kind.rawValue))
        }
        for path in [".gitignore", ".swift-format"] { files.append(try file(path, in: templates)) }
        return files
    }

    /// The template's files without what a build in its folder leaves.
    private func paths(in folder: String) throws(WebImageError) -> [String] {
        let found: [String]
        do { found = try FileManager.default.subpathsOfDirectory(atPath: folder) } catch {
            throw .posix(ENOENT, stage: .store, url: URL(fileURLWithPath: folder), hint: Self.advice)
        }
        let paths = found.filter { path in
            var isFolder: ObjCBool = false
            return !path.hasPrefix(".") && path != "Package.resolved"
                && FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        return ["Package.swift"] + paths.filter { $0 != "Package.swift" }.sorted()
    }

    private func file(_ path: String, in folder: String) throws(WebImageError) -> File {
        guard let text = try? String(contentsOfFile: folder + "/" + path, encoding: .utf8) else {
            throw .posix(ENOENT, stage: .store, url: URL(fileURLWithPath: folder + "/" + path), hint: Self.advice)
        }
        return File(path: filled(path), text: filled(text))
    }

    private static let advice = "Install webimage again, or add --library with the folder of a complete clone."

    /// Instructions for the next steps with the new package.
    var nextSteps: String {
        let run =
            switch kind {
            case .gtk: "swift run \(name) PICTURE-OR-URL"
            case .server: "swift run \(name)"
            case .tool: "swift run \(name) 320 PICTURE-OR-URL"
            }
        return "Next: cd \(folder), then 'swift test', then '\(run)'. README.md says more.\n"
    }

    /// Replaces the names of the template's package by those of the new one.
    private func filled(_ text: String) -> String {
        var text = text
        for (part, value) in [
            (".package(name: \"swift-web-image\", path: \"../..\")", library.dependency),
            ("package: \"swift-web-image\"", "package: \"\(library.package)\""),
            ("my-app", name), ("MyApp", typeName), ("My App", title),
        ] {
            text = text.replacingOccurrences(of: part, with: value)
        }
        return text
    }
}
