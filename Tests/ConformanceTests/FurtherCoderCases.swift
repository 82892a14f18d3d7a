import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits

/// Further test cases for coders, ported from SDWebImage. They use SDWebImage's images.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 5))
struct FurtherCoderCases {
    private let coders = ImageCodersManager.shared

    private func data(_ name: String) throws -> Data { try Conformance.data("sdwebimage/\(name)") }

    // SDImageCoderTests.test03ThatDecodedImageWithImageDoesNotDecodeAnimatedImages
    @Test func anAnimationIsNotDecodedAgain() throws {
        let gif = try data("TestImage.gif")
        let image = try #require(AnimatedImage(data: gif))
        #expect(image.imageFrameCount == 5)
        #expect(ImageCoderHelper.decodedImage(with: image) === image)
    }

    // SDImageCoderTests.test08ThatEncodeAlphaImageToJPGWithBackgroundColor
    @Test func transparencyShowsTheBackgroundInAJPEG() throws {
        let image = try coders.decode(data("TestImage.png"), options: DecodingOptions())
        #expect(image.pixels.channels(1, 1)[3] == 0)
        let black = try #require(
            coders.encodedData(with: image, format: .jpeg, options: [.encodeBackgroundColor: ImageColor.black]))
        let decoded = try coders.decode(black, options: DecodingOptions())
        #expect(decoded.pixelSize == PixelSize(width: 300, height: 300))
        #expect(decoded.pixels.channels(1, 1) == [0, 0, 0, 255])
        let white = try #require(coders.encodedData(with: image, format: .jpeg, options: nil))
        #expect(try coders.decode(white, options: DecodingOptions()).pixels.channels(1, 1) == [255, 255, 255, 255])
    }

    // SDImageCoderTests.test14ThatHEIFWorks
    @Test func aHEIFDecodesAtEverySize() throws {
        let heif = try data("TestImage.heif")
        let coder = ImageHEICCoder.shared
        #expect(coder.canDecode(from: heif))
        #expect(try coder.decode(heif, options: DecodingOptions()).pixelSize == PixelSize(width: 1440, height: 960))
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 50, height: 50)
        let fitted = try coder.decode(heif, options: options).pixelSize
        #expect(fitted.width == 50 && abs(fitted.height - 33) <= 1)
        options.preserveAspectRatio = false
        #expect(try coder.decode(heif, options: options).pixelSize == PixelSize(width: 50, height: 50))
    }

    // SDImageCoderTests.test21ThatEmbedThumbnailHEICWorks
    @Test func aThumbnailIsEmbeddedOnRequest() throws {
        let image = try ImageHEICCoder.shared.decode(data("TestImage.heic"), options: DecodingOptions())
        let plain = try #require(coders.encodedData(with: image, format: .jpeg, options: nil))
        #expect(try coders.imageProperties(of: plain).thumbnailData == nil)
        let both = try #require(
            coders.encodedData(with: image, format: .jpeg, options: [.encodeEmbedThumbnail: true]))
        let thumbnail = try #require(try coders.imageProperties(of: both).thumbnailData)
        let size = try coders.imageInfo(of: thumbnail, limits: .default).pixelSize
        #expect(size.width == 320 && (213...214).contains(size.height))
    }

    // SDImageCoderTests.test32ThatISOHDRDecodeWorks
    @Test(arguments: ["TestHDR.heic", "TestHDR.avif", "TestHDR.jxl"])
    func highDynamicRangeIsKeptOnRequest(_ name: String) throws {
        let all: [any ImageCoder] = [
            ImageHEICCoder.shared, ImageAVIFCoder.shared, ImageJPEGXLCoder.shared,
        ]
        let data = try data(name)
        let coder = try #require(all.first { $0.canDecode(from: data) })
        let shown = try #require(coder.decodedImage(with: data, options: [.decodeToHDR: 0]))
        #expect(!shown.isHighDynamicRange && shown.pixels.format.bitsPerComponent == 8)
        #expect(shown.colorProfile == nil)
        let kept = try #require(coder.decodedImage(with: data, options: [.decodeToHDR: 1]))
        #expect(kept.isHighDynamicRange && kept.pixels.format.bitsPerComponent == 16)
        #expect(kept.pixelSize == shown.pixelSize)
        // More than 256 different values prove that the image was not decoded with 8 bits per channel.
        let values = kept.pixels.withUnsafeBytes { Set($0.bindMemory(to: UInt16.self).prefix(400_000)) }
        #expect(values.count > 256)
    }

    // SDImageCoderTests.test33ThatGainMapHDRDecodeWorks
    @Test func aGainMapIsReachableBesideItsBase() throws {
        let jpeg = try data("TestHDR.jpeg")
        let base = try coders.decode(jpeg, options: DecodingOptions())
        #expect(!base.isHighDynamicRange)
        let map = try #require(try coders.imageProperties(of: jpeg).gainMapData)
        let decoded = try coders.decode(map, options: DecodingOptions())
        let ratios = [base, decoded].map { Double($0.pixelSize.width) / Double($0.pixelSize.height) }
        #expect(abs(ratios[0] - ratios[1]) < 0.02)
    }

    // SDImageCoderTests.test34ThatHDREncodeWorks
    @Test func highDynamicRangeIsEncodedOnRequest() throws {
        let coder = ImageAVIFCoder.shared
        let small: ImageCoderOptions = [
            .decodeToHDR: 1, .decodeThumbnailPixelSize: CGSize(width: 200, height: 200),
        ]
        let image = try #require(coder.decodedImage(with: data("TestHDR.avif"), options: small))
        let plain = try #require(coder.encodedData(with: image, format: .avif, options: nil))
        let deep = try #require(coder.encodedData(with: image, format: .avif, options: [.encodeToHDR: 1]))
        #expect(try coder.imageInfo(of: plain, limits: .default).bitDepth == 8)
        #expect(try coder.imageInfo(of: deep, limits: .default).bitDepth == 12)
        let back = try #require(coder.decodedImage(with: deep, options: [.decodeToHDR: 1]))
        #expect(back.isHighDynamicRange && back.pixelSize == image.pixelSize)
    }
}

extension PixelBuffer {
    /// Returns the four channels of one pixel, in memory order.
    fileprivate func channels(_ x: Int, _ y: Int) -> [Int] {
        withUnsafeBytes { bytes in (0..<4).map { Int(bytes[y * bytesPerRow + x * 4 + $0]) } }
    }
}
