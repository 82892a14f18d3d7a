import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests the behaviour on which a person at a shell relies: no file is lost, no folder fills up, and every error names
/// the next step.
@Suite(.timeLimit(minutes: 3))
struct ShellTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func path(_ name: String) -> String { scratch.url.path + "/" + name }

    @discardableResult
    private func write(_ name: String, width: Int = 40, height: Int = 20) throws -> Data {
        let data = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: .png, options: EncodingOptions())
        try data.write(to: scratch.url.appendingPathComponent(name))
        return data
    }

    private func run(_ arguments: [String], environment: [String: String] = [:], input: String? = nil) throws
        -> Tool.Outcome
    {
        let input = try input.map { try FileHandle(forReadingFrom: scratch.url.appendingPathComponent($0)) }
        return try Tool.run(arguments, environment: environment, in: scratch.url.path, input: input ?? .nullDevice)
    }

    private func width(_ name: String) throws -> Int {
        let data = try Data(contentsOf: scratch.url.appendingPathComponent(name))
        return try ImageCodersManager.shared.imageInfo(of: data, limits: .default).pixelSize.width
    }

    @Test func localFilesAreNotCopiedIntoTheUsersCache() throws {
        try write("a.png")
        let environment = ["XDG_CACHE_HOME": path("home")]
        for arguments in [["load", "a.png"], ["load", "--out", "out", "--size", "10", "a.png"]] {
            #expect(try run(arguments, environment: environment).output.hasPrefix("file "))
            #expect(try run(["cache", "stats"], environment: environment).output.contains(": 0 entries"))
        }
        let asked = try run(["load", "--cache", "mine", "a.png"])
        #expect(asked.code == 0 && asked.output.hasPrefix("file "))
        #expect(try run(["cache", "stats", "--cache", "mine"]).output.contains(": 1 entries"))
    }

    @Test(arguments: [
        ["info"], ["load", "--cache", "none"], ["thumbnail", "--out", "out"], ["convert", "IN", "out.png"],
        ["frames", "IN", "out"],
    ])
    func damagedFileIsExplainedInPlainWords(_ command: [String]) throws {
        let data = try write("a.png", width: 400, height: 300)
        try Data().write(to: scratch.url.appendingPathComponent("empty.png"))
        try data.prefix(data.count / 2).write(to: scratch.url.appendingPathComponent("cut.png"))
        try Data("<!doctype html>".utf8).write(to: scratch.url.appendingPathComponent("page.png"))
        func errors(_ name: String) throws -> String {
            let words = command.contains("IN") ? command.map { $0 == "IN" ? name : $0 } : command + [name]
            let outcome = try run(words, input: "empty.png")
            #expect(outcome.code == 2 || name == "cut.png" && command == ["info"])
            return outcome.errors
        }
        #expect(try errors("empty.png") == "webimage: empty.png: The file is empty.\n")
        #expect(try errors("-") == "webimage: -: Standard input is empty. Pipe a picture in.\n")
        if command != ["info"] {
            #expect(try errors("cut.png").hasPrefix("webimage: cut.png: The file is damaged: "))
        }
        #expect(
            try errors("page.png")
                == "webimage: page.png: This is not a picture of a known format: no known picture format starts with "
                + "3c 21 64 6f 63 74 79 70. 'webimage formats' lists the formats.\n")
    }

    @Test(arguments: [
        ["info"], ["load", "--cache", "none"], ["thumbnail", "--out", "out"], ["convert", "IN", "out.png"],
        ["frames", "IN", "out"],
    ])
    func limitErrorNamesItsOption(_ command: [String]) throws {
        let data = try write("a.png")
        func outcome(_ limit: [String], _ name: String = "a.png") throws -> Tool.Outcome {
            let words = command.contains("IN") ? command.map { $0 == "IN" ? name : $0 } : command + [name]
            return try run(words + limit, input: "a.png")
        }
        let end = "--no-limits for a file that you made yourself.\n"
        let pixels = try outcome(["--max-pixels", "799"])
        #expect(
            pixels.code == 3
                && pixels.errors
                    == "webimage: a.png: It has 800 pixels; the limit is 799. Raise it with --max-pixels N, or use \(end)"
        )
        let bytes = try outcome(["--max-bytes", "20"])
        #expect(
            bytes.code == 3
                && bytes.errors
                    == "webimage: a.png: It has \(data.count) bytes; the limit is 20. Raise it with --max-bytes N, or use \(end)",
            "\(bytes.errors)")
        let piped = try outcome(["--max-bytes", "20"], "-")
        #expect(piped.errors.contains("It has more than the limit of 20 bytes. Raise it with --max-bytes N"))
        #expect(try outcome(["--max-pixels", "800", "--max-bytes", "\(data.count)"]).code == 0)
    }

    @Test(arguments: [("1K", 0), ("1k", 0), ("1M", 0), ("10", 3), ("0", 1), ("K", 1), ("1T", 1), ("9999999999G", 1)])
    func limitOfBytesHasSuffixes(_ text: String, _ code: Int32) throws {
        try write("a.png")
        #expect(try run(["info", "--max-bytes", text, "a.png"]).code == code)
    }

    @Test func convertReportsTheWrittenFile() throws {
        try write("a.png")
        let png = try run(["convert", "--size", "10", "a.png", "b.png"])
        let byteCount = try Data(contentsOf: URL(fileURLWithPath: path("b.png"))).count
        #expect(png.output == "10x5        a.png -> b.png (\(byteCount) B)\n", "\(png.output)")
        #expect(try run(["convert", "--size", "10", "a.png", "b.rgba"]).output.hasSuffix(" a.png -> b.rgba (200 B)\n"))
        #expect(try run(["convert", "--skip-existing", "a.png", "b.png"]).output == "skipped     a.png -> b.png\n")
        #expect(try run(["convert", "--quiet", "a.png", "c.png"]).output.isEmpty)
    }

    @Test(arguments: ["stats", "clear", "verify"]) func missingCacheFolderIsNotMade(_ action: String) throws {
        let outcome = try run(["cache", action, "--cache", "absent/cache"])
        #expect(outcome.code == 2 && outcome.errors == "webimage: absent/cache: no such folder\n", "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: path("absent")))
    }

    /// What stands at the place of an output stays what it is: permissions, links, pipes and devices.
    @Test func replacedFilesKeepTheirKind() throws {
        let manager = FileManager.default
        func permissions(_ name: String) throws -> Int? {
            try manager.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
        }
        try write("a.png", width: 40)
        for mode in [0o600, 0o664, 0o640] {
            try write("private.png")
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path("private.png"))
            for words in [["convert", "--size", "10"], ["convert", "--size", "20"]] {
                #expect(try run(words + ["--overwrite", "a.png", "private.png"]).code == 0)
                #expect(try permissions("private.png") == mode)
            }
        }
        try manager.createDirectory(atPath: path("album"), withIntermediateDirectories: false)
        try write("album/real.png", width: 50)
        try manager.createSymbolicLink(atPath: path("link.png"), withDestinationPath: "album/real.png")
        #expect(try run(["convert", "--overwrite", "--size", "30", "a.png", "link.png"]).code == 0)
        #expect(try manager.destinationOfSymbolicLink(atPath: path("link.png")) == "album/real.png")
        #expect(try width("album/real.png") == 30)
        #expect(try manager.contentsOfDirectory(atPath: path("album")) == ["real.png"])

        #expect(mkfifo(path("pipe.png"), 0o600) == 0)
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/bin/sh")
        reader.arguments = ["-c", "timeout 60 cat pipe.png > read.png"]
        reader.currentDirectoryURL = scratch.url
        try reader.run()
        #expect(try run(["convert", "--overwrite", "--size", "16", "a.png", "pipe.png"]).code == 0)
        reader.waitUntilExit()
        #expect(try width("read.png") == 16)
        var facts = stat()
        #expect(stat(path("pipe.png"), &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
    }

    /// A full disk must not pass for a complete list.
    @Test(arguments: [["info", "a.png"], ["--version"], ["formats"], ["convert", "--help"]])
    func lostOutputIsAnError(_ words: [String]) throws {
        try write("a.png")
        let script = "exec \"$@\" > /dev/full"
        let outcome = try Tool.run(
            words, through: ["/bin/sh", "-c", script, "sh"], in: scratch.url.path, input: .nullDevice)
        #expect(outcome.code == 2 && outcome.errors == "webimage: standard output: No space left on device\n")
    }

    @Test func convertReplacesAFileOnlyOnRequest() throws {
        try write("a.png", width: 20)
        try write("b.png", width: 50)
        for output in ["b.png", "b.rgba"] {
            try FileManager.default.copyItem(atPath: path("b.png"), toPath: path("kept-" + output))
            let refused = try run(["convert", "a.png", "kept-" + output])
            #expect(refused.code == 2)
            #expect(
                refused.errors
                    == "webimage: kept-\(output): File exists. Use --overwrite to replace it, or --skip-existing to keep it.\n"
            )
            #expect(try run(["convert", "--skip-existing", "a.png", "kept-" + output]).code == 0)
            #expect(try width("kept-" + output) == 50)
        }
        #expect(try run(["convert", "--overwrite", "a.png", "b.png"]).code == 0)
        #expect(try width("b.png") == 20)
        let itself = try run(["convert", "--size", "10", "a.png", "a.png"])
        #expect(try itself.code == 2 && width("a.png") == 20)
        #expect(try run(["convert", "--size", "10", "--overwrite", "a.png", "a.png"]).code == 0)
        #expect(try width("a.png") == 10)
        #expect(try run(["convert", "--overwrite", "--skip-existing", "a.png", "c.png"]).code == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
        #expect(!names.contains { $0.hasSuffix(".part") })
    }

    @Test func convertWritesSeveralPicturesIntoAFolder() throws {
        for name in ["a.png", "b.png", "50%.png"] { try write(name) }
        let folder = try run(["convert", "--size", "10", "a.png", "b.png", "50%.png", "new/50%/"])
        #expect(folder.code == 0, "\(folder.errors)")
        #expect(
            folder.output.split(separator: "\n").map { $0.split(separator: " ").first } == ["10x5", "10x5", "10x5"])
        #expect(try width("new/50%/a.png") == 10 && width("new/50%/50%.png") == 10)
        let formats = try run(["convert", "--format", "webp", "a.png", "absent.png", "b.png", "new"])
        #expect(formats.code == 2 && formats.errors.hasPrefix("webimage: absent.png: No such file"))
        #expect(try width("new/a.webp") == 40 && width("new/b.webp") == 40)
        let again = try run(["convert", "--format", "webp", "--skip-existing", "--quiet", "a.png", "b.png", "new"])
        #expect(again.code == 0 && again.output.isEmpty && again.errors.isEmpty)
        #expect(try run(["convert", "--format", "webp", "a.png", "b.png", "new"]).code == 2)
        let noFolder = try run(["convert", "a.png", "b.png", "c.png"])
        #expect(noFolder.code == 1 && noFolder.errors.contains("end its name with '/'"))
    }

    @Test func framesOfAnotherPictureAreReplacedOnlyOnRequest() throws {
        try write("a.png")
        #expect(try run(["frames", "a.png", "f"]).code == 0)
        let refused = try run(["frames", "a.png", "f"])
        #expect(
            refused.code == 2
                && refused.errors == "webimage: f/frames.json: File exists. Use --overwrite to replace it.\n")
        #expect(try run(["frames", "--overwrite", "a.png", "f"]).code == 0)
    }

    @Test(arguments: [
        ["load", "--cache", "none"], ["load", "--cache", "none", "--json", "--ordered"], ["thumbnail", "-o", "out"],
        ["thumbnail", "--freedesktop"], ["convert", "OUT"],
    ])
    func quietCommandsPrintOnlyErrors(_ command: [String]) throws {
        try write("a.png")
        let words = command.filter { $0 != "OUT" } + ["--quiet", "a.png", "absent.png"]
        let outcome = try run(
            words + (command.contains("OUT") ? ["out/"] : []), environment: ["XDG_CACHE_HOME": path("cache")])
        #expect(outcome.code == 2 && outcome.output.isEmpty)
        #expect(outcome.errors == "webimage: absent.png: No such file or directory. Check the path.\n")
    }

    @Test func quietCommandsThatReportStatePrintNothing() throws {
        try FileManager.default.createDirectory(atPath: path("c"), withIntermediateDirectories: false)
        for arguments in [
            ["init", "tool", "quiet-tool", "--quiet"], ["cache", "clear", "--cache", "c", "--quiet"],
            ["cache", "verify", "--cache", "c", "--quiet"],
        ] {
            let outcome = try run(arguments)
            #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(arguments)")
        }
    }
}
