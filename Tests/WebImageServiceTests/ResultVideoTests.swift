import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestTraits
import WebImageVideo

@testable import WebImageService

/// Sources that are videos.
@Suite(.enabled(if: VideoSample.isThere)) struct ResultVideoTests {
    private typealias Fix = PictureFixtures

    /// One second of red, then one of blue.
    private static let sample = VideoSample(
        "mp4", "-c:v libx264 -preset ultrafast -g 5 -pix_fmt yuv420p -movflags +faststart",
        source: "color=0xC02020:size=64x48:rate=25:duration=1[a];color=0x2020C0:size=64x48:rate=25:duration=1[b];"
            + "[a][b]concat")

    private func result(_ options: String) throws -> (image: Image, frameCount: Int) {
        var renderer = ResultRenderer(options: try Fix.options(options))
        renderer.coders = ImageCodersManager(
            coders: [ImagePNGCoder.shared, ImageWebPCoder.shared, ImageVideoCoder.shared])
        let made = try renderer.make(from: try Self.sample.data)
        let image = try renderer.coders.decode(made.data, options: DecodingOptions())
        return (image, image.imageFrameCount)
    }

    @Test func posterIsTheFrameAtTheTime() throws {
        for (options, isRed) in [
            ("", true), ("vts:0.5/", true), ("vts:1.5/", false), ("video_thumbnail_second:90/", false),
        ] {
            let (image, frameCount) = try result(options + "rs:fit:32:24/f:png")
            let color = try #require(image.color(at: CGPoint(x: 16, y: 12)))
            #expect((color.red > 0.5) == isRed && (color.blue > 0.5) == !isRed, "\(options): \(color)")
            #expect(image.pixelSize == PixelSize(width: 32, height: 24) && frameCount == 1)
        }
        // Also in a format that could hold the previews.
        #expect(try result("f:webp").frameCount == 1)
    }

    @Test func timeIsPartOfTheKey() throws {
        #expect(try Fix.options("vts:1").keyText != Fix.options("vts:2").keyText)
    }
}
