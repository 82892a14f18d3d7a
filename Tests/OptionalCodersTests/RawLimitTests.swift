import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageCore
import WebImageRaw
import WebImageTIFF
import WebImageTestSupport
import WebImageTesting

/// When the preview of a raw file stands for its samples, and what is refused.
struct RawLimitTests {
    private static let size = PixelSize(width: 240, height: 160)

    /// Red light, and a preview that is blue on its left and green on its right.
    private static func file() throws -> DNGFile {
        var file = DNGFile(width: size.width, height: size.height) { _, _ in (0.9, 0, 0) }
        let preview = try Image.generated(width: 120, height: 80) { x, _ in
            x < 60 ? (255, 0, 0, 255) : (0, 255, 0, 255)
        }
        file.preview = try ImageJPEGCoder.shared.encode(preview, format: .jpeg, options: EncodingOptions())
        return file
    }

    private static func color(_ data: Data, _ change: (inout DecodingOptions) -> Void) throws -> String {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        change(&options)
        let pixels = try ImageRawCoder.shared.decode(data, options: options).pixels
        let bytes = pixels.format.bitsPerComponent / 8
        let values = pixels.withUnsafeBytes { all in
            (0..<3).map { all[pixels.height / 2 * pixels.bytesPerRow + (pixels.width / 2 * 4 + $0 + 1) * bytes - 1] }
        }
        return ["red", "green", "blue"][values.firstIndex(of: values.max()!)!]
    }

    /// The part of the preview is that of the samples.
    @Test(arguments: [(0.0, "blue"), (120, "green")]) func partsAreThoseOfThePreview(left: Double, color: String) throws
    {
        let found = try Self.color(Self.file().data) {
            $0.sourceRegion = PixelRegion(left: left, top: 0, width: 120, height: 160)
            $0.thumbnailPixelSize = PixelSize(width: 40, height: 40)
        }
        #expect(found == color)
    }

    /// The preview has 8 bits, and pixels of its own.
    @Test func deepPicturesAreDeveloped() throws {
        let data = try Self.file().data
        for format in [PixelFormat.rgba8, .rgba16] {
            let found = try Self.color(data) {
                $0.pixelFormat = format
                $0.thumbnailPixelSize = PixelSize(width: 60, height: 60)
            }
            #expect((found == "red") == (format == .rgba16), "\(format): \(found)")
        }
    }

    @Test func limitsAreKept() throws {
        let data = try Self.file().data
        let changes: [(inout DecodingLimits) -> Void] = [
            { $0.maxEncodedBytes = data.count - 1 }, { $0.maxSide = 239 }, { $0.maxPixels = 240 * 160 - 1 },
            { $0.maxDecodeTime = .nanoseconds(1) },
        ]
        for change in changes {
            var options = DecodingOptions()
            change(&options.limits)
            let error = #expect(throws: WebImageError.self) {
                try ImageRawCoder.shared.decode(data, options: options)
            }
            #expect(error?.code == .limitExceeded)
        }
        var limits = DecodingLimits()
        limits.maxPixels = 240 * 160 - 1
        #expect(throws: WebImageError.self) { try ImageRawCoder.shared.imageInfo(of: data, limits: limits) }
    }

    @Test func informationIsThatOfTheSensor() throws {
        let info = try ImageRawCoder.shared.imageInfo(of: Self.file().data, limits: .default)
        #expect(info.storedSize == Self.size && info.bitDepth == 16 && !info.isLossless && !info.isGray)
        #expect(info.workingMemory.fixedBytes == 240 * 160 * 16)
    }

    /// The borders of a sensor, which the picture does not show, are decoded too.
    @Test func bordersOfTheSensorCount() throws {
        var file = try Self.file()
        file.activeArea = (40..<200, 20..<140)
        let data = file.data
        var limits = DecodingLimits()
        limits.maxPixels = 240 * 160
        let info = try ImageRawCoder.shared.imageInfo(of: data, limits: limits)
        #expect(info.storedSize == PixelSize(width: 160, height: 120))
        #expect(info.workingMemory.fixedBytes == 240 * 160 * 16)
        limits.maxPixels -= 1
        let error = #expect(throws: WebImageError.self) {
            try ImageRawCoder.shared.imageInfo(of: data, limits: limits)
        }
        #expect(error?.code == .limitExceeded)
    }

    /// The memory of LibRaw's work counts, although its own limit of whole megabytes would allow it.
    @Test func memoryOfTheWorkCounts() throws {
        let data = DNGFile(width: 512, height: 512) { _, _ in (0.5, 0.5, 0.5) }.data
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let bytes = 512 * 512 * (16 + 4)
        options.limits.maxDecodeBytes = bytes
        _ = try ImageRawCoder.shared.decode(data, options: options)
        options.limits.maxDecodeBytes = bytes - 1
        let error = #expect(throws: WebImageError.self) { try ImageRawCoder.shared.decode(data, options: options) }
        #expect(error?.code == .limitExceeded && error?.description.contains("\(bytes)") == true, "\(error as Any)")
    }

    /// A picture that LibRaw knows no camera for is valid for other programs.
    @Test func otherFilesAreNotSupported() throws {
        let image = try Image.generated(width: 20, height: 10) { _, _ in (1, 2, 3, 255) }
        let tiff = try ImageTIFFCoder.shared.encode(image, format: .tiff, options: EncodingOptions())
        let error = #expect(throws: WebImageError.self) {
            try ImageRawCoder.shared.decode(tiff, options: DecodingOptions())
        }
        #expect(error?.code == .unsupportedFormat && error?.hint?.contains("DNG") == true)
    }
}
