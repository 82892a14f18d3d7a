import Foundation
import Testing
import WebImage
import WebImageTIFF
import WebImageTestTraits
import WebImageTesting

/// Runs `webimage` as a child process and checks its output, files and exit codes.
@Suite(.timeLimit(minutes: 2))
final class CommandTests: Sendable {
    private let scratch: ScratchFolder
    private var folder: URL { scratch.url }
    let server: FaultServer

    init() throws {
        scratch = try ScratchFolder()
        server = try FaultServer()
    }

    deinit {
        server.stop()
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func write(_ name: String, _ format: ImageFormat, width: Int = 8, height: Int = 6, alpha: UInt8 = 255)
        throws
        -> Data
    {
        var options = EncodingOptions()
        options.lossless = true
        let data = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height, alpha: alpha), format: format, options: options)
        try data.write(to: folder.appendingPathComponent(name))
        return data
    }

    @Test func helpAndVersionExitWithZero() throws {
        #expect(try Tool.run("--version").output.hasPrefix("webimage "))
        for command in ["load", "info", "convert", "frames", "show", "cache"] {
            let help = try Tool.run(command, "--help")
            #expect(help.code == 0 && help.output.contains("usage: webimage \(command)"))
        }
        #expect(try Tool.run("--help").output.contains("exit codes"))
    }

    @Test(arguments: [
        ["nonsense"], ["info"], ["info", "--colour", "x"], ["load", "--size", "big", "x"], ["convert", "one"],
        ["convert", "a.png", "b.xyz"], ["convert", "a.png", "b.png", "--quality", "101"], ["cache", "explode"],
        ["convert", "a.png", "b.jpg", "--quality-target", "80"],
        ["convert", "a.png", "b.jpg", "--quality-target", "ssim2=0"],
        ["convert", "a.png", "b.jpg", "--quality-target", "ssim2=nan"],
        ["load", "a.png", "--quality-target", "ssim2=1e1"],
        ["thumbnail", "a.png", "--out", "s", "--quality-target", "ssim2=100"],
        ["convert", "a.png", "b.jpg", "--quality", "80", "--quality-target", "ssim2=80"],
        ["frames", "a.gif", "d", "--color", "blue"],
        ["frames", "a.gif", "d", "--page", "-1"], ["frames", "a.gif", "d", "--previews", "0"],
        ["frames", "a.gif", "d", "--previews", "1001"], ["formats", "--verbose", "--sandbox"],
        ["load", "--max-pixels", "-1", "x"], ["load", "x", "--out"],
    ])
    func invalidArgumentsExitWithOneAndAReason(_ arguments: [String]) throws {
        let (process, _, errors) = try Tool.start(arguments)
        process.waitUntilExit()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.terminationStatus == 1)
        #expect(text.hasPrefix("webimage: ") && text.contains("see 'webimage "))
    }

    @Test func infoPrintsOneObjectALineInOperandOrder() throws {
        let data = try write("a.png", .png, alpha: 128)
        let outcome = try Tool.run("info", path("a.png"))
        #expect(outcome.code == 0)
        let names = [
            "path", "format", "width", "height", "orientation", "frames", "loopCount", "delaysMs", "hasAlpha", "isGray",
            "bitDepth", "hasICCProfile", "bytes",
        ]
        let positions = names.compactMap { outcome.output.range(of: "\"\($0)\":")?.lowerBound }
        #expect(positions.count == names.count && positions == positions.sorted())
        let object = try #require(try outcome.objects().first)
        #expect(object["format"] as? String == "png")
        #expect(object["width"] as? Int == 8 && object["height"] as? Int == 6)
        #expect(object["hasAlpha"] as? Bool == true)
        #expect(object["bytes"] as? Int == data.count)
        #expect(object["loopCount"] is NSNull)
    }

    @Test func oneBadInputExitsWithTwoAndTheOthersAreProcessed() throws {
        _ = try write("a.png", .png)
        try Data("no picture".utf8).write(to: folder.appendingPathComponent("b.png"))
        let outcome = try Tool.run("info", path("b.png"), path("a.png"), path("absent.png"))
        #expect(outcome.code == 2)
        #expect(try outcome.objects().count == 3)
        #expect(outcome.errors.contains("not a picture of a known format") && outcome.errors.contains("No such file"))
    }

    @Test func aLimitThatFiresExitsWithThree() throws {
        _ = try write("a.png", .png, width: 100, height: 100)
        for arguments in [["info"], ["load", "--cache", "none"]] {
            let command = arguments + ["--max-pixels", "9999", path("a.png")]
            let (process, _, errors) = try Tool.start(command)
            process.waitUntilExit()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(process.terminationStatus == 3, "\(text)")
            #expect(text.contains("It has 10000 pixels; the limit is 9999."))
        }
        #expect(try Tool.run("--max-bytes", "10", "info", path("a.png")).code == 3)
        #expect(try Tool.run("--max-pixels", "10", "--no-limits", "info", path("a.png")).code == 3)
        #expect(try Tool.run("info", "--no-limits", path("a.png")).code == 0)
    }

    @Test func losslessConversionKeepsColoursUnderTransparency() throws {
        // A colour channel that is premultiplied by alpha 3 can have only four values. These pixels have 16
        // values. If all 16 values are unchanged at the end, no step has premultiplied the pixels.
        let pixels = try PixelBuffer(width: 16, height: 1, format: .rgba8)
        pixels.withUnsafeMutableBytes { bytes in
            for x in 0..<16 {
                for (channel, value) in [x * 16, 255 - x, 77, 3].enumerated() { bytes[x * 4 + channel] = UInt8(value) }
            }
        }
        let file = try ImageCodersManager.shared.encode(
            Image(pixels: pixels), format: .png, options: EncodingOptions())
        try file.write(to: folder.appendingPathComponent("in.png"))
        #expect(try Tool.run("convert", path("in.png"), path("out.webp")).code == 0)
        #expect(try Tool.run("convert", path("out.webp"), path("back.png")).code == 0)
        #expect(try Tool.run("convert", path("back.png"), path("out.rgba")).code == 0)
        let expected = pixels.withUnsafeBytes { Data($0.prefix(64)) }
        #expect(try Data(contentsOf: folder.appendingPathComponent("out.rgba")) == expected)
    }

    @Test func convertResizesAndWritesNoHalfFile() throws {
        _ = try write("a.png", .png, width: 400, height: 200)
        #expect(try Tool.run("convert", path("a.png"), path("b.jpg"), "--size", "100x100", "--quality", "70").code == 0)
        let info = try #require(try Tool.run("info", path("b.jpg")).objects().first)
        #expect(info["width"] as? Int == 100 && info["height"] as? Int == 50 && info["format"] as? String == "jpeg")
        #expect(try Tool.run("convert", path("a.png"), path("missing/b.jpg")).code == 2)
        #expect(try Tool.run("convert", path("a.png"), path("c.jpg"), "--frame", "1").code == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == ["a.png", "b.jpg"])
    }

    /// The sides are rounded to the nearest pixel, and an exact half is rounded up: a factor of 15/44 would miss it.
    @Test func sizesAreRoundedExactly() throws {
        for (width, height, size) in [(22, 44, "15x15"), (44, 22, "15"), (22, 44, "x15")] {
            _ = try write("half.png", .png, width: width, height: height)
            let resized = try Tool.run("convert", path("half.png"), path("half.jpg"), "--size", size, "--overwrite")
            #expect(resized.code == 0)
            let info = try #require(try Tool.run("info", path("half.jpg")).objects().first)
            #expect(info["width"] as? Int == (width < height ? 8 : 15), "\(width) × \(height) in \(size)")
            #expect(info["height"] as? Int == (width < height ? 15 : 8), "\(width) × \(height) in \(size)")
        }
    }

    @Test func framesWritesRawRowsAndMetadata() throws {
        _ = try write("a.webp", .webP, width: 5, height: 3)
        #expect(try Tool.run("frames", path("a.webp"), path("frames")).code == 0)
        let rows = try Data(contentsOf: folder.appendingPathComponent("frames/frame-0000.rgba"))
        #expect(rows.count == 5 * 3 * 4 && rows.prefix(4) == Data([120, 80, 40, 255]))
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.appendingPathComponent("frames/frames.json")))
        #expect((json as? [String: Any])?["width"] as? Int == 5)
    }

    /// Pages are no animation: each has its own size in the list and in its file.
    @Test(arguments: [[], ["--sandbox"]]) func framesOfPagesHaveTheirOwnSizes(_ further: [String]) throws {
        let sizes = [(40, 30), (20, 15), (80, 10)]
        let frames = try sizes.map { width, height in
            ImageFrame(
                image: try Image.generated(width: width, height: height) { x, y in (UInt8(x), UInt8(y), 7, 255) },
                duration: 0)
        }
        let file = try ImageTIFFCoder.shared.encode(frames, loopCount: 0, format: .tiff, options: EncodingOptions())
        try file.write(to: folder.appendingPathComponent("pages.tiff"))
        #expect(try Tool.run(["frames"] + further + [path("pages.tiff"), path("pages")]).code == 0)
        let list = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.appendingPathComponent("pages/frames.json")))
        let json = try #require(list as? [String: Any])
        #expect(json["widths"] as? [Int] == [40, 20, 80] && json["heights"] as? [Int] == [30, 15, 10])
        #expect(json["width"] as? Int == 40 && json["height"] as? Int == 30)
        for (index, (width, height)) in sizes.enumerated() {
            let rows = try Data(contentsOf: folder.appendingPathComponent("pages/frame-000\(index).rgba"))
            var wanted = Data()
            for y in 0..<height {
                for x in 0..<width { wanted += [7, UInt8(y), UInt8(x), 255] }
            }
            #expect(rows == wanted, "page \(index)")
        }
        // One page alone has its own name, and its size is that of the list.
        for page in [1, 2] {
            let words = ["frames", "--page", String(page), path("pages.tiff"), path("page-\(page)")]
            #expect(try Tool.run(words + further).code == 0)
            let folder = folder.appendingPathComponent("page-\(page)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(names) == ["frame-000\(page).rgba", "frames.json"])
            let rows = try Data(contentsOf: folder.appendingPathComponent("frame-000\(page).rgba"))
            #expect(try rows == Data(contentsOf: URL(fileURLWithPath: path("pages/frame-000\(page).rgba"))))
            let list =
                try JSONSerialization.jsonObject(
                    with: Data(contentsOf: folder.appendingPathComponent("frames.json"))) as? [String: Any]
            #expect(list?["page"] as? Int == page && list?["width"] as? Int == sizes[page].0)
        }
        let outside = try Tool.run(["frames", "--page", "3", path("pages.tiff"), path("page-3")] + further)
        #expect(outside.code == 2 && outside.errors.contains("there is no page 3"), "\(outside.errors)")
        #expect(!FileManager.default.fileExists(atPath: path("page-3")))
        // The frames of an animation have one size, and no lists.
        _ = try write("a.webp", .webP, width: 5, height: 3)
        #expect(try Tool.run(["frames"] + further + [path("a.webp"), path("one")]).code == 0)
        let one = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.appendingPathComponent("one/frames.json")))
        #expect((one as? [String: Any])?["widths"] == nil)
    }

    @Test func convertedAnimationsKeepEveryFrame() throws {
        let frames = try [40, 90, 200].map { value in
            ImageFrame(
                image: try Image.generated(width: 7, height: 5) { x, _ in (UInt8(value), UInt8(x), 0, 255) },
                duration: Double(value) / 1000)
        }
        let file = try ImageCodersManager.shared.encode(frames, loopCount: 4, format: .png, options: EncodingOptions())
        try file.write(to: folder.appendingPathComponent("a.png"))
        var previous = "a.png"
        for name in ["b.gif", "c.webp", "d.png"] {
            #expect(try Tool.run("convert", path(previous), path(name)).code == 0)
            let info = try #require(try Tool.run("info", path(name)).objects().first)
            // A GIF stores the repetitions after the first play.
            #expect(info["frames"] as? Int == 3 && info["loopCount"] as? Int == (name == "b.gif" ? 3 : 4))
            #expect(info["delaysMs"] as? [Int] == [40, 90, 200])
            previous = name
        }
        for name in ["a.png", "d.png"] { #expect(try Tool.run("frames", path(name), path(name + "-frames")).code == 0) }
        for index in 0..<3 {
            let rows = try ["a.png", "d.png"].map {
                try Data(contentsOf: folder.appendingPathComponent("\($0)-frames/frame-000\(index).rgba"))
            }
            #expect(rows[0] == rows[1] && rows[0].count == 7 * 5 * 4)
            #expect(rows[0].prefix(4) == Data([0, 0, [40, 90, 200][index], 255]))
        }
        let json =
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: folder.appendingPathComponent("d.png-frames/frames.json"))) as? [String: Any]
        #expect(json?["loopCount"] as? Int == 4 && json?["delaysMs"] as? [Int] == [40, 90, 200])
    }

    @Test func oneFrameOfAnAnimationIsAStill() throws {
        let frames = try [40, 90].map { value in
            ImageFrame(
                image: try Image.generated(width: 7, height: 5) { _, _ in (UInt8(value), 0, 0, 255) }, duration: 0.1)
        }
        let file = try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .gif, options: EncodingOptions())
        try file.write(to: folder.appendingPathComponent("a.gif"))
        #expect(try Tool.run("convert", path("a.gif"), path("one.gif"), "--frame", "1").code == 0)
        #expect(try Tool.run("info", path("one.gif")).objects().first?["frames"] as? Int == 1)
        #expect(try Tool.run("convert", path("one.gif"), path("one.rgba")).code == 0)
        let rows = try Data(contentsOf: folder.appendingPathComponent("one.rgba"))
        #expect(rows.prefix(4) == Data([0, 0, 90, 255]))
        #expect(try Tool.run("convert", path("a.gif"), path("first.jpg")).code == 0)
        #expect(try Tool.run("convert", path("a.gif"), path("none.png"), "--frame", "2").code == 2)
    }

    @Test(arguments: [[], ["--sandbox"]]) func conversionKeepsTheNumberOfPlays(flags: [String]) throws {
        let frames = try [40, 90].map { value in
            ImageFrame(
                image: try Image.generated(width: 7, height: 5) { _, _ in (UInt8(value), 0, 0, 255) }, duration: 0.1)
        }
        for plays in [0, 1, 2, 4] {
            let file = try ImageCodersManager.shared.encode(
                frames, loopCount: plays, format: .gif, options: EncodingOptions())
            try file.write(to: folder.appendingPathComponent("a.gif"))
            #expect(try Tool.run(["convert", "--overwrite"] + flags + [path("a.gif"), path("a.webp")]).code == 0)
            let webP = try Data(contentsOf: folder.appendingPathComponent("a.webp"))
            let mark = try #require(webP.firstRange(of: Data("ANIM".utf8)))
            #expect(Int(webP[mark.upperBound + 8]) == plays)
            #expect(try Tool.run(["convert", "--overwrite"] + flags + [path("a.webp"), path("b.gif")]).code == 0)
            let back = try Data(contentsOf: folder.appendingPathComponent("b.gif"))
            let loop = back.firstRange(of: Data("NETSCAPE2.0".utf8)).map { Int(back[$0.upperBound + 2]) }
            #expect(loop == (plays == 1 ? nil : max(plays - 1, 0)))
        }
    }

    @Test func folderOfSDWebImageIsImported() throws {
        let url = "http://127.0.0.1:9/a.png"
        let old = path("default")
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        _ = try write("default/" + MD5.hex(of: url.utf8) + ".png", .png)
        let first = try Tool.run("cache", "import", old, "--cache", path("imported"))
        #expect(first.code == 0 && first.output == "\(old): 1 files imported\n", "\(first.errors)")
        #expect(!FileManager.default.fileExists(atPath: old))
        // The picture is found by its URL; no server answers there.
        #expect(try Tool.run("load", url, "--cache", path("imported")).code == 0)
        for arguments in [[old], [path("missing")]] {
            let none = try Tool.run(["cache", "import", "--cache", path("imported")] + arguments)
            #expect(none.code == 2 && none.errors.contains(arguments[0]))
        }
        #expect(try Tool.run("cache", "import").code == 1)
    }

    @Test func loadPrintsTheOriginOfEachPicture() throws {
        server.route("/a.png", .body(try write("a.png", .png)))
        let url = server.url("/a.png").absoluteString
        let first = try Tool.run("load", "--json", "--cache", path("cache"), "--out", path("out"), url)
        #expect(first.code == 0)
        #expect(try first.objects().first?["origin"] as? String == "network")
        let second = try Tool.run("load", "--json", "--cache", path("cache"), url)
        #expect(try second.objects().first?["origin"] as? String == "disk")
        #expect(server.requestCount("/a.png") == 1)
        #expect(FileManager.default.fileExists(atPath: path("out/a.png")))
        let stats = try Tool.run("cache", "stats", "--cache", path("cache"))
        #expect(stats.output.contains("1 entries"))
        #expect(try Tool.run("cache", "verify", "--cache", path("cache")).code == 0)
        #expect(try Tool.run("cache", "clear", "--cache", path("cache")).code == 0)
        #expect(try Tool.run("cache", "stats", "--cache", path("cache")).output.contains("0 entries"))
    }

    @Test func withoutACacheNothingIsWritten() throws {
        server.route("/a.png", .body(try write("a.png", .png)))
        let home = path("home")
        let environment = ["XDG_CACHE_HOME": home]
        let url = server.url("/a.png").absoluteString
        let outcome = try Tool.run("load", "--cache", "none", url, environment: environment)
        #expect(outcome.code == 0 && outcome.output.hasPrefix("network"))
        let written = FileManager.default.enumerator(atPath: home)?.allObjects ?? []
        #expect(!written.contains { "\($0)".hasSuffix(".png") || "\($0)".contains("sqlite") })
    }

    @Test func anInterruptStopsALoadCleanly() async throws {
        server.route("/slow.png", .hang)
        let (process, _, _) = try Tool.start(["load", "--cache", path("cache"), server.url("/slow.png").absoluteString])
        #expect(await eventually(within: 20) { server.requestCount("/slow.png") == 1 })
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
    }

    @Test func noToolkitIsLinked() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/ldd")
        process.arguments = [Tool.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let libraries = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(libraries.contains("libsqlite3"))
        // The command loads librsvg for SVG images. librsvg needs cairo but not GTK, so no GTK library may be
        // linked.
        #expect(!libraries.contains("libgtk") && !libraries.contains("libadwaita"))
    }

    /// Threads may still use what a destructor destroys, so a command runs none when it ends. The loader reports each.
    @Test func endOfACommandRunsNoDestructors() throws {
        for arguments in [["version"], ["load", "--cache", "none", server.url("/absent.png").absoluteString]] {
            let outcome = try Tool.run(arguments, environment: ["LD_DEBUG": "files"])
            #expect(outcome.errors.contains("calling init"))
            #expect(!outcome.errors.contains("calling fini"))
        }
    }

    @Test func showNamesThePackageWhenTheGalleryIsAbsent() throws {
        let alone = folder.appendingPathComponent("bin/webimage")
        try FileManager.default.createDirectory(
            at: alone.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: Tool.path), to: alone)
        let process = Process()
        process.executableURL = alone
        process.arguments = ["show", "http://127.0.0.1/x.png"]
        process.environment = ProcessInfo.processInfo.environment.merging(["PATH": "/nowhere"]) { $1 }
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
        #expect(text.contains("webimage-gallery is not installed"))
    }
}
