import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageGraphics
import WebImageHEIF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Files whose colours are already multiplied by alpha (reference `prem`, ISO/IEC 23008-12 §7.6.7) show the same colours
/// as files with straight alpha.
@Suite(.timeLimit(minutes: 3))
struct MultipliedAlphaTests {
    private static let codecs: [HEIFBytes.Codec] =
        ImageHEICCoder.shared.canEncode(to: .heic) ? [.av1, .hevc] : [.av1]

    /// Returns a coded flat grey picture of 64×64 px.
    private static func coded(_ level: UInt8, _ codec: HEIFBytes.Codec) throws -> HEIFBytes.Coded {
        let image = try TestImages.solid(width: 64, height: 64, blue: level, green: level, red: level)
        var options = EncodingOptions()
        options.quality = 1
        let data =
            try codec == .av1
            ? ImageAVIFCoder.shared.encode(image, format: .avif, options: options)
            : ImageHEICCoder.shared.encode(image, format: .heic, options: options)
        return try #require(HEIFBytes.coded(in: data, codec))
    }

    private static func file(
        color: UInt8, alpha: UInt8, isMultiplied: Bool, _ codec: HEIFBytes.Codec
    ) throws -> Data {
        func item(_ number: Int, _ level: UInt8, _ references: (type: String, to: [Int])?) throws -> HEIFBytes.Item {
            let coded = try coded(level, codec)
            return HEIFBytes.Item(
                number: number, type: codec == .av1 ? "av01" : "hvc1", data: coded.data, size: (64, 64),
                configuration: coded.configuration, references: references)
        }
        let picture = try item(1, color, isMultiplied ? ("prem", [2]) : nil)
        var boxes = HEIFBytes(items: [picture, try item(2, alpha, ("auxl", [1]))])
        boxes.codec = codec
        return boxes.file
    }

    @Test(arguments: codecs) func coloursAreDividedByAlpha(_ codec: HEIFBytes.Codec) throws {
        let coder: any ImageCoder = codec == .av1 ? ImageAVIFCoder.shared : ImageHEICCoder.shared
        for alpha in [64, 128, 200, 255] {
            let multiplied = UInt8(180 * alpha / 255)
            let straight = try Self.file(color: 180, alpha: UInt8(alpha), isMultiplied: false, codec)
            let premultiplied = try Self.file(color: multiplied, alpha: UInt8(alpha), isMultiplied: true, codec)
            for data in [straight, premultiplied] {
                for format in [PixelFormat.rgba8, .bgra8Premultiplied] {
                    var options = DecodingOptions()
                    options.pixelFormat = format
                    let pixels = try coder.decode(data, options: options).pixels.converted(to: .rgba8)
                    let seen = pixels.withUnsafeBytes {
                        Array($0[32 * pixels.bytesPerRow + 128..<32 * pixels.bytesPerRow + 132])
                    }
                    let difference = zip(seen, [180, 180, 180, alpha]).map { abs(Int($0) - $1) }.max() ?? 255
                    #expect(difference <= 6, "alpha \(alpha), \(format): \(seen)")
                }
            }
        }
    }

    /// Every format that stores pixels without loss returns the multiplied pixels that were written, although the files
    /// store straight colours. A picture that is stored in a cache stays the same.
    @Test(arguments: [ImageFormat.png, .webP, .tiff, .avif, .jpegXL, .bmp, .ico])
    func multipliedPixelsStayAfterCoding(_ format: ImageFormat) throws {
        // Every valid pair of colour and alpha.
        let pixels = try PixelBuffer(width: 256, height: 256, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<256 {
                for x in 0..<256 {
                    let channels = [min(x, y), min(255 - x, y), y - min(x, y), y]
                    for channel in 0..<4 {
                        bytes[y * pixels.bytesPerRow + 4 * x + channel] = UInt8(channels[channel])
                    }
                }
            }
        }
        let image = Image(pixels: pixels, hasAlpha: true)
        var options = EncodingOptions()
        options.lossless = true
        let data = try ColorSignalFile.coders.encode(image, format: format, options: options)
        let decoded = try ColorSignalFile.coders.decode(data, options: DecodingOptions())
        #expect(decoded.hasAlpha)
        #expect(Self.rows(decoded.pixels) == Self.rows(pixels))
        let coder = try #require(ColorSignalFile.coders.coders.last { $0.canDecode(from: data) })
        guard let coder = coder as? any StreamingImageCoder else { return }
        let stream = type(of: coder).init(incremental: DecodingOptions())
        try stream.append(data.prefix(data.count / 2), finished: false)
        _ = stream.incrementalImage(options: nil)
        try stream.append(data.dropFirst(data.count / 2), finished: true)
        let streamed = try #require(stream.incrementalImage(options: nil))
        #expect(Self.rows(streamed.pixels) == Self.rows(pixels))
    }

    private static func rows(_ pixels: PixelBuffer) -> Data {
        var data = Data()
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                data += bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + 4 * pixels.width]
            }
        }
        return data
    }
}
