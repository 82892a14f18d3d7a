import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The command without the library of a plug-in. The folder that the dynamic loader searches first contains an empty library,
/// which hides the real one. ``VideoCommandTests`` has videos.
@Suite(.serialized, .timeLimit(minutes: 3))
struct MissingLibraryTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    struct Row: Sendable, CustomTestStringConvertible {
        let format: String
        /// The start of the library's file name, up to its version.
        let library: String
        /// Formats whose library needs this one.
        var further: Set<String> = []
        let data: @Sendable () throws -> Data
        var testDescription: String { format }
    }

    static let rows: [Row] = {
        let lottie = #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":64,"h":32,"assets":[],"layers":[]}"#
        var rows = [
            Row(format: "lottie", library: "librlottie.so.") { Data(lottie.utf8) },
            Row(format: "raw", library: "libraw.so.") {
                DNGFile(width: 64, height: 48) { _, _ in (0.2, 0.4, 0.6) }.data
            },
        ]
        if VideoSample.isThere {
            let options = "-frames:v 1 -c:v jpeg2000 -pix_fmt rgb24"
            let sample = VideoSample("jp2", options, source: "testsrc2=size=64x48:rate=1:duration=1")
            // FFmpeg decodes JPEG 2000 by OpenJPEG.
            rows.append(Row(format: "jp2", library: "libopenjp2.so.", further: ["video"]) { try sample.data })
        }
        return rows
    }()

    private func file(_ name: String, _ data: Data) throws -> String {
        let url = scratch.url.appendingPathComponent(name)
        try data.write(to: url)
        return url.path
    }

    /// The environment in which each version of a library is hidden.
    private func hiding(_ library: String) throws -> [String: String] {
        let folder = scratch.url.appendingPathComponent("hidden")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let names = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/x86_64-linux-gnu")
        let hidden = names.filter { $0.hasPrefix(library) }
        try #require(!hidden.isEmpty)
        for name in hidden { try Data().write(to: folder.appendingPathComponent(name)) }
        return ["LD_LIBRARY_PATH": folder.path]
    }

    /// In the command and in decoder processes, one message names the package, and pictures of other formats are made as before.
    @Test(arguments: rows) func packageIsNamed(row: Row) throws {
        let source = try file("file", row.data())
        let solid = try TestImages.solid(red: 90)
        let other = try file(
            "other.png", ImageCodersManager.shared.encode(solid, format: .png, options: EncodingOptions()))
        let formats = try Tool.run("formats", "--verbose", "--json").objects()
        let named = formats.first { $0["format"] as? String == row.format }?["package"] as? String
        let package = try #require(named)
        for mode in [[:], ["WEBIMAGE_SANDBOX_MODE": "off"]] {
            #expect(try Tool.run("convert", "--overwrite", source, source + ".png", environment: mode).code == 0)
            let environment = try hiding(row.library).merging(mode) { $1 }
            let outcome = try Tool.run("convert", "--overwrite", source, source + ".png", environment: environment)
            #expect(outcome.code != 0 && outcome.errors.contains("apt install \(package)"), "\(outcome.errors)")
            let lines = outcome.errors.split(separator: "\n").filter { !$0.contains("WEBIMAGE_SANDBOX_MODE") }
            #expect(lines.count == 1, "\(outcome.errors)")
            #expect(try Tool.run("convert", "--overwrite", other, other + ".bmp", environment: environment).code == 0)
            let rows = try Tool.run("formats", "--json", environment: environment).objects()
            let reading = rows.filter { $0["reads"] as? Bool == true }.compactMap { $0["format"] as? String }
            let before = formats.filter { $0["reads"] as? Bool == true }.compactMap { $0["format"] as? String }
            #expect(Set(before).subtracting(reading).subtracting(row.further) == [row.format])
        }
    }

    /// PDFium is in no package of Debian.
    @Test func wheelOfPDFiumIsNamed() throws {
        let source = try file("page.pdf", PDFBytes(pages: [.init(content: "1 0 0 rg 0 0 50 50 re f")]).data)
        for mode in [[:], ["WEBIMAGE_SANDBOX_MODE": "off"]] {
            let missing = scratch.url.appendingPathComponent("none.so").path
            let environment = mode.merging(["WEBIMAGE_PDFIUM": missing]) { $1 }
            let outcome = try Tool.run("convert", source, source + ".png", environment: environment)
            #expect(outcome.code != 0 && outcome.errors.contains("pypdfium2"), "\(outcome.errors)")
        }
    }

    @Test func packageOfPagesIsNamed() throws {
        let server = try FaultServer()
        defer { server.stop() }
        let page = "<!doctype html><title>T</title><meta property=og:image content=/p.png>"
        server.route("/page", .body(Data(page.utf8), type: "text/html"))
        let words = ["load", "--cache", scratch.url.appendingPathComponent("cache").path, "--link-preview"]
        let outcome = try Tool.run(words + [server.url("/page").absoluteString], environment: hiding("libxml2.so."))
        #expect(outcome.code != 0 && outcome.errors.contains("apt install libxml2"), "\(outcome.errors)")
    }
}
