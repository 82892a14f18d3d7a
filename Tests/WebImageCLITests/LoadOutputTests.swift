import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests `webimage load --out`: file names, existing files, formats, and the printed report.
@Suite(.timeLimit(minutes: 3))
final class LoadOutputTests: Sendable {
    let scratch: ScratchFolder
    let server: FaultServer

    init() throws {
        scratch = try ScratchFolder()
        server = try FaultServer()
    }

    deinit { server.stop() }

    func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    /// Writes an image of the given size. The tests recognise an image by its width.
    @discardableResult
    func write(_ name: String, _ format: ImageFormat = .png, width: Int = 8, height: Int = 6) throws -> Data {
        let data = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: format, options: EncodingOptions())
        let url = scratch.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
        return data
    }

    private func writeAnimation(_ name: String, width: Int = 40, height: Int = 20) throws -> Data {
        let frames = try [40, 90, 200].map { value in
            ImageFrame(
                image: try Image.generated(width: width, height: height) { _, _ in (UInt8(value), 0, 0, 255) },
                duration: Double(value) / 1000)
        }
        let data = try ImageCodersManager.shared.encode(frames, loopCount: 2, format: .gif, options: EncodingOptions())
        try data.write(to: scratch.url.appendingPathComponent(name))
        return data
    }

    private func load(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(["load", "--cache", "none"] + arguments, in: scratch.url.path)
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }

    private func width(_ name: String) throws -> Int {
        let data = try Data(contentsOf: scratch.url.appendingPathComponent(name))
        return try ImageCodersManager.shared.imageInfo(of: data, limits: .default).pixelSize.width
    }

    /// Local files are not stored in the user's cache, so no folder and no index is made for them. A URL is stored.
    @Test func localFilesLeaveNothingInTheUsersCache() throws {
        let data = try write("a.png")
        try write("folder/b.png")
        server.route("/c.png", .body(data))
        let caches = path("caches")
        let variables = ["XDG_CACHE_HOME": caches, "HOME": path("home")]
        let input = try FileHandle(forReadingFrom: scratch.url.appendingPathComponent("a.png"))
        let local = [
            "load", "--recursive", "--out", "out", "--overwrite", "a.png", "folder", "file://" + path("a.png"), "-",
        ]
        let run = try Tool.run(local, environment: variables, in: scratch.url.path, input: input)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try Tool.run(["load", "a.png"], environment: variables, in: scratch.url.path).code == 0)
        for name in ["caches", "home"] { #expect(!FileManager.default.fileExists(atPath: path(name)), "\(name)") }
        let remote = ["load", "a.png", server.url("/c.png").absoluteString]
        #expect(try Tool.run(remote, environment: variables, in: scratch.url.path).code == 0)
        #expect(FileManager.default.fileExists(atPath: caches))
    }

    @Test func equalFileNamesAreNumberedByOperandPosition() throws {
        // The first of three files named "p.png" comes from a server and arrives last. The files must still
        // be numbered in the order of the operands.
        let slow = try write("slow.png", width: 300)
        server.route("/a/p.png", .body(slow, headers: [:]))
        try write("b/p.png", width: 20)
        try write("c/p.png", width: 30)
        for run in 0..<3 {
            let outcome = try load("--out", "out\(run)", server.url("/a/p.png").absoluteString, "b/p.png", "c/p.png")
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try files("out\(run)") == ["p-2.png", "p-3.png", "p.png"])
            #expect(try width("out\(run)/p.png") == 300)
            #expect(try width("out\(run)/p-2.png") == 20 && width("out\(run)/p-3.png") == 30)
        }
        // A failed operand keeps its number, so the numbers of later operands do not change.
        let outcome = try load("--out", "failing", "absent/p.png", "b/p.png")
        #expect(outcome.code == 2)
        #expect(try files("failing") == ["p-2.png"])
    }

    @Test func wrongExtensionIsFollowedByTheRightOne() throws {
        try write("a.JPG", .jpeg)
        try write("b.jpeg", .jpeg)
        try write("lying.jpg", .webP)
        try write("none", .png)
        try write("taken.jpg.webp", .webP, width: 33)
        try write("taken.jpg", .webP, width: 44)
        let outcome = try load("--out", "out", "a.JPG", "b.jpeg", "lying.jpg", "none", "taken.jpg.webp", "taken.jpg")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(
            try files("out") == [
                "a.JPG", "b.jpeg", "lying.jpg.webp", "none.png", "taken-2.jpg.webp", "taken.jpg.webp",
            ])
        #expect(try width("out/taken.jpg.webp") == 33 && width("out/taken-2.jpg.webp") == 44)
    }

    @Test func existingFilesAreOverwrittenOnlyOnRequest() throws {
        try write("p.png", width: 20)
        try write("lying.jpg", .webP, width: 20)
        #expect(try load("--out", "out", "p.png", "lying.jpg").code == 0)
        try write("p.png", width: 50)
        try write("lying.jpg", .webP, width: 50)
        let refused = try load("--out", "out", "p.png", "lying.jpg")
        #expect(refused.code == 2 && refused.output.isEmpty)
        for name in ["out/p.png", "out/lying.jpg.webp"] {
            #expect(refused.errors.contains("webimage: \(name): File exists"))
        }
        #expect(refused.errors.contains("--overwrite") && refused.errors.contains("--skip-existing"))
        #expect(try width("out/p.png") == 20)
        let skipped = try load("--out", "out", "--skip-existing", "--json", "p.png", "lying.jpg")
        #expect(skipped.code == 0)
        #expect(try Set(skipped.objects().map { $0["origin"] as? String }) == ["skipped"])
        #expect(try width("out/p.png") == 20 && width("out/lying.jpg.webp") == 20)
        #expect(try load("--out", "out", "--overwrite", "p.png", "lying.jpg").code == 0)
        #expect(try width("out/p.png") == 50 && width("out/lying.jpg.webp") == 50)
        let both = try load("--out", "out", "--overwrite", "--skip-existing", "p.png")
        #expect(both.code == 1 && both.errors.contains("exclude each other"))
    }

    @Test func skippedFilesAreNotFetched() throws {
        server.route("/p.png", .body(try write("p.png")))
        let url = server.url("/p.png").absoluteString
        #expect(try load("--out", "out", url).code == 0)
        #expect(try load("--out", "out", "--skip-existing", url).code == 0)
        #expect(try load("--out", "out", url).code == 2)
        #expect(server.requestCount("/p.png") == 1)
    }

    @Test func savedAnimationKeepsItsFramesAtEverySize() throws {
        let file = try writeAnimation("a.gif")
        #expect(try load("--out", "fits", "--size", "100x100", "a.gif").code == 0)
        #expect(try Data(contentsOf: scratch.url.appendingPathComponent("fits/a.gif")) == file)
        #expect(try load("--out", "smaller", "--size", "20", "a.gif").code == 0)
        #expect(try load("--out", "webp/%s.webp", "a.gif").code == 0)
        // A GIF counts repetitions after the first play, a WebP counts plays.
        for (name, width, loopCount) in [("smaller/a.gif", 20, 1), ("webp/a.webp", 40, 2)] {
            let info = try ImageCodersManager.shared.imageInfo(
                of: Data(contentsOf: scratch.url.appendingPathComponent(name)), limits: .default)
            #expect(info.frameCount == 3 && info.loopCount == loopCount && info.pixelSize.width == width)
            #expect(info.delaysMilliseconds == [40, 90, 200])
        }
        let outcome = try load("--out", "still/%s.jpg", "a.gif")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try width("still/a.jpg") == 40)
    }

    @Test func pictureFromTheDiskCacheIsWrittenUnchanged() throws {
        let file = try writeAnimation("a.gif")
        server.route("/a.gif", .body(file))
        let url = server.url("/a.gif").absoluteString
        for (run, origin) in ["network", "disk"].enumerated() {
            let outcome = try Tool.run(
                ["load", "--json", "--cache", path("cache"), "--out", path("out\(run)"), "--size", "90%", url, url])
            #expect(try outcome.objects().allSatisfy { $0["origin"] as? String == origin })
            #expect(try width("out\(run)/a.gif") == 36 && width("out\(run)/a-2.gif") == 36)
        }
        // The runs with `--size` stored the original. A run without `--size` is therefore a disk hit.
        let whole = try Tool.run(["load", "--json", "--cache", path("cache"), "--out", path("whole"), url])
        #expect(try whole.objects().first?["origin"] as? String == "disk")
        #expect(try Data(contentsOf: scratch.url.appendingPathComponent("whole/a.gif")) == file)
    }

    @Test func orderedLinesFollowTheOperands() throws {
        let slow = try write("slow.png", width: 400, height: 400)
        server.route("/slow.png", .body(slow))
        var operands = [server.url("/slow.png").absoluteString, "absent.png"]
        for index in 0..<20 {
            try write("p\(index).png")
            operands.append("p\(index).png")
        }
        let outcome = try Tool.run(
            ["load", "--cache", "none", "--ordered", "--json"] + operands, in: scratch.url.path)
        #expect(outcome.code == 2)
        #expect(try outcome.objects().map { $0["url"] as? String } == operands)
    }

    @Test func columnNamesTheWrittenFile() throws {
        let data = try write("a.png", width: 40, height: 20)
        let object = try #require(try load("--json", "--out", "one", "a.png").objects().first)
        #expect(object["file"] as? String == "one/a.png" && object["written"] as? String == "original")
        #expect(object["fileBytes"] as? Int == data.count && object["fileFormat"] as? String == "png")
        let smaller = try #require(try load("--json", "--out", "two/%s.webp", "--size", "10", "a.png").objects().first)
        #expect(smaller["written"] as? String == "encoded" && smaller["fileFormat"] as? String == "webp")
        #expect(smaller["fileWidth"] as? Int == 10 && smaller["fileHeight"] as? Int == 5)
        let written = try Data(contentsOf: scratch.url.appendingPathComponent("two/a.webp"))
        #expect(smaller["fileBytes"] as? Int == written.count)
        #expect(try load("--out", "three", "a.png").output.contains("a.png -> three/a.png (original, \(data.count) B)"))
        #expect(try load("--json", "a.png").objects().first?["file"] == nil)
    }

    @Test func fileNameTemplatesReplaceTheirFields() throws {
        try write("photos/a.png")
        try write("photos/sub/b.jpg", .jpeg)
        let outcome = try load("-r", "-o", "t/%d/%n-%s%%.webp", "photos")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try files("t") == ["1-a%.webp", "sub"] && files("t/sub") == ["2-b%.webp"])
        #expect(try load("-o", "e/%s-small.%e", "--size", "4", "photos/sub/b.jpg").code == 0)
        #expect(try files("e") == ["b-small.jpg"])
        // If an operand is a folder, its subfolders are created in the output folder.
        #expect(try load("-r", "-o", "tree", "photos").code == 0)
        #expect(try files("tree") == ["a.png", "sub"] && files("tree/sub") == ["b.jpg"])
        #expect(try load("-o", "one.webp", "photos/a.png").code == 0)
        #expect(try width("one.webp") == 8)
        for arguments in [["x/%q.webp"], ["x.webp"], ["x/%s.psd"], ["-"]] {
            let outcome = try Tool.run(
                ["load", "--cache", "none", "-o"] + arguments + ["photos/a.png", "photos/sub/b.jpg"],
                in: scratch.url.path)
            #expect(outcome.code == (arguments == ["x/%s.psd"] ? 0 : 1), "\(arguments): \(outcome.errors)")
        }
    }

    @Test func fileNameFromAServerStaysInsideTheFolder() throws {
        server.route("/x", .body(try write("p.png")))
        let base = server.url("/x").absoluteString
        for name in ["%2e%2e%2f%2e%2e%2fevil.png", "..%2Fevil.png", "%2Fetc%2Fevil.png", "...", ".hidden.png"] {
            server.route("/\(name)", .body(try write("p.png")))
            let url = base.replacingOccurrences(of: "/x", with: "/\(name)")
            let outcome = try load("--out", "deep/er/out", url)
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: path("deep")) == ["er"])
            let names = try files("deep/er/out")
            #expect(names.count == 1 && names.first?.hasPrefix(".") == false, "\(names)")
            try FileManager.default.removeItem(atPath: path("deep"))
        }
    }
}
