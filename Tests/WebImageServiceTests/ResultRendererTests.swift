import Foundation
import Testing
import WebImage
import WebImageTIFF
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests the effect of every option on the pixels.
@Suite(.timeLimit(minutes: 2))
struct ResultRendererTests {
    typealias Fix = PictureFixtures

    private func look(_ options: String, _ source: Data? = nil) throws -> Look {
        try Fix.look(at: try Fix.make(options + "/f:png", from: try source ?? Fix.quadrants()))
    }

    /// Returns whether the corners have these colours: top left, top right, bottom left, bottom right.
    private func corners(_ look: Look, _ expected: [Fix.Pixel]) -> Bool {
        let (right, bottom) = (look.image.pixelSize.width - 2, look.image.pixelSize.height - 2)
        let places = [(1, 1), (right, 1), (1, bottom), (right, bottom)]
        return zip(places, expected).allSatisfy { look.shows($1, $0.0, $0.1) }
    }

    @Test func resizingKeepsThePicture() throws {
        for (options, size) in [
            ("w:40", "40x30"), ("rs:force:20:50", "20x50"), ("rs:fill:40:40", "40x40"), ("rs:fit:160:160:1", "160x120"),
        ] {
            let result = try look(options)
            #expect(result.size == size)
            #expect(corners(result, [Fix.red, Fix.green, Fix.blue, Fix.white]), "\(options)")
        }
    }

    @Test func cropPositionFollowsTheGravity() throws {
        for (gravity, color) in [
            ("nowe", Fix.red), ("noea", Fix.green), ("sowe", Fix.blue), ("soea", Fix.white), ("fp:0:0", Fix.red),
            ("fp:1:1", Fix.white),
        ] {
            let result = try look("c:40:30:\(gravity)")
            #expect(result.size == "40x30")
            #expect(corners(result, [color, color, color, color]), "\(gravity)")
        }
        #expect(corners(try look("c:0.5:0.5:nowe/w:20"), [Fix.red, Fix.red, Fix.red, Fix.red]))
        #expect(corners(try look("rs:fill:40:60/g:ea"), [Fix.green, Fix.green, Fix.white, Fix.white]))
        #expect(corners(try look("rs:fill:80:30/g:so"), [Fix.blue, Fix.white, Fix.blue, Fix.white]))
        // The offset of 40 px moves the crop from the left edge towards the right.
        #expect(corners(try look("rs:fill:40:60/g:we:40:0"), [Fix.green, Fix.green, Fix.white, Fix.white]))
    }

    @Test func rotationsAreClockwiseAndPrecedeFlips() throws {
        let (red, green, blue, white) = (Fix.red, Fix.green, Fix.blue, Fix.white)
        #expect(corners(try look("rot:90"), [blue, red, white, green]))
        #expect(corners(try look("rot:180"), [white, blue, green, red]))
        #expect(corners(try look("rot:270"), [green, white, red, blue]))
        #expect(corners(try look("fl:1"), [green, red, white, blue]))
        #expect(corners(try look("fl:0:1"), [blue, white, red, green]))
        #expect(corners(try look("fl:1:1"), [white, blue, green, red]))
        #expect(corners(try look("rot:90/fl:1"), [red, blue, green, white]))
        #expect(try look("rot:90/w:30").size == "30x40")
        // The image is rotated before it is cropped.
        #expect(corners(try look("rot:90/c:30:40:nowe"), [blue, blue, blue, blue]))
    }

    @Test func orientationIsAppliedUnlessDisabled() throws {
        // The stored JPEG is wide. Its orientation tag requests a clockwise turn.
        let jpeg = try Fix.encoded(
            try Image.generated(width: 64, height: 32) { x, _ in x < 32 ? Fix.red : Fix.blue }, .jpeg)
        let turned = try #require(EXIFOrientation.marking(jpeg, 6))
        #expect(try look("w:0", turned).size == "32x64")
        #expect(try look("w:16", turned).size == "16x32")
        let upright = try look("w:16", turned)
        #expect(upright.shows(Fix.red, 8, 4, tolerance: 40) && upright.shows(Fix.blue, 8, 28, tolerance: 40))
        // Without `auto_rotate`, sizes mean the stored sides. BMP cannot declare an orientation, so its pixels are turned.
        let stored = try Fix.make("ar:0/w:32/f:jpg", from: turned)
        #expect(stored.size == PixelSize(width: 32, height: 16))
        let bitmap = try Fix.look(at: try Fix.make("ar:0/w:32/f:bmp", from: turned))
        #expect(bitmap.size == "16x32")
        #expect(bitmap.shows(Fix.red, 8, 4, tolerance: 40) && bitmap.shows(Fix.blue, 8, 28, tolerance: 40))
    }

    @Test func extendingAndPaddingFillWithTheBackground() throws {
        let extended = try look("rs:fit:80:80:0:1")
        #expect(extended.size == "80x80")
        #expect(extended.shows(Fix.clear, 1, 1) && extended.shows(Fix.red, 1, 12) && extended.shows(Fix.clear, 1, 78))
        let north = try look("rs:fit:80:80:0:1:no/bg:fff")
        #expect(north.shows(Fix.red, 1, 1) && north.shows(Fix.white, 1, 62) && !north.image.hasAlpha)
        let ratio = try look("rs:fit:160:160/exar:1:we")
        #expect(ratio.size == "80x80")
        let padded = try look("w:40/pd:5:6:7:8/bg:00f")
        #expect(padded.size == "54x42")
        #expect(padded.shows(Fix.blue, 7, 20) && padded.shows(Fix.red, 9, 6) && padded.shows(Fix.blue, 49, 20))
        #expect(padded.shows(Fix.blue, 20, 4) && padded.shows(Fix.blue, 20, 36))
    }

    @Test func transparencyIsFlattenedForFormatsWithoutAlpha() throws {
        let source = try Fix.png(20, 20, hasAlpha: true) { x, _ in x < 10 ? Fix.red : Fix.clear }
        #expect(try look("w:0", source).shows(Fix.clear, 15, 10))
        #expect(try look("bg:0000ff", source).shows(Fix.blue, 15, 10))
        let jpeg = try Fix.look(at: try Fix.make("f:jpg/q:95", from: source))
        #expect(jpeg.shows(Fix.white, 17, 10, tolerance: 30))
    }

    @Test func bordersAreTrimmed() throws {
        let source = try Fix.png(60, 40) { x, y in (20..<50).contains(x) && (5..<30).contains(y) ? Fix.red : Fix.white }
        #expect(try look("t:10", source).size == "30x25")
        #expect(try look("t:10:ffffff:1", source).size == "40x25")
        #expect(try look("t:10::0:1", source).size == "30x30")
        // If the border does not have the given colour, nothing is trimmed.
        #expect(try look("t:10:00ff00", source).size == "60x40")
        #expect(try look("t:10/w:15", source).size == "15x13")
        let clear = try Fix.png(20, 20, hasAlpha: true) { x, y in x > 4 && y > 9 ? Fix.green : Fix.clear }
        #expect(try look("t:1:FF00FF", clear).size == "15x10")
        // If the whole image has the colour of the border, nothing is trimmed.
        #expect(try look("t:1", try Fix.png(9, 9) { _, _ in Fix.blue }).size == "9x9")
    }

    @Test func smartCropKeepsTheSalientRegion() throws {
        let source = try Fix.png(120, 40) { x, y in
            (84..<112).contains(x) && (4..<36).contains(y)
                ? ((x / 4 + y / 4) % 2 == 0 ? Fix.red : Fix.white)
                : (120, 120, 120, 255)
        }
        let result = try look("rs:fill:40:40/g:sm", source)
        #expect(result.size == "40x40")
        let reds = (0..<40).filter { x in result.shows(Fix.red, x, 6) || result.shows(Fix.red, x, 10) }
        #expect(reds.count >= 24)
        // If an image has no detail, the smart crop keeps the middle of the image.
        let plain = try Fix.png(120, 40) { _, _ in (0, 90, 0, 255) }
        #expect(try look("rs:fill:40:40/g:sm", plain).size == "40x40")
        #expect(try look("c:40:20:sm", source).size == "40x20")
    }

    @Test func effectsChangePixels() throws {
        let edge = try Fix.png(40, 40) { x, _ in x < 20 ? (0, 0, 0, 255) : Fix.white }
        for sigma in ["0.8", "4"] {
            let blurred = try look("bl:\(sigma)", edge).pixel(19, 20)[0]
            #expect(blurred > 20 && blurred < 235, "\(sigma)")
        }
        let soft = try Fix.png(40, 40) { x, _ in x < 20 ? (90, 90, 90, 255) : (160, 160, 160, 255) }
        let sharp = try look("sh:1", soft)
        #expect(sharp.pixel(19, 20)[0] < 85 && sharp.pixel(20, 20)[0] > 165)
        #expect(sharp.pixel(5, 20)[0] == 90)
        let checks = try Fix.png(40, 40) { x, y in (x + y) % 2 == 0 ? (0, 0, 0, 255) : Fix.white }
        let blocks = try look("pix:10", checks)
        #expect(Set((0..<40).map { blocks.pixel($0, 5)[0] }).count <= 8)
    }

    @Test func theWatermarkIsPutWhereItIsWanted() throws {
        let mark = WatermarkSource(data: try Fix.png(10, 10) { _, _ in Fix.green }, opacity: 1)
        let source = try Fix.png(60, 60) { _, _ in Fix.red }
        func look(_ options: String) throws -> Look {
            try Fix.look(at: try Fix.make(options + "/f:png", from: source, watermark: mark))
        }
        let corner = try look("wm:1:soea:5:5")
        #expect(corner.shows(Fix.green, 50, 50) && corner.shows(Fix.red, 56, 56) && corner.shows(Fix.red, 44, 44))
        let half = try look("wm:0.5:ce").pixel(30, 30)
        #expect(abs(Int(half[1]) - 128) < 4 && abs(Int(half[2]) - 127) < 4)
        let large = try look("wm:1:nowe:0:0:0.5")
        #expect(large.shows(Fix.green, 28, 28) && large.shows(Fix.red, 32, 32))
        let tiled = try look("wm:1:re:10:10")
        #expect(tiled.shows(Fix.green, 5, 5) && tiled.shows(Fix.red, 15, 5) && tiled.shows(Fix.green, 25, 45))
    }

    /// Only the visible part of a large mark is scaled, so its scale needs no memory and changes no place.
    @Test func watermarkMayBeFarLargerThanTheResult() throws {
        // Blue on the left, green on the right.
        let mark = WatermarkSource(data: try Fix.png(40, 40) { x, _ in x < 20 ? Fix.blue : Fix.green }, opacity: 1)
        let source = try Fix.png(60, 60) { _, _ in Fix.red }
        var settings = OutputSettings()
        settings.maxWorkBytes = 400_000
        func look(_ options: String) throws -> Look {
            try Fix.look(at: try Fix.make(options + "/f:png", from: source, settings: settings, watermark: mark))
        }
        for scale in ["4", "5", "33.3", "100"] {
            let centred = try look("wm:1:ce:0:0:\(scale)")
            #expect(centred.image.pixelSize == PixelSize(width: 60, height: 60))
            // At 100, the result shows less than half a pixel of the mark around the edge, which is a smooth change.
            let showsEdge = scale != "100"
            #expect(!showsEdge || centred.shows(Fix.blue, 5, 30) && centred.shows(Fix.green, 55, 30), "\(scale)")
            let corner = try look("wm:1:nowe:0:0:\(scale)")
            #expect(corner.shows(Fix.blue, 5, 5) && corner.shows(Fix.blue, 55, 55), "\(scale)")
            #expect(try look("wm:1:soea:0:0:\(scale)").shows(Fix.green, 30, 30), "\(scale)")
            #expect(try !showsEdge || look("wm:1:re:0:0:\(scale)").shows(Fix.green, 55, 30), "\(scale)")
        }
        // A stored mark that is larger than the result is cut, not scaled.
        let small = try Fix.look(at: try Fix.make("w:10/wm:1:nowe/f:png", from: source, watermark: mark))
        #expect(small.shows(Fix.blue, 1, 1) && small.shows(Fix.blue, 8, 8))
    }

    /// As in imgproxy, whose preferred formats are JPEG, PNG and GIF.
    @Test func stillGIFKeepsItsFormat() throws {
        let still = try Fix.encoded(try Image.generated(width: 40, height: 30) { _, _ in Fix.red }, .gif)
        #expect(try Fix.make("w:20", from: still).format == .gif)
        #expect(try Fix.make("w:20", from: still, accepted: .webp).format == .webp)
        #expect(try Fix.make("w:20/f:png", from: still).format == .png)
        let bmp = try Fix.encoded(try Image.generated(width: 40, height: 30) { _, _ in Fix.red }, .bmp)
        #expect(try Fix.make("w:20", from: bmp).format == .jpeg)
    }

    /// Pages are not an animation, whichever format the result has.
    @Test func aFileOfPagesBecomesItsFirstPage() async throws {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [ImageTIFFCoder.shared])
        let bench = try ServiceBench(coders: coders)
        let images = try [(40, 30), (20, 15), (80, 10)].map { size in
            Image(pixels: try PixelBuffer(width: size.0, height: size.1, format: .rgb8), hasAlpha: false)
        }
        let frames = images.map { ImageFrame(image: $0, duration: 0) }
        let file = try ImageTIFFCoder.shared.encode(frames, loopCount: 0, format: .tiff, options: .init())
        bench.server.answer("http://example.com/pages.tif", file)
        for target in ["rs:fit:100:100/plain/http://example.com/pages.tif"]
            + ["webp", "gif", "png"].map({ "plain/http://example.com/pages.tif@\($0)" })
        {
            let response = await bench.get("/_/\(target)", ["Accept": "image/webp"])
            #expect(response.status == 200, "\(target)")
            let info = try coders.imageInfo(of: response.data, limits: .default)
            #expect(info.frameCount == 1 && info.pixelSize == PixelSize(width: 40, height: 30), "\(target)")
        }
    }

    @Test func animationsStayAnimatedWithinTheBudget() throws {
        let source = try Fix.animation()
        let made = try Fix.make("w:16", from: source)
        #expect(made.format == .gif && made.frameCount == 2)
        let info = try ImageCodersManager.shared.imageInfo(of: made.data, limits: .default)
        #expect(info.frameCount == 2 && info.pixelSize == PixelSize(width: 16, height: 16))
        #expect(info.delaysMilliseconds == [100, 100])
        #expect(try Fix.make("w:16", from: source, accepted: [.avif, .webp]).format == .webp)
        #expect(try Fix.make("w:16/f:jpg", from: source).frameCount == 1)
        var settings = OutputSettings()
        settings.maxAnimationPixels = 300
        let still = try Fix.make("w:16", from: source, settings: settings)
        #expect(still.frameCount == 1 && still.format == .gif)
    }

    @Test func qualityIsReducedUntilTheFileFits() throws {
        let noise = try Fix.encoded(try TestImages.noise(width: 120, height: 90), .png)
        let free = try Fix.make("f:jpg/q:90", from: noise)
        let bound = try Fix.make("f:jpg/q:90/mb:4000", from: noise)
        #expect(free.data.count > 8000)
        #expect(bound.data.count <= 4000)
        let low = try Fix.make("f:jpg/fq:jpg:20", from: noise)
        #expect(low.data.count < free.data.count)
    }

    @Test func resultsBeyondLimitsAreRefusedOrScaledDown() throws {
        let source = try Fix.quadrants()
        var settings = OutputSettings()
        settings.maxResultPixels = 1000
        #expect { try Fix.make("w:0/f:png", from: source, settings: settings) } throws: {
            ($0 as? ServiceRefusal)?.status == 413
        }
        settings = OutputSettings()
        settings.maxResultSide = 40
        #expect(try Fix.make("w:0/f:png", from: source, settings: settings).size == PixelSize(width: 40, height: 30))
        #expect(try Fix.make("mrd:20/f:png", from: source).size == PixelSize(width: 20, height: 15))
        #expect { try Fix.make("msr:0.001/f:png", from: source) } throws: {
            ($0 as? WebImageError)?.code == .limitExceeded
        }
        #expect { try Fix.make("msfs:10/f:png", from: source) } throws: {
            ($0 as? WebImageError)?.code == .limitExceeded
        }
    }

    @Test func skippedFormatsPassThrough() throws {
        let source = try Fix.quadrants()
        #expect(try Fix.make("w:10/skp:png", from: source).data == source)
        #expect(try Fix.make("w:10/skp:png/f:jpg", from: source).data != source)
    }

    @Test func thumborsFiltersChangePixels() throws {
        func look(_ parts: String, _ source: Data) throws -> Look {
            let target = try ThumborRouter().parse("/unsafe/\(parts)/a.b/c"[...])
            var options = target.options
            options.format = .png
            return try Fix.look(at: try ResultRenderer(options: options).make(from: source))
        }
        let source = try Fix.quadrants()
        let gray = try look("filters:grayscale()", source).pixel(1, 1)
        #expect(gray[0] == gray[1] && gray[1] == gray[2])
        let filled = try look("fit-in/80x80/filters:fill(blue)", source)
        #expect(filled.size == "80x80" && filled.shows(Fix.blue, 1, 1) && filled.shows(Fix.red, 1, 12))
        let turned = try look("filters:rotate(90)", source)
        #expect(corners(turned, [Fix.green, Fix.white, Fix.red, Fix.blue]))
        let round = try look("filters:round_corner(10,0,0,255)", source)
        #expect(round.shows(Fix.blue, 0, 0) && round.shows(Fix.red, 10, 10))
        let mirrored = try look("-40x60/left", source)
        // First the crop keeps the left part. Then the result is mirrored.
        #expect(corners(mirrored, [Fix.red, Fix.red, Fix.blue, Fix.blue]))
        #expect(corners(try look("40x30:80x60/0x0", source), [Fix.white, Fix.white, Fix.white, Fix.white]))
    }
}

/// Inserts an orientation tag into a JPEG that has no orientation tag.
enum EXIFOrientation {
    static func marking(_ jpeg: Data, _ orientation: UInt8) -> Data? {
        guard jpeg.prefix(2) == Data([0xFF, 0xD8]) else { return nil }
        let tiff: [UInt8] =
            Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
        let body = Array("Exif\0\0".utf8) + tiff
        let length = body.count + 2
        return jpeg.prefix(2) + Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body) + jpeg.dropFirst(2)
    }
}
