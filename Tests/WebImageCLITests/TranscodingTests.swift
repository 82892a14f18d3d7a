import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests `webimage convert` where it keeps more than pixels: JPEG as JPEG XL and back, and animations in every format.
@Suite(.timeLimit(minutes: 3))
struct TranscodingTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func data(_ name: String) throws -> Data { try Data(contentsOf: scratch.url.appendingPathComponent(name)) }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(arguments, in: scratch.url.path)
    }

    private func picture(_ index: Int = 0, side: Int = 160) throws(WebImageError) -> Image {
        try Image.generated(width: side, height: side) { x, y in
            let value = UInt8(truncatingIfNeeded: x * x / 9 + y * 3 + index * 20)
            return (value, UInt8(truncatingIfNeeded: y), value / 2, 255)
        }
    }

    @Test func aJPEGAndItsMetadataComeBackFromJPEGXL() throws {
        var options = EncodingOptions()
        options.quality = 0.8
        options.metadata = EmbeddedMetadata(xmp: Data("<x:xmpmeta/>".utf8))
        let jpeg = try ImageCodersManager.shared.encode(try picture(), format: .jpeg, options: options)
        try jpeg.write(to: scratch.url.appendingPathComponent("a.jpg"))
        #expect(try run("convert", "a.jpg", "a.jxl").code == 0)
        #expect(try run("convert", "a.jxl", "b.jpg").code == 0)
        #expect(try data("b.jpg") == jpeg)
        #expect(try data("a.jxl").count < jpeg.count)
        #expect(try run("load", "--out", "c.jxl", "a.jpg").code == 0)
        #expect(try data("c.jxl") == data("a.jxl"))
        // What asks for other pixels, or forbids the metadata.
        let others = [
            ["--quality", "80"], ["--size", "50%"], ["--flip", "both"], ["--metadata", "drop"], ["--color", "srgb"],
        ]
        for (index, words) in others.enumerated() {
            let name = "other\(index)"
            #expect(try Tool.run(["convert"] + words + ["a.jpg", name + ".jxl"], in: scratch.url.path).code == 0)
            #expect(try run("convert", name + ".jxl", name + ".jpg").code == 0)
            #expect(try data(name + ".jpg") != jpeg, "\(words)")
        }
        #expect(try run("convert", "--sandbox", "a.jpg", "sandbox.jxl").code == 0)
        #expect(try data("sandbox.jxl") != data("a.jxl"))
    }

    @Test func animationsKeepFramesDelaysAndPlaysInEveryFormat() throws {
        let gif = try ImageCodersManager.shared.encode(
            frameCount: 4, loopCount: 3, format: .gif, options: EncodingOptions()
        ) { index throws(WebImageError) in
            ImageFrame(image: try picture(index, side: 60), duration: 0.05 * Double(index + 1))
        }
        try gif.write(to: scratch.url.appendingPathComponent("a.gif"))
        for format in ["webp", "avif", "jxl", "png", "gif"] {
            #expect(try run("convert", "--size", "30", "a.gif", "b.\(format)").code == 0, "\(format)")
            // And from each format back to GIF, which counts repetitions instead of plays.
            #expect(try run("convert", "b.\(format)", "back-\(format).gif").code == 0, "\(format)")
            let objects = try run("info", "--json", "b.\(format)", "back-\(format).gif").objects()
            #expect(objects.map { $0["frames"] as? Int } == [4, 4], "\(format)")
            #expect(objects.map { $0["width"] as? Int } == [30, 30], "\(format)")
            #expect(objects.map { $0["loopCount"] as? Int } == [format == "gif" ? 2 : 3, 2], "\(format)")
            for object in objects {
                let delays = (object["delaysMs"] as? [NSNumber] ?? []).map { $0.intValue }
                #expect(delays == [50, 100, 150, 200], "\(format) \(delays)")
            }
        }
    }
}
