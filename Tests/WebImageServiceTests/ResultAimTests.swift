import Foundation
import Testing
import WebImage
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests `autoquality`: results whose quality follows from a score.
@Suite(.timeLimit(minutes: 2))
struct ResultAimTests {
    typealias Fix = PictureFixtures

    private static func source() throws -> Data {
        try Fix.png(160, 120) { x, y in
            let wave = sin(Double(x) / 11) * 60 + cos(Double(x - y) / 7) * 50
            let value = UInt8(min(max(128 + wave + Double((x * 7 + y * 13) % 17), 0), 255))
            return (value, value, UInt8(clamping: Int(value) / 2 + y / 2), 255)
        }
    }

    private func score(_ result: EncodedResult, of source: Data) throws -> Double {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let original = try ImageCodersManager.shared.decode(source, options: options)
        let picture = try ImageCodersManager.shared.decode(result.data, options: options)
        return try PictureScore.Reference(original.pixels, hasAlpha: false).score(of: picture.pixels, hasAlpha: false)
    }

    @Test(arguments: ["jpg", "webp"]) func scoreDecidesTheQuality(_ format: String) throws {
        let source = try Self.source()
        for aim in [78, 88] {
            let result = try Fix.make("aq:ssim2:\(aim)/f:\(format)", from: source)
            let score = try score(result, of: source)
            #expect(abs(score - Double(aim)) <= 4, "\(format) \(aim): \(score)")
        }
    }

    @Test(arguments: ["jpg", "webp"]) func bytesAndQualitiesCountMore(_ format: String) throws {
        let source = try Self.source()
        let good = try Fix.make("aq:ssim2:85/f:\(format)", from: source).data
        let small = try Fix.make("aq:ssim2:85/mb:\(good.count / 2)/f:\(format)", from: source).data
        #expect(small.count <= good.count / 2)
        #expect(try Fix.make("aq:ssim2:85/mb:\(good.count)/f:\(format)", from: source).data == good)
        let bounded = try Fix.make("aq:ssim2:99:1:30/f:\(format)", from: source).data
        #expect(bounded.count < good.count)
        if format == "webp" { #expect(try bounded == Fix.make("q:30/f:\(format)", from: source).data) }
    }

    @Test func losslessFormatsAndAnimationsHaveNoAim() throws {
        let source = try Self.source()
        #expect(
            try Fix.make("aq:ssim2:10/f:png", from: source).data == Fix.make("f:png", from: source).data)
        let animation = try Fix.animation()
        #expect(
            try Fix.make("aq:ssim2:10/f:webp", from: animation).data == Fix.make("f:webp", from: animation).data)
    }

    /// A picture that keeps its stored orientation is scored in it.
    @Test func orientationThatStaysIsNoDifference() throws {
        let image = try Image.generated(width: 64, height: 32) { x, y in
            (UInt8(x * 4), UInt8(y * 8), UInt8((x * y) & 127), 255)
        }
        let turned = try #require(EXIFOrientation.marking(try Fix.encoded(image, .jpeg), 6))
        let result = try Fix.make("ar:0/sm:0/aq:ssim2:80/f:jpg", from: turned)
        #expect(abs(try score(result, of: turned) - 80) <= 3)
    }

    /// The score needs memory beside the encoder.
    @Test func memoryOfTheScoreIsCounted() throws {
        let source = try Self.source()
        var settings = OutputSettings()
        settings.maxWorkBytes = 1 << 20
        _ = try Fix.make("f:jpg", from: source, settings: settings)
        #expect(throws: ServiceRefusal.self) { try Fix.make("aq:ssim2:80/f:jpg", from: source, settings: settings) }
    }
}
