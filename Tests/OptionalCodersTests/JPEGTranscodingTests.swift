import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageJXL
import WebImageTestTraits

/// JPEG files that become JPEG XL and are restored bit for bit.
@Suite(.timeLimit(minutes: 2))
struct JPEGTranscodingTests {
    private let coder = ImageJPEGXLCoder.shared

    private func picture(_ format: PixelFormat = .rgb8, width: Int = 160, height: Int = 120) throws -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: format)
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices {
                let (row, column) = (index / pixels.bytesPerRow, index % pixels.bytesPerRow)
                bytes[index] = UInt8(truncatingIfNeeded: row * 2 + column / 3 + (row * column) % 7 * 9)
            }
        }
        return Image(pixels: pixels, hasAlpha: false)
    }

    private func jpeg(
        _ format: PixelFormat = .rgb8, quality: Double = 0.8, progressive: Bool = false, exif: Data? = nil
    ) throws -> Data {
        var options = EncodingOptions()
        options.quality = quality
        options.progressive = progressive
        options.metadata = EmbeddedMetadata(exif: exif, xmp: exif.map { _ in Data("<x:xmpmeta/>".utf8) })
        options.metadata.orientation = exif == nil ? .up : .right
        return try ImageJPEGCoder.shared.encode(try picture(format), format: .jpeg, options: options)
    }

    @Test func everyByteIsRestored() throws {
        let exif = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let files = [
            try jpeg(), try jpeg(quality: 1), try jpeg(quality: 0.2), try jpeg(.gray8), try jpeg(progressive: true),
            try jpeg(exif: exif), try jpeg() + Data("a film".utf8),
        ]
        for (index, file) in files.enumerated() {
            let made = try coder.transcoded(jpeg: file, limits: .default)
            #expect(try coder.originalJPEG(in: made, limits: .default) == file, "\(index)")
            let (old, new) = (
                try ImageJPEGCoder.shared.imageInfo(of: file, limits: .default),
                try coder.imageInfo(of: made, limits: .default)
            )
            #expect(old.storedSize == new.storedSize && old.orientation == new.orientation)
        }
        #expect(try coder.transcoded(jpeg: files[0], limits: .default).count < files[0].count)
    }

    /// The result shows what the JPEG shows: libjxl decodes the coefficients with more precision.
    @Test func theResultShowsTheJPEG() throws {
        let file = try jpeg(quality: 0.95)
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let images = [
            try ImageJPEGCoder.shared.decode(file, options: options),
            try coder.decode(try coder.transcoded(jpeg: file, limits: .default), options: options),
        ]
        #expect(try Samples.difference(images[0], images[1]) <= 6)
    }

    @Test func aFileOfAnotherKindIsRefused() throws {
        let file = try jpeg()
        for damaged in [Data(), Data("no picture".utf8), file.prefix(300), file.prefix(file.count / 2)] {
            #expect(throws: WebImageError.self) { try coder.transcoded(jpeg: Data(damaged), limits: .default) }
        }
        let own = try coder.encode(try picture(), format: .jpegXL, options: EncodingOptions())
        #expect(try coder.originalJPEG(in: own, limits: .default) == nil)
        var limits = DecodingLimits()
        limits.maxEncodedBytes = file.count - 1
        #expect(throws: WebImageError.self) { try coder.transcoded(jpeg: file, limits: limits) }
        let made = try coder.transcoded(jpeg: file, limits: .default)
        // The file fits, the JPEG that comes out of it does not.
        #expect(made.count < limits.maxEncodedBytes)
        #expect(throws: WebImageError.self) { try coder.originalJPEG(in: made, limits: limits) }
        for length in stride(from: 0, to: made.count - 1, by: 97) {
            let cut = Data(made.prefix(length))
            #expect((try? coder.originalJPEG(in: cut, limits: .default)).flatMap { $0 } != file)
        }
    }
}
