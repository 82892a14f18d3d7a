import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// The command with videos.
@Suite(.serialized, .timeLimit(minutes: 3), .enabled(if: VideoSample.isThere))
struct VideoCommandTests {
    private let scratch: ScratchFolder
    private let video: String

    init() throws {
        scratch = try ScratchFolder()
        video = scratch.url.appendingPathComponent("clip.mp4").path
        // One second of red, then one of blue.
        let sample = VideoSample(
            "mp4", "-c:v libx264 -preset ultrafast -g 5 -pix_fmt yuv420p",
            source: "color=0xC02020:size=64x48:rate=25:duration=1[a];color=0x2020C0:size=64x48:rate=25:duration=1[b];"
                + "[a][b]concat")
        try sample.data.write(to: URL(fileURLWithPath: video))
    }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    private func isRed(_ name: String) throws -> Bool {
        let data = try Data(contentsOf: URL(fileURLWithPath: path(name)))
        let image = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
        let size = image.pixelSize
        let color = try #require(image.color(at: CGPoint(x: size.width / 2, y: size.height / 2)))
        #expect(max(color.red, color.blue) > 0.6 && min(color.red, color.blue) < 0.3, "\(color)")
        return color.red > color.blue
    }

    @Test func infoNamesTheDuration() throws {
        let line = try #require(try Tool.run("info", "--json", video).objects().first)
        #expect(line["format"] as? String == "video" && line["width"] as? Int == 64 && line["frames"] as? Int == 10)
        #expect(abs((line["durationSeconds"] as? Double ?? 0) - 2) < 0.05)
        // In restricted processes and in this one.
        let here = try Tool.run("info", "--json", video, environment: ["WEBIMAGE_SANDBOX_MODE": "off"])
        #expect(try here.output == Tool.run("info", "--json", video).output)
    }

    @Test func timeChoosesTheFrame() throws {
        #expect(try Tool.run("thumbnail", "--size", "32", "--out", path("poster.png"), video).code == 0)
        #expect(try Tool.run("thumbnail", "--time", "1.5", "--out", path("later.png"), video).code == 0)
        #expect(try isRed("poster.png") && !isRed("later.png"))
        #expect(try Tool.run("convert", "--time", "0.5", video, path("early.webp")).code == 0)
        #expect(try Tool.run("convert", "--time", "99", video, path("last.png")).code == 0)
        #expect(try isRed("early.webp") && !isRed("last.png"))
        for arguments in [["--time", "x"], ["--time", "-1"], ["--time", "1", "--frame", "2"]] {
            #expect(try Tool.run(["convert"] + arguments + [video, path("none.png")]).code == 1)
        }
    }

    @Test func previewsAreFrames() throws {
        #expect(try Tool.run("convert", video, path("previews.gif")).code == 0)
        let data = try Data(contentsOf: URL(fileURLWithPath: path("previews.gif")))
        let info = try ImageCodersManager.shared.imageInfo(of: data, limits: .default)
        #expect(info.frameCount == 10 && info.delaysMilliseconds == Array(repeating: 500, count: 10))
        #expect(try Tool.run("frames", video, path("frames")).code == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: path("frames"))
        #expect(files.count == 11 && files.contains("frame-0009.rgba"))
        for count in [3, 25] {
            let words = ["frames", "--previews", String(count), video, path("previews-\(count)")]
            #expect(try Tool.run(words).code == 0)
            let list =
                try JSONSerialization.jsonObject(
                    with: Data(contentsOf: URL(fileURLWithPath: path("previews-\(count)/frames.json"))))
                as? [String: Any]
            #expect(list?["delaysMs"] as? [Double] == Array(repeating: 500, count: count))
            let files = try FileManager.default.contentsOfDirectory(atPath: path("previews-\(count)"))
            #expect(files.count == count + 1)
            // Red in the first half of the video, blue in the second.
            let reds = try files.filter { $0.hasSuffix(".rgba") }.sorted().map { name in
                let rows = try Data(contentsOf: URL(fileURLWithPath: path("previews-\(count)/\(name)")))
                return rows[0] > rows[2]
            }
            #expect(reds == (0..<count).map { 2 * $0 < count }, "\(reds)")
        }
        let still = try Tool.run("frames", "--previews", "3", path("previews.gif"), path("none"))
        #expect(still.code == 2 && still.errors.contains("no video"))
        // As the desktop calls it.
        let thumbnail = ["convert", "--frame", "0", "--size", "32", "--format", "png", "--overwrite", "--"]
        #expect(try Tool.run(thumbnail + [video, path("desktop")]).code == 0)
        #expect(try isRed("desktop"))
    }

    /// The folder that the dynamic loader searches first contains an empty library, which hides the real one.
    @Test func missingLibraryIsNamed() throws {
        let formats = try Tool.run("formats", "--json").objects()
        let version = try #require(formats.first { $0["format"] as? String == "video" }?["library"] as? String)
        try #require(version.hasPrefix("ffmpeg "))
        let names = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/x86_64-linux-gnu")
        let library = try #require(names.first { $0.wholeMatch(of: /libavformat\.so\.\d+/) != nil })
        try Data().write(to: scratch.url.appendingPathComponent(library))
        let environment = ["LD_LIBRARY_PATH": scratch.url.path]
        for mode in ["on", "off"] {
            let environment = environment.merging(mode == "off" ? ["WEBIMAGE_SANDBOX_MODE": mode] : [:]) { $1 }
            let outcome = try Tool.run("info", video, environment: environment)
            #expect(outcome.code != 0)
            #expect(outcome.errors.contains("apt install \(library.replacing(".so.", with: ""))"), "\(outcome.errors)")
        }
        let rows = try Tool.run("formats", "--json", environment: environment).objects()
        #expect(rows.first { $0["format"] as? String == "video" }?["reads"] as? Bool == false)
        #expect(rows.first { $0["format"] as? String == "avif" }?["reads"] as? Bool == true)
    }
}
