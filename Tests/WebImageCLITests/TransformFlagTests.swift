import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Runs `webimage convert` with transform options.
@Suite(.timeLimit(minutes: 2))
struct TransformFlagTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    /// Writes an image of 40 × 20 px: the left half red, the right half blue.
    private func write(_ name: String, _ format: ImageFormat = .png) throws {
        let image = try Image.generated(width: 40, height: 20) { x, _ in x < 20 ? (0, 0, 255, 255) : (255, 0, 0, 255) }
        try ImageCodersManager.shared.encode(image, format: format, options: EncodingOptions())
            .write(to: scratch.url.appendingPathComponent(name))
    }

    private func convert(_ flags: String...) throws -> Image {
        try write("in.png")
        let outcome = try Tool.run(["convert", "--overwrite", path("in.png"), path("out.png")] + flags)
        try #require(outcome.code == 0, "\(outcome.errors)")
        return try ImageCodersManager.shared.decode(
            Data(contentsOf: scratch.url.appendingPathComponent("out.png")), options: DecodingOptions())
    }

    private func hex(_ image: Image, _ x: Int, _ y: Int) -> String? {
        image.color(at: CGPoint(x: x, y: y))?.hexString
    }

    private static let (red, blue, clear) = ("#ffff0000", "#ff0000ff", "#00000000")

    @Test func everyStepMatchesItsDescription() throws {
        #expect(try convert("--resize", "10x30").pixelSize == PixelSize(width: 10, height: 30))
        let fitted = try convert("--resize", "40x40,aspectFit")
        #expect(hex(fitted, 20, 2) == Self.clear && hex(fitted, 5, 20) == Self.red)
        #expect(try hex(convert("--resize", "20x20,aspectFill"), 2, 10) == Self.red)
        #expect(try hex(convert("--crop", "20x20+20+0"), 0, 0) == Self.blue)
        // A positive angle rotates counter-clockwise, so the right (blue) half is now at the top.
        let turned = try convert("--rotate", "90")
        #expect(turned.pixelSize == PixelSize(width: 20, height: 40) && hex(turned, 10, 5) == Self.blue)
        #expect(try convert("--rotate", "-45,cut").pixelSize == PixelSize(width: 40, height: 20))
        #expect(try hex(convert("--flip", "horizontal"), 0, 0) == Self.blue)
        #expect(try hex(convert("--flip", "vertical"), 0, 0) == Self.red)
        let rounded = try convert("--round", "10,2,#00ff00")
        #expect(hex(rounded, 0, 0) == Self.clear && hex(rounded, 20, 2)?.hasPrefix("#ff00ff00") == true)
        let blurred = try #require(try convert("--blur", "4").color(at: CGPoint(x: 20, y: 10)))
        #expect(abs(blurred.red - 0.5) < 0.1 && abs(blurred.blue - 0.5) < 0.1)
        #expect(try hex(convert("--tint", "#102030"), 5, 5) == "#ff102030")
        #expect(try hex(convert("--tint", "#ff808080,multiply"), 5, 5) == "#ff800000")
        #expect(try hex(convert("--filter", "invert"), 5, 5) == "#ff00ffff")
        #expect(try hex(convert("--filter", "matrix=0,0,1,0,1,0,1,0,0"), 5, 5) == Self.blue)
    }

    @Test func stepsRunInTheOrderOfTheirOptions() throws {
        // Steps run in the order of the options. `first` is cropped and then flipped, `second` is flipped and
        // then cropped.
        let first = try convert("--crop", "20x20+0+0", "--flip", "horizontal")
        #expect(hex(first, 0, 0) == Self.red)
        let second = try convert("--flip", "horizontal", "--crop", "20x20+0+0")
        #expect(hex(second, 0, 0) == Self.blue)
        // A repeated step runs twice.
        #expect(try hex(convert("--flip", "horizontal", "--flip", "horizontal"), 0, 0) == Self.red)
        #expect(try convert("--rotate", "90", "--resize", "7x9", "--rotate", "90").pixelSize.width == 9)
    }

    @Test func everyFrameOfAnAnimationIsChanged() throws {
        let frames = try [40, 90, 200].map { value in
            ImageFrame(
                image: try Image.generated(width: 12, height: 6) { x, _ in (x < 6 ? 255 : 0, UInt8(value), 0, 255) },
                duration: Double(value) / 1000)
        }
        let file = try ImageCodersManager.shared.encode(frames, loopCount: 4, format: .png, options: EncodingOptions())
        try file.write(to: scratch.url.appendingPathComponent("a.png"))
        let outcome = try Tool.run("convert", path("a.png"), path("b.png"), "--flip", "horizontal", "--crop", "6x6+0+0")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let info = try #require(try Tool.run("info", path("b.png")).objects().first)
        #expect(info["frames"] as? Int == 3 && info["loopCount"] as? Int == 4 && info["width"] as? Int == 6)
        #expect(info["delaysMs"] as? [Int] == [40, 90, 200])
        let back = try #require(AnimatedImage(contentsOfFile: path("b.png")))
        for (index, value) in [40, 90, 200].enumerated() {
            let color = try #require(back.animatedImageFrame(at: index)?.color(at: CGPoint(x: 1, y: 1)))
            #expect(color.blue == 0 && Int((color.green * 255).rounded()) == value)
        }
    }

    @Test func rawRowsAreStraightRGBAAlsoAfterSteps() throws {
        try write("in.png")
        #expect(try Tool.run("convert", path("in.png"), path("o.rgba"), "--tint", "#80ff0000,copy").code == 0)
        let rows = try Data(contentsOf: scratch.url.appendingPathComponent("o.rgba"))
        #expect(rows.count == 40 * 20 * 4 && rows.prefix(4) == Data([255, 0, 0, 128]))
    }

    @Test(arguments: [
        ["--resize", "10"], ["--resize", "10x20,huge"], ["--crop", "1x1"], ["--crop", "1x1+-5+0"],
        ["--rotate", "left"],
        ["--rotate", "nan"], ["--rotate", "90,fit"], ["--flip", "sideways"], ["--round", "-1"], ["--round", "1,2"],
        ["--blur", "inf"], ["--tint", "red"], ["--tint", "#12345"], ["--tint", "#123456,mix"],
        ["--filter", "beautiful"],
        ["--filter", "exposure"], ["--filter", "exposure=much"], ["--filter", "matrix=1,2"],
        ["--filter", "convolution=1,2,3,4"], ["--filter", "pixellate=0"], ["--resize"],
    ])
    func whatCannotBeDoneSaysWhatIsWanted(_ flags: [String]) throws {
        let outcome = try Tool.run(["convert", "a.png", "b.png"] + flags)
        #expect(outcome.code == 1 && outcome.errors.hasPrefix("webimage: "))
        #expect(outcome.errors.contains("requires") || outcome.errors.contains("supports"))
    }

    @Test func emptyResultIsAnErrorAndWritesNoFile() throws {
        try write("in.png")
        let outcome = try Tool.run("convert", path("in.png"), path("o.png"), "--crop", "5x5+100+100")
        #expect(outcome.code == 2 && outcome.errors.contains("nothing is left"))
        #expect(!FileManager.default.fileExists(atPath: path("o.png")))
    }

    @Test func helpNamesEveryStep() throws {
        let help = try Tool.run("convert", "--help").output
        for step in ["resize", "crop", "rotate", "flip", "round", "blur", "tint", "filter"] {
            #expect(help.contains("--\(step) "))
        }
    }
}
