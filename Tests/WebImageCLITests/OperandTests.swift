import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests the inputs and outputs of the command: pipes, lists, folders, sizes and HTTP header fields. An error
/// message must name the operand that caused it.
@Suite(.timeLimit(minutes: 3))
final class OperandTests: Sendable {
    private let scratch: ScratchFolder
    private let server: FaultServer

    init() throws {
        scratch = try ScratchFolder()
        server = try FaultServer()
    }

    deinit { server.stop() }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    @discardableResult
    private func write(_ name: String, width: Int = 40, height: Int = 20) throws -> Data {
        let data = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: .png, options: EncodingOptions())
        let url = scratch.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
        return data
    }

    private func run(_ arguments: String..., input: String? = nil, environment: [String: String] = [:]) throws
        -> Tool.Outcome
    {
        let input = try input.map { try FileHandle(forReadingFrom: scratch.url.appendingPathComponent($0)) }
        return try Tool.run(
            arguments, environment: environment, in: scratch.url.path, input: input ?? .nullDevice)
    }

    @Test func standardInputIsReadAndStandardOutputWritten() throws {
        let data = try write("a.png")
        let piped = try run("convert", "--size", "10", "--format", "webp", "-", "-", input: "a.png")
        #expect(piped.code == 0 && piped.errors.isEmpty)
        let info = try ImageCodersManager.shared.imageInfo(of: piped.bytes, limits: .default)
        #expect(info.format == .webP && info.pixelSize == PixelSize(width: 10, height: 5))
        // Without --format, the output has the format of the input.
        #expect(try run("convert", "-", "-", input: "a.png").bytes.starts(with: data.prefix(8)))
        #expect(try run("convert", "--format", "rgba", "-", "-", input: "a.png").bytes.count == 40 * 20 * 4)
        #expect(try run("info", "-", input: "a.png").objects().first?["width"] as? Int == 40)
        #expect(try run("frames", "-", "f", input: "a.png").code == 0)
        let loaded = try run("load", "--cache", "none", "-o", "-", "--json", "-", input: "a.png")
        #expect(loaded.bytes == data && loaded.errors.contains("\"origin\":\"stdin\""))
        let thumbnail = try run("thumbnail", "--size", "8", "-o", "-", "-", input: "a.png")
        #expect(try ImageCodersManager.shared.imageInfo(of: thumbnail.bytes, limits: .default).pixelSize.width == 8)
        let empty = try run("info", "-")
        #expect(empty.code == 2 && empty.errors.contains("Standard input is empty."))
        #expect(try run("info", "--max-bytes", "10", "-", input: "a.png").code == 3)
        #expect(try run("info", "-", "-", input: "a.png").code == 1)
    }

    @Test func anInterruptEndsAReadOfStandardInput() async throws {
        let pipe = Pipe()
        let (process, _, _) = try Tool.start(["info", "-"], input: pipe.fileHandleForReading)
        // The test cannot observe when the command starts to read. It therefore repeats the signal until the
        // command ends.
        #expect(
            await eventually(within: 20) {
                if process.isRunning { process.interrupt() }
                return !process.isRunning
            })
        #expect(process.terminationStatus == 130 || process.terminationReason == .uncaughtSignal)
    }

    @Test(arguments: [
        ("30x30", 30, 15), ("20", 20, 10), ("20x", 20, 10), ("x5", 10, 5), ("50%", 20, 10), ("2.5%", 1, 1),
        ("100%", 40, 20), ("400", 40, 20), ("x400", 40, 20),
    ])
    func sizesAreBoxesSidesAndPercentages(_ size: String, _ width: Int, _ height: Int) throws {
        try write("a.png")
        let loaded = try #require(
            try run("load", "--cache", "none", "--json", "--size", size, "a.png").objects().first)
        #expect(loaded["width"] as? Int == width && loaded["height"] as? Int == height)
        #expect(try run("convert", "--size", size, "a.png", "b.png").code == 0)
        let converted = try #require(try run("info", "b.png").objects().first)
        #expect(converted["width"] as? Int == width && converted["height"] as? Int == height)
    }

    /// A drawing is also enlarged. A side without a limit follows the other one.
    @Test(arguments: [("60x60", 60, 30), ("80", 80, 40), ("80x", 80, 40), ("x80", 160, 80), ("50%", 20, 10)])
    func drawingsAreEnlarged(_ size: String, _ width: Int, _ height: Int) throws {
        let drawing = #"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><path d="M0 0h9v9z"/></svg>"#
        try Data(drawing.utf8).write(to: scratch.url.appendingPathComponent("a.svg"))
        #expect(try run("convert", "--size", size, "a.svg", "b.png").code == 0)
        let converted = try #require(try run("info", "b.png").objects().first)
        #expect(converted["width"] as? Int == width && converted["height"] as? Int == height)
    }

    @Test(arguments: ["x", "0", "-5", "0x5", "5x0", "101%", "0%", "%", "nan%", "1x2x3", "+5", "1e3", " 5", "5 x 5", ""])
    func invalidSizeIsRefused(_ size: String) throws {
        let outcome = try run("load", "--size", size, "a.png")
        #expect(outcome.code == 1 && outcome.errors.contains("--size requires"), "\(outcome.errors)")
    }

    @Test func foldersAreReadInOneOrder() throws {
        for name in ["b.png", "a.png", "sub/c.png", ".hidden/d.png", ".e.png", "Z.png"] { try write("photos/\(name)") }
        try Data("text".utf8).write(to: scratch.url.appendingPathComponent("photos/notes.txt"))
        try FileManager.default.createSymbolicLink(
            atPath: path("photos/loop"), withDestinationPath: path("photos"))
        let outcome = try run("info", "-r", "photos")
        #expect(outcome.code == 0)
        #expect(
            try outcome.objects().map { $0["path"] as? String }
                == ["photos/Z.png", "photos/a.png", "photos/b.png", "photos/sub/c.png"])
        let without = try run("info", "photos")
        #expect(
            without.code == 2
                && without.errors.contains(
                    "photos: Is a directory. Name a file; load, info, thumbnail and optimize take folders with")
        )
        try FileManager.default.createDirectory(atPath: path("empty"), withIntermediateDirectories: false)
        #expect(try run("info", "-r", "empty").code == 1)
    }

    @Test func listFilesNameTheOperands() throws {
        for name in ["a.png", "b.png", "with space.png"] { try write(name) }
        try Data("# comment\n\na.png\r\n  with space.png\n".utf8).write(
            to: scratch.url.appendingPathComponent("urls.txt"))
        let expected = ["b.png", "a.png", "with space.png"]
        for arguments in [["b.png", "@urls.txt"], ["b.png", "-i", "urls.txt"], ["--input", "urls.txt", "b.png"]] {
            let outcome = try Tool.run(["info"] + arguments, in: scratch.url.path)
            #expect(try outcome.objects().map { $0["path"] as? String } == expected, "\(arguments)")
        }
        #expect(try run("info", "-i", "-", input: "urls.txt").objects().count == 2)
        let absent = try run("info", "@absent.txt")
        #expect(absent.code == 1 && absent.errors.contains("absent.txt cannot be read"))
    }

    @Test func headersAreSentFromOptionsFilesAndTheEnvironment() async throws {
        server.route("/a.png", .body(try write("a.png")))
        let url = server.url("/a.png").absoluteString
        func sent(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String: String] {
            let outcome = try Tool.run(
                ["load", "--cache", "none"] + arguments + [url], environment: environment, in: scratch.url.path)
            #expect(outcome.code == 0, "\(outcome.errors)")
            let head = try #require(server.requests.last)
            return Dictionary(head.headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
        }
        let user = "Basic " + Data("me:secret".utf8).base64EncodedString()
        let all = try sent([
            "-H", "X-One: 1", "--header", "x-two:2", "--cookie", "a=1; b=2", "--user", "me:secret", "--referer",
            "http://page/",
        ])
        #expect(all["x-one"] == "1" && all["x-two"] == "2" && all["cookie"] == "a=1; b=2")
        #expect(all["authorization"] == user && all["referer"] == "http://page/")
        try Data("X-One: 1\nAuthorization: Bearer token\n".utf8).write(
            to: scratch.url.appendingPathComponent("fields"))
        try Data("me:secret\n".utf8).write(to: scratch.url.appendingPathComponent("user"))
        #expect(try sent(["-H", "@fields"])["authorization"] == "Bearer token")
        #expect(try sent(["--user", "@user"])["authorization"] == user)
        let environment = try sent(
            [], ["WEBIMAGE_HEADER": "X-One: 1\nX-Two: 2", "WEBIMAGE_COOKIE": "c=3", "WEBIMAGE_USER": "me:secret"])
        #expect(environment["x-two"] == "2" && environment["cookie"] == "c=3" && environment["authorization"] == user)
        let info = try Tool.run("info", "-H", "X-One: 5", url)
        #expect(info.code == 0 && server.requests.last?.headers.contains { $0.value == "5" } == true)
    }

    @Test func whatOneUserFetchedIsNotGivenToAnother() throws {
        server.route("/a.png", .body(try write("a.png")))
        let url = server.url("/a.png").absoluteString
        func origin(_ arguments: String...) throws -> String? {
            try Tool.run(["load", "--json", "--cache", path("cache")] + arguments + [url]).objects().first?["origin"]
                as? String
        }
        #expect(try origin("--user", "me:1") == "network" && origin("--user", "me:1") == "disk")
        #expect(try origin("--user", "you:2") == "network" && origin() == "network")
    }

    @Test(arguments: [
        ["-H", "no colon"], ["-H", "Bad Name: x"], ["-H", ": x"], ["--user", "nopassword"], ["--cookie", "@absent"],
        ["--referer", "http://a/\r\nX-Evil: 1"], ["--cookie", "a=1\u{1}"],
    ])
    func invalidHeaderIsRefusedWithoutPrintingItsValue(_ arguments: [String]) throws {
        let outcome = try Tool.run(["load"] + arguments + ["http://127.0.0.1:9/a.png"])
        #expect(outcome.code == 1 && !outcome.errors.contains("X-Evil"), "\(outcome.errors)")
    }

    @Test func failuresNameTheFileThatFailed() throws {
        try write("a.png")
        let output = try run("convert", "a.png", "missing/b.png")
        #expect(
            output.errors == "webimage: missing/b.png: No such file or directory. The folder does not exist; "
                + "make it, or name another one.\n")
        let input = try run("convert", "absent.png", "b.png")
        #expect(input.errors == "webimage: absent.png: No such file or directory. Check the path.\n")
        let twice = try run("load", "--cache", "none", "--out", "a.png", "a.png", "a.png")
        #expect(twice.code == 1 && twice.errors.hasPrefix("webimage: --out a.png is one file for 2 pictures; "))
        let below = try run("load", "--cache", "none", "--out", "a.png/x", "a.png")
        #expect(below.code == 2 && below.errors.hasPrefix("webimage: a.png/x: "), "\(below.errors)")
        let json = try #require(try run("load", "--json", "--cache", "none", "absent.png").objects().first)
        #expect(json["stage"] as? String == "read")
        #expect((json["message"] as? String)?.contains("download") == false)
    }

    @Test func operandOfOneCharacterIsAPath() throws {
        try write("a")
        #expect(try run("load", "--cache", "none", "-o", "o", "a").code == 0)
        #expect(try run("thumbnail", "-o", "t", "a").code == 0)
        #expect(try run("convert", "--format", "png", "a", "b").code == 0)
        #expect(try run("frames", "a", "f").code == 0)
        #expect(try run("convert", "a", "c").code == 1)
        #expect(try run("init", "tool", "p").code == 0)
        for name in ["o/a.png", "t/a.png", "b", "f/frames.json", "p/Package.swift"] {
            #expect(FileManager.default.fileExists(atPath: path(name)), "\(name)")
        }
    }

    @Test func everyCommandHasItsHelp() throws {
        #expect(try run("help", "convert").output == run("convert", "--help").output)
        #expect(try run("help", "convert").output.hasPrefix("usage: webimage convert"))
        #expect(try run("help").output == run("--help").output)
        let unknown = try run("help", "nonsense")
        #expect(unknown.code == 1 && unknown.errors.contains("no command 'nonsense'"))
    }
}
