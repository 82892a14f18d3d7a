import Testing
import WebImageAVIF
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits

/// Decodes files with more than 8 bits per channel to half-precision images, if the options request this.
@Suite(.timeLimit(minutes: 1))
struct HalfPrecisionTests {
    private static let coders: [(any ImageCoder, ImageFormat)] = [
        (ImageAVIFCoder.shared, .avif), (ImageJPEGXLCoder.shared, .jpegXL), (ImagePNGCoder.shared, .png),
    ]

    /// Returns a 16-bit image whose values need more than 8 bits.
    private func deepPicture() throws -> Image {
        let pixels = try PixelBuffer(width: 64, height: 16, format: .rgba16)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<16 {
                for x in 0..<64 {
                    for channel in 0..<4 {
                        let value = channel == 3 ? 0xffff : UInt16(x * 900 + y * 37 + channel * 11)
                        bytes.storeBytes(
                            of: value, toByteOffset: y * pixels.bytesPerRow + x * 8 + channel * 2, as: UInt16.self)
                    }
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: false)
    }

    /// Returns the red channel of the pixel at (`x`, `y`), from 0 to 1.
    private func value(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> Double {
        let pixel = pixels.baseAddress + y * pixels.bytesPerRow + x * pixels.format.bytesPerPixel
        return pixels.format.isFloatingPoint
            ? Double(pixel.load(as: Float16.self)) : Double(pixel.load(as: UInt16.self)) / 65535
    }

    private func reds(_ image: Image) -> [Double] {
        (0..<16).flatMap { y in (0..<64).map { value(image.pixels, $0, y) } }
    }

    @Test(arguments: Self.coders.indices)
    func halfFloatsEqualSixteenBitIntegers(_ index: Int) throws {
        let (coder, format) = Self.coders[index]
        let data = try #require(coder.encodedData(with: deepPicture(), format: format, options: [.encodeToHDR: 1]))
        var options = DecodingOptions()
        options.pixelFormat = .rgba16
        let words = reds(try coder.decode(data, options: options))
        options.pixelFormat = .rgbaHalf
        let image = try coder.decode(data, options: options)
        #expect(image.pixels.format == .rgbaHalf && image.isHighDynamicRange)
        let difference = zip(words, reds(image)).map { abs($0 - $1) }.max()
        #expect(try #require(difference) <= 1 / 2048)
        #expect(Set(reds(image)).count > 256, "the image has no more than eight bits per channel")
    }

    @Test func highDynamicRangeKeepsTheLayoutThatIsWanted() throws {
        let data = try #require(
            ImageJPEGXLCoder.shared.encodedData(with: deepPicture(), format: .jpegXL, options: [.encodeToHDR: 1]))
        func layout(_ options: ImageCoderOptions) -> PixelFormat? {
            ImageJPEGXLCoder.shared.decodedImage(with: data, options: options)?.pixels.format
        }
        #expect(layout([.decodeToHDR: 1]) == .rgba16)
        #expect(layout([.decodeToHDR: 1, .decodePixelFormat: PixelFormat.rgbaHalf]) == .rgbaHalf)
        #expect(layout([.decodePixelFormat: PixelFormat.rgbaHalf]) == .rgbaHalf)
    }

    @Test func thumbnailOfHalfFloatsIsScaledByValue() throws {
        let halves = try deepPicture().pixels.converted(to: .rgbaHalf)
        let small = try halves.scaled(to: PixelSize(width: 16, height: 4), isOpaque: true)
        let reference = try deepPicture().pixels.scaled(to: PixelSize(width: 16, height: 4), isOpaque: true)
        for x in 0..<16 { #expect(abs(value(small, x, 2) - value(reference, x, 2)) <= 1 / 1024) }
    }
}
