import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageHEIF
import WebImageJXL
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Each coder decodes the files that it encodes.
@Suite(.timeLimit(minutes: 5), .serialized)
struct RoundTripTests {
    private func roundTrip(
        _ image: Image, _ coder: any ImageCoder, _ format: ImageFormat, _ options: EncodingOptions
    ) throws -> Image {
        try coder.decode(coder.encode(image, format: format, options: options), options: Samples.straight)
    }

    private static let lossless: EncodingOptions = {
        var options = EncodingOptions()
        options.lossless = true
        return options
    }()

    /// The bytes of an animation do not depend on the time at which it was encoded.
    @Test func headersOfAnAnimationHaveNoTime() throws {
        let data = try ImageAVIFCoder.shared.encode(
            frameCount: 2, loopCount: 0, format: .avif, options: EncodingOptions()
        ) { _ throws(WebImageError) in
            ImageFrame(image: try TestImages.solid(width: 32, height: 24), duration: 0.1)
        }
        for type in ["mvhd", "tkhd", "mdhd"] {
            let header = try #require(data.firstRange(of: Data(type.utf8)))
            let length = data[header.upperBound] == 0 ? 8 : 16
            let times = data[header.upperBound + 4..<header.upperBound + 4 + length]
            #expect(times.allSatisfy { $0 == 0 }, "\(type): \(Array(times))")
        }
        #expect(try ImageAVIFCoder.shared.imageInfo(of: data, limits: .default).frameCount == 2)
    }

    /// libaom 3.6 ended the process at a later frame of such an animation.
    @Test func animationInTheBestQualityIsEncoded() throws {
        for quality in [1.0, 0.98] {
            var options = EncodingOptions()
            options.quality = quality
            let data = try ImageAVIFCoder.shared.encode(
                frameCount: 16, loopCount: 0, format: .avif, options: options
            ) { index throws(WebImageError) in
                let image = try Image.generated(width: 48, height: 48) { x, y in
                    let isSquare = x / 8 == index % 5 && y / 8 == 2
                    return isSquare ? (64, 0, 255, 255) : (64, UInt8(y * 5), UInt8(x * 5), 255)
                }
                return ImageFrame(image: image, duration: 0.05)
            }
            #expect(try ImageAVIFCoder.shared.imageInfo(of: data, limits: .default).frameCount == 16)
        }
    }

    @Test(arguments: [false, true])
    func losslessEncodingReturnsEveryBit(hasAlpha: Bool) throws {
        let image = try Samples.picture(hasAlpha: hasAlpha)
        let avif = try roundTrip(image, ImageAVIFCoder.shared, .avif, Self.lossless)
        let jxl = try roundTrip(image, ImageJPEGXLCoder.shared, .jpegXL, Self.lossless)
        let tiff = try roundTrip(image, ImageTIFFCoder.shared, .tiff, EncodingOptions())
        for result in [avif, jxl, tiff] {
            #expect(try Samples.difference(result, image) == 0)
            #expect(result.hasAlpha == hasAlpha)
        }
    }

    @Test func lossyEncodingIsCloseAndLowerQualityIsSmaller() throws {
        let image = try Samples.picture(width: 60, height: 40)
        let coders: [(any ImageCoder, ImageFormat)] = [
            (ImageAVIFCoder.shared, .avif), (ImageJPEGXLCoder.shared, .jpegXL), (ImageHEICCoder.shared, .heic),
        ]
        for (coder, format) in coders where coder.canEncode(to: format) {
            var options = EncodingOptions()
            options.quality = 0.95
            let good = try coder.encode(image, format: format, options: options)
            options.quality = 0.3
            let poor = try coder.encode(image, format: format, options: options)
            #expect(poor.count < good.count, "\(format)")
            #expect(try Samples.difference(coder.decode(good, options: Samples.straight), image) < 40, "\(format)")
        }
    }

    // SDImageCoderTests.test13ThatHEICWorks
    @Test(.enabled(if: ImageHEICCoder.shared.canEncode(to: .heic)))
    func heicReadsItsOwnOutput() throws {
        let image = try Samples.picture(hasAlpha: true)
        let result = try roundTrip(image, ImageHEICCoder.shared, .heic, EncodingOptions())
        #expect(result.pixelSize == image.pixelSize)
        #expect(result.hasAlpha)
        #expect(result.imageFormat == .heic)
    }

    @Test func aPictureIsEncodedNoLargerThanItsBox() throws {
        var options = EncodingOptions()
        options.maxPixelSize = PixelSize(width: 24, height: 24)
        let image = try Samples.picture()
        for (coder, format) in [
            (ImageAVIFCoder.shared as any ImageCoder, ImageFormat.avif), (ImageJPEGXLCoder.shared, .jpegXL),
            (ImageTIFFCoder.shared, .tiff),
        ] {
            #expect(try roundTrip(image, coder, format, options).pixelSize == PixelSize(width: 24, height: 16))
        }
    }

    @Test func profileIsEncodedWithItsImage() throws {
        let profile = ColorProfile(iccData: ICCSample.displayP3)
        let image = Image(pixels: try Samples.picture().pixels, colorProfile: profile, hasAlpha: false)
        for (coder, format) in [
            (ImageAVIFCoder.shared as any ImageCoder, ImageFormat.avif), (ImageJPEGXLCoder.shared, .jpegXL),
            (ImageTIFFCoder.shared, .tiff),
        ] {
            let file = try coder.encode(image, format: format, options: Self.lossless)
            #expect(try coder.imageInfo(of: file, limits: .default).hasICCProfile, "\(format)")
            #expect(try coder.decode(file, options: Samples.straight).colorProfile != nil, "\(format)")
            let shown = try coder.decode(file, options: DecodingOptions())
            #expect(shown.colorProfile == nil, "\(format)")
            #expect(try Samples.difference(shown, image) > 4, "\(format): P3 is not sRGB")
        }
    }

    @Test func coderEncodesOnlyItsFormat() throws {
        let image = try Samples.picture()
        for coder in [
            ImageAVIFCoder.shared as any ImageCoder, ImageJPEGXLCoder.shared, ImageTIFFCoder.shared,
            ImageHEICCoder.shared,
        ] {
            #expect(throws: WebImageError.self) { try coder.encode(image, format: .png, options: .init()) }
            #expect(coder.encodedData(with: nil, format: .png, options: nil) == nil)
        }
    }
}
