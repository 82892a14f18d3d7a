import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests files with unusual names: names that look like options, with quotes and control characters, and names that are
/// not UTF-8.
@Suite(.timeLimit(minutes: 3))
struct FileNameTests {
    private let scratch: ScratchFolder
    private static let latin: [UInt8] = Array("latin".utf8) + [0xE9] + Array(".png".utf8)

    init() throws { scratch = try ScratchFolder() }

    private func path(_ name: String) -> String { scratch.url.path + "/" + name }

    private func picture() throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 40, height: 20), format: .png, options: EncodingOptions())
    }

    /// Writes a file with a name that Foundation may refuse.
    private func write(_ name: [UInt8], _ data: Data, in folder: String = "") throws {
        let bytes = Array(path(folder.isEmpty ? "" : folder + "/").utf8) + name + [0]
        let file = try #require(
            bytes.withUnsafeBytes { fopen($0.assumingMemoryBound(to: CChar.self).baseAddress!, "w") })
        defer { fclose(file) }
        #expect(data.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } == data.count)
    }

    /// Returns the names of a folder's files as bytes.
    private func names(_ folder: String) throws -> [[UInt8]] {
        let stream = try #require(opendir(path(folder)))
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
        }
        return names.filter { $0 != [46] && $0 != [46, 46] }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func run(_ arguments: [String]) throws -> Tool.Outcome { try Tool.run(arguments, in: scratch.url.path) }

    /// Runs a script of the shell, in which `$0` is the command. The shell can expand names that are not UTF-8.
    private func shell(_ script: String) throws -> Tool.Outcome {
        try Tool.run([], environment: ["LC_ALL": "C"], through: ["/bin/sh", "-c", script], in: scratch.url.path)
    }

    @Test(arguments: [
        ["info"], ["load", "--cache", "none"], ["thumbnail", "-o", "out"], ["convert", "-s", "10"], ["frames"],
    ])
    func nameThatBeginsWithADashNeedsTwoDashes(_ command: [String]) throws {
        let output = ["convert": ["out.png"], "frames": ["out"]][command[0]] ?? []
        for (name, option) in [
            ("-dash.png", "-d in -dash.png"), ("--dash.png", "--dash.png"), ("-d", "-d"), ("-é.png", "-é.png"),
        ] {
            try write(Array(name.utf8), picture())
            let refused = try run(command + [name] + output)
            #expect(refused.code == 1)
            #expect(
                refused.errors.hasPrefix(
                    "webimage: unknown option \(option) (use -- before a file name that begins with -)"),
                "\(refused.errors)")
        }
        let accepted = try run(command + ["--", "-dash.png"] + output)
        #expect(accepted.code == 0, "\(accepted.errors)")
    }

    @Test func refusedLongOptionIsExplained() throws {
        let several = try run(["info", "--max=5", "a.png"])
        #expect(
            several.code == 1 && several.errors.contains("--max can be any of --max-pixels, --max-bytes; write the"))
        let value = try run(["info", "--json=yes", "a.png"])
        #expect(value.code == 1 && value.errors.contains("--json takes no value"), "\(value.errors)")
    }

    @Test(
        arguments: [
            (["convert", "--qualty", "5", "a.png", "b.png"], "unknown option --qualty; did you mean --quality?"),
            (["info", "--jsn", "a.png"], "unknown option --jsn; did you mean --json?"),
            (["info", "--nonsense", "a.png"], "unknown option --nonsense (use -- before"),
            (["load", "-f", "webp", "a.png"], "the extension in --out is it: --out 'small/%s.webp'"),
            (["load", "--format=webp", "a.png"], "the extension in --out is it: --out 'small/%s.webp'"),
        ] as [([String], String)])
    func refusedOptionNamesTheOneThatWasMeant(_ words: [String], _ text: String) throws {
        let outcome = try run(words)
        #expect(outcome.code == 1 && outcome.errors.contains(text), "\(outcome.errors)")
    }

    @Test func refusedExtensionHasOneHint() throws {
        let outcome = try run(["convert", "a.png", "a.xyz"])
        #expect(
            outcome.errors == "webimage: a.xyz has no extension of a writable format; see 'webimage formats'\n",
            "\(outcome.errors)")
    }

    @Test func fileThatBeginsWithAtNeedsItsFolder() throws {
        try write(Array("@at.png".utf8), picture())
        let refused = try run(["load", "--cache", "none", "--", "@at.png"])
        #expect(refused.code == 1 && refused.errors.contains("for the file of this name write ./@at.png"))
        #expect(try run(["load", "--cache", "none", "--", "./@at.png"]).code == 0)
        let list = try run(["load", "--cache", "none", "--", "@list"])
        #expect(list.code == 1 && !list.errors.contains("./@list"))
        // A command without lists reads the file itself.
        #expect(try run(["convert", "@at.png", "b.png"]).code == 0)
    }

    @Test(arguments: [
        ("example.org/a.jpg", "https://example.org/a.jpg"), ("http:/example.org/a.jpg", "http://example.org/a.jpg"),
        ("https:/example.org", "https://example.org"),
    ])
    func missingFileThatLooksLikeAURLNamesTheURL(_ name: String, _ url: String) throws {
        for command in [["load", "--cache", "none"], ["info"]] {
            let outcome = try run(command + [name])
            #expect(outcome.code == 2 && outcome.errors.contains("Did you mean \(url)?"), "\(outcome.errors)")
        }
    }

    @Test(arguments: ["photos/a.jpg", "./a.jpg", "../a.b/c.jpg", "a.jpg", "/tmp/absent/a.jpg", "v1.5/a.jpg"])
    func missingFileNamesNoURL(_ name: String) throws {
        let outcome = try run(["info", name])
        #expect(outcome.code == 2 && outcome.errors.contains("Check the path."), "\(outcome.errors)")
    }

    @Test(arguments: [
        "q\"uote\nnew.png", "it's.png", "a b#c?.png", "50%.png", "100%41.png", "http:x.png", ".hidden.png",
        "\u{301}.png",
        "-dash.png", "tab\there.png", "back\\slash.png", "\u{202E}gnp.png", "\u{10FFE9}.png",
    ])
    func localNamesAreKept(_ name: String) throws {
        try write(Array(name.utf8), picture())
        for command in [["load", "--cache", "none"], ["thumbnail"]] {
            let out = "out-" + command[0]
            let outcome = try run(command + ["--json", "--out", out, "--", name])
            #expect(outcome.code == 0, "\(outcome.errors)")
            let object = try #require(try outcome.objects().first)
            #expect(object["url"] as? String == name && object["file"] as? String == "\(out)/\(name)")
            #expect(try names(out) == [Array(name.utf8)])
        }
        #expect(try run(["convert", "--", name, "out/"]).code == 0)
        #expect(try names("out") == [Array(name.utf8)])
        #expect(try run(["info", "--", name]).objects().first?["path"] as? String == name)
        #expect(try run(["info", "-r", "out"]).objects().count == (name.hasPrefix(".") ? 0 : 1))
    }

    @Test func addressesAreReadAsByBrowsers() throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.routeOthers(.body(try picture()))
        let origin = "http://127.0.0.1:\(server.port)"
        for (text, wanted) in [
            ("/a%20[1].png", "/a%20%5B1%5D.png"), ("/?x[]=1&n=a%20b", "/?x%5B%5D=1&n=a%20b"),
            ("/фото%201.png\n", "/%D1%84%D0%BE%D1%82%D0%BE%201.png"), ("/caf%E9.png", "/caf%E9.png"),
            ("\\b\\..\\c", "/c"),
        ] {
            #expect(try run(["info", " " + origin + text]).code == 0, "\(text)")
            let last = try #require(server.requests.last)
            #expect(last.path + (last.query.map { "?" + $0 } ?? "") == wanted)
        }
        try write(Array("a [1] 50%.png".utf8), picture())
        for name in ["a [1]%2050%25.png", "a%20[1] 50%.png", "./b/../a\t [1] 50%.png "] {
            #expect(try run(["info", "file://\(scratch.url.path)/\(name)"]).code == 0, "\(name)")
        }
        let svg =
            "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><path fill='%23f00' d='M0 0h4v4H0'/></svg>"
        for text in [svg, svg.replacing("<", with: "%3C").replacing(">", with: "%3E")] {
            #expect(try run(["convert", "--overwrite", "--", "data:image/svg+xml," + text, "out.png"]).code == 0)
            let image = try ImageCodersManager.shared.decode(
                Data(contentsOf: scratch.url.appendingPathComponent("out.png")), options: DecodingOptions())
            #expect(image.color(at: CGPoint(x: 2, y: 2)) == ImageColor(red: 1, green: 0, blue: 0))
        }
    }

    @Test func hostileNameIsPrintedOnOneLine() throws {
        let name = "a\nnetwork 1x1\u{1B}[2J'.png"
        try write(Array(name.utf8), picture())
        let shown = "$'a\\nnetwork 1x1\\x1b[2J\\'.png'"
        let loaded = try run(["load", "--cache", "none", "--out", "out", name])
        #expect(
            loaded.output.hasSuffix(
                " \(shown) -> $'out/a\\nnetwork 1x1\\x1b[2J\\'.png' (original, \(try picture().count) B)\n"))
        #expect(try run(["thumbnail", "--out", "small", name]).output.split(separator: "\n").count == 1)
        try FileManager.default.removeItem(atPath: path("out"))
        for arguments in [["info", "absent\n\u{1B}.png"], ["load", "absent\n\u{1B}.png"], ["nonsense\n\u{1B}"]] {
            let failed = try run(arguments)
            #expect(failed.errors.split(separator: "\n").count == 1 && !failed.errors.contains("\u{1B}"))
        }
        // The printed form is what a shell reads as the name.
        let again = try Tool.run(
            [], through: ["/bin/bash", "-c", "\"$0\" info --json \(shown)"], in: scratch.url.path)
        #expect(try again.objects().first?["path"] as? String == name)
    }

    @Test func nameThatIsNotUTF8IsReadAndWritten() throws {
        try write(Self.latin, picture())
        let info = try shell("\"$0\" info l*.png")
        #expect(info.code == 0, "\(info.errors)")
        let object = try #require(try info.objects().first)
        #expect(object["path"] as? String == "latin\u{FFFD}.png")
        #expect(object["pathBase64"] as? String == Data(Self.latin).base64EncodedString())
        let converted = "\"$0\" convert l*.png \"$(printf 'c\\351.png')\""
        for script in [
            "\"$0\" load --out load l*.png", "\"$0\" thumbnail --out thumbnail l*.png",
            "\"$0\" convert l*.png convert/",
            "\"$0\" frames l*.png frames", converted,
        ] {
            let outcome = try shell(script)
            #expect(outcome.code == 0, "\(script): \(outcome.errors)")
        }
        for folder in ["load", "thumbnail", "convert"] { #expect(try names(folder) == [Self.latin]) }
        #expect(try names("").contains([UInt8(ascii: "c"), 0xE9] + Array(".png".utf8)))
        let shown = try shell("\"$0\" load --out again l*.png").output
        #expect(shown.contains("$'latin\\xe9.png' -> $'again/latin\\xe9.png'"), "\(shown)")
        let absent = try shell("\"$0\" load \"$(printf 'no\\351.png')\"")
        #expect(
            absent.code == 2
                && absent.errors == "webimage: $'no\\xe9.png': No such file or directory. Check the path.\n")
    }

    @Test func foldersAndListsContainEveryName() throws {
        try FileManager.default.createDirectory(atPath: path("photos/sub"), withIntermediateDirectories: true)
        try write(Self.latin, picture(), in: "photos/sub")
        try write(Array("two\nlines.png".utf8), picture(), in: "photos")
        #expect(try run(["info", "-r", "photos"]).objects().count == 2)
        #expect(try shell("find photos -type f -print0 | \"$0\" info -i -").objects().count == 2)
        #expect(try shell("find photos/sub -type f > list; \"$0\" info @list").objects().count == 1)
        #expect(try shell("\"$0\" thumbnail -r -o 'small/%d/%s.webp' photos").code == 0)
        #expect(try names("small/sub") == [Self.latin.dropLast(4) + Array(".webp".utf8)])
        let cache = ["XDG_CACHE_HOME": path("cache")]
        let desktop = try Tool.run(
            ["thumbnail", "--freedesktop", "--size", "normal", "-r", "photos"], environment: cache, in: scratch.url.path
        )
        #expect(desktop.code == 0 && desktop.output.split(separator: "\n").count == 2, "\(desktop.errors)")
        let empty = try shell("\"$0\" info -i - < /dev/null")
        #expect(empty.code == 1 && empty.errors.contains("the lists of --input name no picture"))
    }
}
