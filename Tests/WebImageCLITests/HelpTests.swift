import Foundation
import Testing
import WebImage
import WebImageCommandLine
import WebImageService
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCLI

/// `--help`, manual pages and the completions of shells are printed from the rows that the command accepts.
@Suite(.timeLimit(minutes: 2))
struct HelpTests {
    private let scratch: ScratchFolder

    private func help(of name: String) -> String {
        (WebImageCommand.commands[name]?.text ?? WebImageCommand.general).help
    }

    init() throws { scratch = try ScratchFolder() }

    /// Returns the names of the options in the first column of a help text, with their one-letter forms.
    private func described(_ text: String) -> [String: Character?] {
        var found: [String: Character?] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("  -") {
            let words = line.dropFirst(2).split(separator: " ")
            let letter = words[0].count == 3 && words[0].hasSuffix(",") ? words[0].dropFirst().first : nil
            for word in words.prefix(letter == nil ? 1 : 2) where word.hasPrefix("--") {
                let name = word.dropFirst(2).prefix { $0.isLetter || $0.isNumber || $0 == "-" }
                found[String(name)] = letter
            }
        }
        return found
    }

    @Test func everyOptionIsInTheHelpAndEveryOptionOfTheHelpIsAccepted() {
        for (name, command) in WebImageCommand.commands {
            let described = described(help(of: name))
            let taken = Dictionary(uniqueKeysWithValues: command.options.map { ($0.name, $0.letter) })
            // `show` accepts further options and passes them to the gallery.
            if name != "show" {
                // Secrets are refused as options, with a message that names the variable. So the help omits them.
                let secrets = name == "serve" ? taken.keys.filter { ServiceConfiguration.isSecret($0) } : []
                #expect(Set(described.keys) == Set(taken.keys).subtracting(secrets), "\(name)")
            }
            for (option, letter) in described { #expect(taken[option] == letter, "\(name) --\(option)") }
            #expect(WebImageCommand.general.help.contains("\n  \(name) "), "\(name) is not in the list of commands")
            #expect(help(of: name).hasPrefix("usage: webimage \(name)"))
        }
    }

    @Test func linesOfHelpHaveAtMost120Characters() {
        for name in Array(WebImageCommand.commands.keys) + ["--help"] {
            for line in help(of: name).split(separator: "\n") {
                #expect(line.count <= 120, "\(name): \(line)")
            }
        }
    }

    @Test func textsOfAllOptionsBeginInOneColumn() {
        for name in Array(WebImageCommand.commands.keys) + ["--help"] {
            for line in help(of: name).split(separator: "\n") where line.hasPrefix("  -") {
                // A long option is on a line of its own.
                let words = line.dropFirst(2).split(separator: "  ", maxSplits: 1)
                guard words.count == 2 else {
                    #expect(line.count > 23, "\(name): \(line)")
                    continue
                }
                let column = line.count - words[1].drop { $0 == " " }.count
                #expect(column == 25, "\(name): \(line)")
            }
        }
    }

    @Test func everyHelpHasExamplesThatTheCommandAccepts() throws {
        for name in Array(WebImageCommand.commands.keys) + ["--help"] {
            let parts = help(of: name).components(separatedBy: "\nexamples:\n")
            #expect(parts.count == 2, "\(name)")
            for line in parts.last?.split(separator: "\n") ?? [] {
                guard !line.contains("curl -o") else { continue }
                let command = try #require(line.range(of: "webimage "), "\(line)")
                let words = line[command.upperBound...].prefix { !"|<>".contains($0) }.split(separator: " ").map {
                    $0.trimmingCharacters(in: CharacterSet(charactersIn: "'"))
                }
                #expect(words.first == name || name == "--help", "\(line)")
                let options = try #require(WebImageCommand.commands[words[0]]).options
                #expect(throws: Never.self) { try Arguments(words, accepting: options) }
            }
        }
    }

    @Test func helpOfLoadSaysWhichFormatsLoseQuality() {
        let text = help(of: "load")
        #expect(text.contains("PNG, BMP and TIFF without loss") && text.contains("with loss at --quality"))
    }

    @Test(arguments: ["convert", "thumbnail"])
    func listedFormatsAreKnown(_ command: String) throws {
        let text = help(of: command).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let list = try #require(text.firstMatch(of: /--format FORMAT.*?one of ([a-z, ]+?) or ([a-z]+)/))
        for name in list.1.components(separatedBy: ", ") + [String(list.2)] where name != "rgba" {
            #expect(ImageFormat(fileExtension: name) != .undefined, "\(name)")
        }
    }

    @Test func versionIsDefinedInOnePlace() throws {
        let version = try Tool.run("--version").output
        #expect(version == "webimage \(WebImageCommand.version)\n")
        let parts = WebImageCommand.version.split(separator: ".")
        #expect(parts.count == 3 && parts.allSatisfy { Int($0) != nil })
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        var places: [String] = []
        for folder in ["Sources", "Scripts", "Packaging"] {
            let base = root.appendingPathComponent(folder).standardizedFileURL
            for case let url as URL in try #require(
                FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil))
            {
                guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
                // A guide shows how to depend on a version of this package.
                if url.pathExtension == "md" { continue }
                if text.contains("\"\(WebImageCommand.version)\"") { places.append(url.lastPathComponent) }
            }
        }
        #expect(places == ["PackageVersion.swift"])
    }

    @Test(arguments: ["gtk", "server", "tool"])
    func aNewPackageHasItsFilesWithEveryPlaceholderReplaced(_ kind: String) throws {
        let outcome = try Tool.run(["init", kind, "photo-wall"], in: scratch.url.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let files = outcome.output.split(separator: "\n").map(String.init)
        var wanted = ["Package.swift", "README.md", ".gitignore", ".swift-format"]
        if kind == "gtk" {
            wanted += ["Data/org.example.PhotoWall.desktop", "Data/org.example.PhotoWall.metainfo.xml"]
        }
        if kind == "server" { wanted.append("Data/photo-wall.service") }
        for name in wanted { #expect(files.contains("photo-wall/\(name)"), "\(files)") }
        #expect(files.contains { $0.hasPrefix("photo-wall/Tests/PhotoWallKitTests/") })
        for file in files {
            let text = try String(contentsOf: scratch.url.appendingPathComponent(file), encoding: .utf8)
            let names = text + file
            #expect(!["my-app", "MyApp", "My App", "../.."].contains { names.contains($0) }, "\(file)")
        }
        // The new package must depend on the local clone in which the command was built.
        let manifest = try String(
            contentsOf: scratch.url.appendingPathComponent("photo-wall/Package.swift"), encoding: .utf8)
        #expect(manifest.contains(".package(name: \"swift-web-image\", path: \"/"))
        let again = try Tool.run(["init", kind, "photo-wall"], in: scratch.url.path)
        #expect(again.code == 2 && again.errors.contains("photo-wall: File exists"))
    }

    /// The template itself is the package `my-app`, which depends on this library by `../..`.
    @Test(arguments: ["gtk", "server", "tool"]) func aNewPackageOfTheTemplatesNameIsTheTemplate(_ kind: String) throws {
        let outcome = try Tool.run(["init", kind, "my-app", "--library", "../.."], in: scratch.url.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let files = outcome.output.split(separator: "\n").map { String($0.dropFirst("my-app/".count)) }
        let templates = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Templates"
        ).standardizedFileURL
        for file in files {
            let text = try String(
                contentsOf: scratch.url.appendingPathComponent("my-app/" + file), encoding: .utf8)
            let shared = file.hasPrefix(".git") || file.hasPrefix(".swift-f")
            let original = templates.appendingPathComponent(shared ? file : kind + "/" + file)
            // A path in the current folder is one folder deeper in the package.
            let wanted = try String(contentsOf: original, encoding: .utf8).replacingOccurrences(
                of: "path: \"../..\"", with: "path: \"../../..\"")
            #expect(text == wanted, "\(file)")
        }
        let own = try FileManager.default.subpathsOfDirectory(atPath: templates.path + "/" + kind).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(templates.path)/\(kind)/\(path)", isDirectory: &isFolder)
            return !isFolder.boolValue && !path.hasPrefix(".build") && path != "Package.resolved"
        }
        #expect(Set(files) == Set(own + [".gitignore", ".swift-format"]))
    }

    /// An installed command has its templates beside it. It does not know the clone in which it was built: it takes one
    /// beside the current folder, or asks.
    @Test func installedCommandTakesACloneThatIsThereOrAsks() throws {
        let installed = scratch.url.appendingPathComponent("bin/webimage").path
        try FileManager.default.createDirectory(
            atPath: scratch.url.appendingPathComponent("bin").path, withIntermediateDirectories: true)
        // A hard link has no other path; a copy would take long.
        if link(Tool.path, installed) != 0 { try FileManager.default.copyItem(atPath: Tool.path, toPath: installed) }
        let share = scratch.url.appendingPathComponent("share/webimage")
        try FileManager.default.createDirectory(at: share, withIntermediateDirectories: true)
        let templates = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Templates"
        ).standardizedFileURL
        try FileManager.default.createSymbolicLink(
            at: share.appendingPathComponent("templates"), withDestinationURL: templates)
        func run(_ name: String, in folder: String) throws -> (code: Int32, errors: String, manifest: String) {
            let place = scratch.url.appendingPathComponent(folder)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let outcome = try Tool.run(
                ["init", "tool", name], environment: ["INSTALLED": installed],
                through: ["/bin/sh", "-c", "exec \"$INSTALLED\" \"$@\""], in: place.path)
            let manifest = try? String(
                contentsOf: place.appendingPathComponent("\(name)/Package.swift"), encoding: .utf8)
            return (outcome.code, outcome.errors, manifest ?? "")
        }
        let without = try run("a", in: "work")
        #expect(without.code == 1 && without.errors.contains("--library") && without.manifest.isEmpty, "\(without)")
        func makeClone(_ folder: String, named name: String) throws {
            let clone = scratch.url.appendingPathComponent(folder + "/swift-web-image")
            try FileManager.default.createDirectory(at: clone, withIntermediateDirectories: true)
            try Data("let package = Package(name: \"\(name)\")".utf8).write(
                to: clone.appendingPathComponent("Package.swift"))
        }
        // The path is relative to the new package.
        try makeClone("", named: "swift-web-image")
        #expect(try run("b", in: "work").manifest.contains("path: \"../../swift-web-image\""))
        try makeClone("work", named: "swift-web-image")
        #expect(try run("c", in: "work").manifest.contains("path: \"../swift-web-image\""))
        try makeClone("others/work", named: "other-package")
        #expect(try run("d", in: "others/work").code == 1)
        // A clone without templates, and none beside the command.
        try FileManager.default.removeItem(at: share)
        let lost = try run("e", in: "work")
        #expect(lost.code == 1 && lost.errors.contains("templates") && lost.manifest.isEmpty, "\(lost)")
        try FileManager.default.createSymbolicLink(
            at: scratch.url.appendingPathComponent("work/swift-web-image/Templates"), withDestinationURL: templates)
        #expect(try run("f", in: "work").manifest.contains("name: \"f\""))
    }

    /// Beside a clone, a new package does not become a part of it.
    @Test func aNewPackageMayBeMadeInAnotherFolder() throws {
        let clone = scratch.url.appendingPathComponent("clone")
        try FileManager.default.createDirectory(at: clone, withIntermediateDirectories: true)
        let outcome = try Tool.run(["init", "tool", "../photo-wall/", "--library", "lib"], in: clone.path)
        #expect(outcome.code == 0 && outcome.errors.contains("Next: cd ../photo-wall, "), "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("../photo-wall/Package.swift\n"))
        let manifest = try String(
            contentsOf: scratch.url.appendingPathComponent("photo-wall/Package.swift"), encoding: .utf8)
        #expect(manifest.contains("name: \"photo-wall\"") && manifest.contains("path: \"\(clone.path)/lib\""))
        #expect(try FileManager.default.contentsOfDirectory(atPath: clone.path).isEmpty)
        let again = try Tool.run(["init", "tool", "../photo-wall"], in: clone.path)
        #expect(again.code == 2 && again.errors.contains("photo-wall: File exists"))
    }

    @Test func aNewPackageMayDependOnAURL() throws {
        let url = "https://git.example.org/pictures/web-image.git"
        #expect(try Tool.run(["init", "tool", "a1", "--library", url], in: scratch.url.path).code == 0)
        let manifest = try String(contentsOf: scratch.url.appendingPathComponent("a1/Package.swift"), encoding: .utf8)
        #expect(manifest.contains(".package(url: \"\(url)\", from: \"\(WebImageCommand.version)\")"))
        #expect(manifest.contains("package: \"web-image\""))
    }

    @Test(arguments: [
        ["init"], ["init", "gtk"], ["init", "qt", "a"], ["init", "gtk", "A"], ["init", "gtk", "a b"],
        ["init", "gtk", "../A"], ["init", "gtk", ".."], ["init", "gtk", "a/.."], ["init", "gtk", "/"],
        ["init", "gtk", "a--b"], ["init", "gtk", "-a"], ["init", "gtk", "1a"],
        ["init", "gtk", "ü"], ["init", "gtk", "a", "--library", "\""], ["init", "gtk", "a", "b"],
        ["init", "gtk", "test"],
    ])
    func invalidPackageNameIsRefused(_ arguments: [String]) throws {
        let outcome = try Tool.run(arguments, in: scratch.url.path)
        #expect(outcome.code == 1 && outcome.errors.contains("--help"), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
    }
}
