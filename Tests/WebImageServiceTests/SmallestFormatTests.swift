import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageJXL
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Of several accepted formats, the service sends the smallest result.
@Suite(.timeLimit(minutes: 3))
struct SmallestFormatTests {
    private static let coders = ImageCodersManager(
        coders: ImageCodersManager.shared.coders + [ImageAVIFCoder.shared, ImageJPEGXLCoder.shared])
    private static let singles: [AcceptedFormats] = [.avif, .jxl, .webp]
    private static let delays = [0.04, 0.1, 0.25, 0.5, 0.07]

    /// A square that moves over a gradient, with uneven delays.
    private static func animation(frames: Int, side: Int = 96) throws -> Data {
        try coders.encode(
            frameCount: frames, loopCount: 3, format: .gif, options: EncodingOptions()
        ) { index throws(WebImageError) in
            ImageFrame(
                image: try Image.generated(width: side, height: side) { x, y in
                    let isInside = abs(x - 8 * index - 12) < 10 && abs(y - 40) < 10
                    return isInside ? (255, 220, 0, 255) : (UInt8(x / 8 * 16 & 255), UInt8(y / 8 * 16 & 255), 90, 255)
                },
                duration: delays[index % delays.count])
        }
    }

    private func make(_ options: String, _ source: Data, _ accepted: AcceptedFormats) throws -> EncodedResult {
        var renderer = ResultRenderer(options: try PictureFixtures.options(options))
        renderer.accepted = accepted
        renderer.coders = Self.coders
        return try renderer.make(from: source)
    }

    @Test(arguments: ["w:96", "w:48", "c:50:40"]) func smallestAcceptedAnimationIsSent(_ options: String) throws {
        let source = try Self.animation(frames: 5)
        let single = try Self.singles.map { try make(options, source, $0) }
        #expect(single.map(\.format) == [.avif, .jxl, .webp])
        for accepted: AcceptedFormats in [[.avif, .webp], [.jxl, .webp], [.avif, .jxl], [.avif, .jxl, .webp]] {
            let result = try make(options, source, accepted)
            let possible = single.filter { $0.format.map(accepted.formats.contains) ?? false }
            let least = try #require(possible.min { $0.data.count < $1.data.count })
            #expect(result.format == least.format && result.data.count == least.data.count, "\(accepted.formats)")
        }
    }

    /// Each format stores times and loops in its own units.
    @Test(arguments: singles) func delaysAndLoopsAreThoseOfTheSource(_ accepted: AcceptedFormats) throws {
        let result = try make("w:48", try Self.animation(frames: 12), accepted)
        let animation = try #require(try Self.coders.animation(of: result.data, options: DecodingOptions()))
        #expect(result.frameCount == 12 && animation.animatedImageFrameCount == 12)
        #expect(animation.animatedImagePlayCount == 3)
        for index in 0..<12 {
            let delay = animation.animatedImageDuration(at: index)
            #expect(abs(delay - Self.delays[index % Self.delays.count]) < 0.0005, "\(index): \(delay)")
            #expect(try animation.frame(at: index).pixelSize == PixelSize(width: 48, height: 48))
        }
    }

    /// The first frames decide about a long animation, and all frames are sent.
    @Test func longAnimationIsCompleteInTheChosenFormat() throws {
        let source = try Self.animation(frames: 20)
        let result = try make("w:64", source, [.avif, .jxl, .webp])
        let format = try #require(result.format)
        let alone = try #require(Self.singles.first { $0.formats == [format] })
        let expected = try make("w:64", source, alone)
        #expect(result.frameCount == 20 && result.data == expected.data)
    }

    /// Encoders of AVIF refuse sides below 16 px. Without an accepted format, an animation stays a GIF.
    @Test func formatThatIsNotPossibleIsLeftOut() throws {
        let tiny = try Self.animation(frames: 3, side: 12)
        #expect(try make("w:12", tiny, .avif).format == .gif)
        #expect(try make("w:12", tiny, [.avif, .webp]).format == .webp)
        #expect(try make("w:48", try Self.animation(frames: 3), []).format == .gif)
        // One frame is a still.
        #expect(try make("f:avif/w:48", try Self.animation(frames: 3), [.webp]).format == .avif)
    }

    @Test func stillWithAScoreIsTheSmallerOne() throws {
        let source = try PictureFixtures.png(160, 120) { x, y in
            let wave = sin(Double(x) / 11) * 60 + cos(Double(x - y) / 7) * 50
            let value = UInt8(min(max(128 + wave + Double((x * 7 + y * 13) % 17), 0), 255))
            return (value, value, UInt8(clamping: Int(value) / 2 + y / 2), 255)
        }
        for aim in [60, 85] {
            let single = try [AcceptedFormats.avif, .jxl].map { try make("aq:ssim2:\(aim)", source, $0) }
            let both = try make("aq:ssim2:\(aim)", source, [.avif, .jxl, .webp])
            #expect(both.data.count == single.map(\.data.count).min())
        }
        // Without a score, the qualities of two formats cannot be compared.
        #expect(try make("w:160", source, [.avif, .jxl]).format == .avif)
    }
}
