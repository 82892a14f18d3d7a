import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// `--hdr` of the commands, and what `info` tells of a high dynamic range.
@Suite(.timeLimit(minutes: 5))
struct RangeOptionTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        let base = try Image.generated(width: 64, height: 48) { x, y in (128, UInt8(5 * y), UInt8(4 * x), 255) }
        let map = try Image.generated(width: 16, height: 12) { x, _ in
            (UInt8(17 * x), UInt8(17 * x), UInt8(17 * x), 255)
        }
        let coder = ImageJPEGCoder.shared
        let sample = GainMapSample(
            base: try coder.encode(base, format: .jpeg, options: EncodingOptions()),
            map: try coder.encode(map, format: .jpeg, options: EncodingOptions()),
            channels: [[0, 2, 1, 0.015625, 0.015625]], headrooms: (0, 2))
        try sample.file().write(to: scratch.url.appendingPathComponent("ultra.jpg"))
        try ColorSignal(.rgb, .pq, bits: 16).png(.numbers).write(to: scratch.url.appendingPathComponent("pq.png"))
    }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    private func convert(_ words: String...) throws -> Tool.Outcome {
        try Tool.run(["convert", "--quiet", "--overwrite"] + words)
    }

    private func info(_ name: String) throws -> [String: Any] {
        try #require(try Tool.run("info", "--json", path(name)).objects().first)
    }

    @Test func infoTellsTheRange() throws {
        let ultra = try info("ultra.jpg")
        #expect(ultra["hdr"] as? String == "gain-map" && ultra["headroom"] as? Double == 4)
        #expect(ultra["gainMapWidth"] as? Int == 16 && ultra["gainMapHeight"] as? Int == 12)
        #expect(try info("pq.png")["hdr"] as? String == "pq")
        _ = try convert("--hdr", "drop", path("ultra.jpg"), path("plain.jpg"))
        #expect(try info("plain.jpg")["hdr"] == nil)
    }

    @Test(arguments: ["convert", "thumbnail"]) func mapIsKeptAppliedOrDropped(_ command: String) throws {
        func make(_ words: [String], _ output: String) throws -> Tool.Outcome {
            if command == "convert" {
                return try Tool.run(
                    ["convert", "--quiet", "--overwrite", "--size", "32x24"] + words + [
                        path("ultra.jpg"), path(output),
                    ])
            }
            return try Tool.run(
                ["thumbnail", "--quiet", "--overwrite", "--size", "32x24", "--out", path(output)] + words
                    + [path("ultra.jpg")])
        }
        // Kept by default and on request, in the size of the picture.
        for words in [[], ["--hdr", "keep"]] {
            let outcome = try make(words, "kept.jpg")
            #expect(outcome.code == 0, "\(outcome.errors)")
            let kept = try info("kept.jpg")
            #expect(kept["hdr"] as? String == "gain-map" && kept["gainMapWidth"] as? Int == 8, "\(kept)")
            #expect(kept["width"] as? Int == 32)
        }
        // Applied: PQ with the light level of the whole headroom.
        let outcome = try make(["--hdr", "apply"], "applied.png")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let applied = try info("applied.png")
        #expect(applied["hdr"] as? String == "pq" && applied["maxCLL"] as? Int == 812, "\(applied)")
        #expect(applied["bitDepth"] as? Int == 16)
        // Dropped, on request and where the format has no place.
        for (words, output) in [
            (["--hdr", "drop"], "dropped.jpg"), ([], "plain.png"), (["--hdr", "keep"], "plain.webp"),
        ] {
            #expect(try make(words, output).code == 0)
            #expect(try info(output)["hdr"] == nil)
        }
        let refused = try make(["--hdr", "apply"], "applied.jpg")
        #expect(refused.code != 0 && refused.errors.contains("--hdr keep"), "\(refused.errors)")
    }

    @Test func stepsMoveOrDropTheMap() throws {
        for (step, kept) in [
            (["--crop", "32x24+8+8"], true), (["--rotate", "90"], true), (["--flip", "horizontal"], true),
            (["--blur", "2"], false), (["--rotate", "30"], false),
        ] {
            let outcome = try Tool.run(
                ["convert", "--quiet", "--overwrite"] + step + [path("ultra.jpg"), path("step.jpg")])
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect((try info("step.jpg")["hdr"] != nil) == kept, "\(step)")
        }
    }

    @Test(arguments: ["png", "avif", "jxl"]) func valuesOfPQAreKeptOnRequest(_ format: String) throws {
        let outcome = try convert("--hdr", "keep", path("pq.png"), path("kept.\(format)"))
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try info("kept.\(format)")["hdr"] as? String == "pq")
        _ = try convert("--hdr", "drop", path("pq.png"), path("dropped.\(format)"))
        #expect(try info("dropped.\(format)")["hdr"] == nil)
    }

    /// A JPEG of PQ has a gain map, which leads to the same light again.
    @Test func jpegOfPQHasAMapOnRequest() throws {
        try BrightPicture.png().write(to: scratch.url.appendingPathComponent("bright.png"))
        for (words, kind) in [(["--hdr", "keep"], "gain-map"), ([], nil), (["--hdr", "drop"], nil)]
            as [([String], String?)]
        {
            let outcome = try Tool.run(
                ["convert", "--quiet", "--overwrite"] + words + [path("bright.png"), path("made.jpg")])
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try info("made.jpg")["hdr"] as? String == kind, "\(words)")
        }
    }

    @Test func mapOfJPEGIsKeptInJPEGXL() throws {
        let outcome = try convert("--resize", "32x24", path("ultra.jpg"), path("kept.jxl"))
        #expect(outcome.code == 0, "\(outcome.errors)")
        let kept = try info("kept.jxl")
        #expect(
            kept["hdr"] as? String == "gain-map" && kept["gainMapWidth"] as? Int == 8
                && kept["headroom"] as? Double == 4)
        _ = try convert(path("kept.jxl"), path("again.jpg"))
        #expect(try info("again.jpg")["gainMapWidth"] as? Int == 8)
        _ = try convert("--hdr", "drop", path("kept.jxl"), path("dropped.jxl"))
        #expect(try info("dropped.jxl")["hdr"] == nil)
    }

    @Test func otherValuesAreRefused() throws {
        #expect(try convert("--hdr", "yes", path("ultra.jpg"), path("x.jpg")).code == 1)
    }
}
