import Foundation
import Testing
import WebImageAVIF
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageHEIF
import WebImageJXL
import WebImageTIFF
import WebImageTestTraits

/// Tests each library that reads or writes this package's rows, with images of many widths.
///
/// If a library writes beyond a row, these tests fail only if the image is wrong or the process crashes.
/// `Scripts/audit guard` runs the same tests with an inaccessible page next to each memory block.
@Suite(.timeLimit(minutes: 5), .serialized)
struct WidthSweepTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let format: ImageFormat
        let coder: any ImageCoder
        /// The allowed difference of a channel (0 to 255); nil if the format is lossless. A lossy encoder is least
        /// exact where a channel of the sample image falls from its maximum to 0.
        let tolerance: Int?
        var testDescription: String { "\(format)" }
    }

    static let cases: [Case] = [
        Case(format: .png, coder: ImagePNGCoder.shared, tolerance: nil),
        Case(format: .tiff, coder: ImageTIFFCoder.shared, tolerance: nil),
        Case(format: .webP, coder: ImageWebPCoder.shared, tolerance: nil),
        Case(format: .jpegXL, coder: ImageJPEGXLCoder.shared, tolerance: nil),
        Case(format: .avif, coder: ImageAVIFCoder.shared, tolerance: nil),
        Case(format: .jpeg, coder: ImageJPEGCoder.shared, tolerance: 40),
        Case(format: .gif, coder: ImageGIFCoder.shared, tolerance: 64),
        Case(format: .heic, coder: ImageHEICCoder.shared, tolerance: 100),
    ].filter { $0.coder.canEncode(to: $0.format) }

    /// Returns the widths to test. For AVIF and HEIC, there are fewer widths, because these encoders take tens of
    /// milliseconds for any size.
    static func widths(_ format: ImageFormat) -> [Int] {
        [.avif, .heic].contains(format) ? [1, 2, 3, 7, 15, 17, 31, 33, 63, 64, 65, 127, 129, 200] : Array(1...200)
    }

    @Test(arguments: cases, [false, true])
    func pictureOfEveryWidthRoundTrips(_ item: Case, hasAlpha: Bool) throws {
        var options = EncodingOptions()
        options.lossless = item.tolerance == nil
        options.quality = item.tolerance == nil ? 1 : 0.95
        for width in Self.widths(item.format) {
            let image = try Samples.picture(width: width, height: 3, hasAlpha: hasAlpha && item.tolerance == nil)
            let file = try item.coder.encode(image, format: item.format, options: options)
            let whole = try item.coder.decode(file, options: Samples.straight)
            #expect(try Samples.difference(whole, image) <= item.tolerance ?? 0, "\(width) px")
            for format in [PixelFormat.bgra8Premultiplied, .rgba8] {
                var small = DecodingOptions()
                small.pixelFormat = format
                small.thumbnailPixelSize = PixelSize(width: max(1, width * 2 / 3), height: 3)
                let size = try item.coder.decode(file, options: small).pixelSize
                #expect(size.width <= max(1, width * 2 / 3), "\(width) px")
            }
        }
    }

    @Test(arguments: cases)
    func grayPictureOfEveryWidthRoundTrips(_ item: Case) throws {
        var options = EncodingOptions()
        options.lossless = item.tolerance == nil
        var asStored = Samples.straight
        asStored.pixelFormat = .gray8
        for width in Self.widths(item.format) {
            let pixels = try PixelBuffer(width: width, height: 3, format: .gray8)
            memset(pixels.baseAddress, 90, pixels.byteCount)
            let file = try item.coder.encode(
                Image(pixels: pixels, hasAlpha: false), format: item.format, options: options)
            let result = try item.coder.decode(file, options: asStored).pixels.converted(to: .gray8)
            let isPlain = result.withUnsafeBytes { bytes in
                (0..<3).allSatisfy { row in
                    (0..<width).allSatisfy { abs(Int(bytes[row * result.bytesPerRow + $0]) - 90) <= 3 }
                }
            }
            #expect(isPlain, "\(width) px")
        }
    }

    /// Filters and transformers do not change an image of one plain colour.
    @Test func everyFilterKeepsAPlainColorAtEveryWidth() throws {
        for width in 1...200 {
            let pixels = try PixelBuffer(width: width, height: 5, format: .bgra8Premultiplied)
            memset(pixels.baseAddress, 255, pixels.byteCount)
            let image = Image(pixels: pixels)
            let resized = [(width + 13, 9), (max(1, width / 3), 3), (width * 2, 5)].map {
                image.resizedImage(with: CGSize(width: $0.0, height: $0.1), scaleMode: .fill)
            }
            let made =
                resized + [
                    image.blurredImage(withRadius: 2), image.flippedImage(withHorizontal: true, vertical: true),
                    image.rotatedImage(withAngle: .pi / 2, fitSize: true),
                    image.croppedImage(with: CGRect(x: 0, y: 1, width: width, height: 3)),
                    image.tintedImage(with: .white),
                ]
            for (index, result) in made.enumerated() {
                let pixels = try #require(result?.pixels).converted(to: .bgra8Premultiplied)
                let isPlain = pixels.withUnsafeBytes { bytes in
                    (0..<pixels.height).allSatisfy { row in
                        (0..<pixels.width * 4).allSatisfy { bytes[row * pixels.bytesPerRow + $0] >= 253 }
                    }
                }
                #expect(isPlain, "filter \(index), \(width) px")
            }
            // Rotation by 0.3 radians and round corners make the edge transparent. Check only that both operations
            // return an image.
            #expect(image.rotatedImage(withAngle: 0.3, fitSize: true) != nil)
            #expect(
                image.roundedCornerImage(
                    withRadius: 2, corners: .allCorners, borderWidth: 1, borderColor: ImageColor.white)?
                    .pixelSize == image.pixelSize)
        }
    }

    /// lcms2 converts rows of every width to sRGB.
    @Test func everyWidthIsConvertedToSRGB() throws {
        let profile = try #require(ColorProfile(primaries: 12, transfer: 13))
        var options = EncodingOptions()
        options.lossless = true
        for width in 1...200 {
            let pixels = try PixelBuffer(width: width, height: 3, format: .rgba8)
            memset(pixels.baseAddress, 128, pixels.byteCount)
            let image = Image(pixels: pixels, colorProfile: profile, hasAlpha: false)
            let file = try ImagePNGCoder.shared.encode(image, format: .png, options: options)
            let result = try ImagePNGCoder.shared.decode(file, options: DecodingOptions()).pixels.converted(to: .rgba8)
            let isGray = result.withUnsafeBytes { bytes in
                (0..<width).allSatisfy { x in (0..<3).allSatisfy { abs(Int(bytes[x * 4 + $0]) - 128) <= 2 } }
            }
            #expect(isGray, "\(width) px")
        }
    }
}
