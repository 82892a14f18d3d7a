import Foundation

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

    private var identifier: String { "org.example." + typeName }

    var files: [File] {
        let own: [File]
        switch kind {
        case .gtk: own = Self.gtk
        case .server: own = Self.server
        case .tool: own = Self.tool
        }
        return (own + Self.common).map { File(path: filled($0.path), text: filled($0.text)) }
    }

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

    private func filled(_ text: String) -> String {
        var text = text
        for (field, value) in [
            "NAME": name, "TYPE": typeName, "TITLE": title, "ID": identifier, "DEPENDENCY": library.dependency,
            "PACKAGE": library.package,
        ] {
            text = text.replacingOccurrences(of: "{{\(field)}}", with: value)
        }
        return text
    }

    private static let common = [
        File(
            path: ".gitignore",
            text: """
                .build/
                .swiftpm/

                """),
        File(
            path: ".swift-format",
            text: """
                {
                  "version": 1,
                  "lineLength": 120,
                  "indentation": { "spaces": 4 },
                  "rules": { "OrderedImports": false }
                }

                """),
    ]
}
