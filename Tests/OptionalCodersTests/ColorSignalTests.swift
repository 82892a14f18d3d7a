import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits

/// The same signal shows the same colours in every format and layout, however it is decoded and written again. The ideal
/// colours come from the formulas of the standards.
@Suite(.timeLimit(minutes: 10))
struct ColorSignalTests {
    private static let files =
        ColorSignalFile.png + ColorSignalFile.jpeg + ColorSignalFile.coded + ColorSignalFile.tiff

    @Test(arguments: files) func decodesToSRGB(_ file: ColorSignalFile) throws {
        for format in PixelFormat.allCases {
            // These formats drop alpha or colour.
            if file.signal.hasAlpha, !format.hasAlpha { continue }
            if file.signal.model != .gray, format == .gray8 { continue }
            let image = try file.decode { $0.pixelFormat = format }
            let difference = try file.difference(image)
            #expect(difference == nil, "\(format): \(difference ?? "")")
            #expect(image.colorProfile == nil && image.hasAlpha == file.signal.hasAlpha, "\(format)")
        }
    }

    @Test(arguments: files) func thumbnailsShowTheSame(_ file: ColorSignalFile) throws {
        for format in [PixelFormat.bgra8Premultiplied, .rgba8] {
            let image = try file.decode {
                $0.pixelFormat = format
                $0.thumbnailPixelSize = PixelSize(width: 32, height: 32)
            }
            #expect(image.pixelSize == PixelSize(width: 32, height: 32))
            // The filter of the scaler rounds its result.
            let difference = try file.difference(image, tolerance: file.tolerance + 2)
            #expect(difference == nil, "\(format): \(difference ?? "")")
        }
    }

    /// An image that keeps the stored values has a profile that describes them.
    @Test(arguments: files) func storedValuesComeWithTheirDescription(_ file: ColorSignalFile) throws {
        for format in [PixelFormat.bgra8Premultiplied, .rgba8, .rgba16] {
            // Eight bits are too few for the values of a deep file, and for values that are multiplied by alpha.
            if file.signal.space != .sRGB, format.bitsPerComponent == 8 {
                if file.signal.bits == 16 || (file.signal.hasAlpha && format.isPremultiplied) { continue }
            }
            let image = try file.decode {
                $0.pixelFormat = format
                $0.colorConversion = .asStored
            }
            let difference = try file.difference(image)
            #expect(difference == nil, "\(format): \(difference ?? "")")
        }
    }

    /// Every format that the package writes keeps the colours: with a profile, or converted.
    @Test(arguments: files) func writtenFilesShowTheSame(_ file: ColorSignalFile) throws {
        let isDeep = file.signal.bits == 16
        let image = try file.decode {
            $0.pixelFormat = isDeep ? .rgba16 : .rgba8
            $0.colorConversion = .asStored
        }
        var options = EncodingOptions()
        options.lossless = true
        options.quality = 1
        for format in [ImageFormat.png, .webP, .tiff, .avif, .jpegXL, .bmp, .ico, .gif, .jpeg] {
            if file.signal.hasAlpha, format == .gif || format == .jpeg { continue }
            // The smallest error of dark linear light has 13 steps.
            if file.signal.space == .linear, format == .jpeg { continue }
            // Eight bits are too few for the stored values of a deep file.
            if isDeep, file.signal.space != .sRGB, ![.png, .jpegXL, .bmp, .gif].contains(format) { continue }
            // An icon stores values that are multiplied by alpha.
            if file.signal.hasAlpha, file.signal.space != .sRGB, format == .ico { continue }
            let data = try ColorSignalFile.coders.encode(image, format: format, options: options)
            let decoded = try ColorSignalFile.coders.decode(data, options: DecodingOptions())
            let coding = format == .jpeg ? 6 : 1
            let difference = try file.difference(decoded, tolerance: file.tolerance + coding)
            #expect(difference == nil, "\(format): \(difference ?? "")")
        }
    }
}
