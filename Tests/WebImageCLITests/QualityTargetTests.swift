import Foundation
import Testing
import WebImage
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

/// Tests `--quality-target` in each command that has it.
@Suite(.timeLimit(minutes: 2))
struct QualityTargetTests {
    private let scratch: ScratchFolder
    private let original: Image

    init() throws {
        scratch = try ScratchFolder()
        original = try Image.generated(width: 160, height: 120) { x, y in
            let wave = sin(Double(x) / 11) * 60 + cos(Double(x - y) / 7) * 50
            let value = UInt8(min(max(128 + wave + Double((x * 7 + y * 13) % 17), 0), 255))
            return (value, value, UInt8(clamping: Int(value) / 2 + y / 2), 255)
        }
        let image = Image(pixels: original.pixels, hasAlpha: false)
        try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
            .write(to: scratch.url.appendingPathComponent("in.png"))
    }

    private func score(_ name: String) throws -> Double {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let data = try Data(contentsOf: scratch.url.appendingPathComponent(name))
        let picture = try ImageCodersManager.shared.decode(data, options: options)
        return try PictureScore.Reference(original.pixels, hasAlpha: false).score(of: picture.pixels, hasAlpha: false)
    }

    @Test(arguments: [
        ["convert", "in.png", "out.jpg"], ["convert", "in.png", "out.webp"], ["load", "in.png", "--out", "out.jpg"],
        ["thumbnail", "in.png", "--size", "160", "--out", "out.jpg"],
    ])
    func filesHaveTheScore(_ words: [String]) throws {
        for target in [78, 88] {
            let run = try Tool.run(
                words + ["--overwrite", "--quality-target", "ssim2=\(target)"], in: scratch.url.path)
            #expect(run.code == 0)
            let name = words.contains("out.webp") ? "out.webp" : "out.jpg"
            let score = try score(name)
            #expect(abs(score - Double(target)) <= 4, "\(words) \(target): \(score)")
        }
    }

    /// A JPEG that fits would otherwise be copied, or become JPEG XL as it is.
    @Test func targetAsksForAnotherEncoding() throws {
        let path = scratch.url.path
        #expect(try Tool.run(["convert", "in.png", "in.jpg", "--quality", "95"], in: path).code == 0)
        for words in [["load", "in.jpg", "--out", "a.jpg"], ["convert", "in.jpg", "a.jxl"]] {
            #expect(try Tool.run(words + ["--quality-target", "ssim2=78"], in: path).code == 0)
            #expect(try Tool.run(["convert", words.last ?? "", "back.png", "--overwrite"], in: path).code == 0)
            let score = try score("back.png")
            #expect(abs(score - 78) <= 4, "\(words): \(score)")
        }
    }
}
