import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageTIFF
import WebImageTestTraits

/// Files whose container declares a smaller size than the image in the container has.
@Suite(.timeLimit(minutes: 1))
struct NestedCodingTests {
    private func error(_ coder: any ImageCoder, _ data: Data, _ limits: DecodingLimits) -> WebImageError? {
        var options = DecodingOptions()
        options.limits = limits
        do throws(WebImageError) {
            let image = try coder.decode(data, options: options)
            // The coder may crop or scale the image, but the result must be within the limit.
            #expect(image.pixelSize.pixelCount <= limits.maxPixels)
            return nil
        } catch { return error }
    }

    /// Returns a TIFF with one strip that contains a JPEG file. The TIFF declares `width` × `height` px.
    private func tiff(_ jpeg: Data, width: Int = 16, height: Int = 16) -> Data {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let fields: [(tag: Int, type: Int, count: Int, value: Int)] = [
            (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 7), (262, 3, 1, 6), (273, 4, 1, 8),
            (277, 3, 1, 3), (278, 4, 1, height), (279, 4, 1, jpeg.count),
        ]
        var file = Array("II".utf8) + little(42, 2) + little(8 + jpeg.count, 4) + jpeg + little(fields.count, 2)
        for field in fields {
            file += little(field.tag, 2) + little(field.type, 2) + little(field.count, 4) + little(field.value, 4)
        }
        return Data(file + little(0, 4))
    }

    private func jpeg(_ width: Int, _ height: Int) throws -> Data {
        try ImageJPEGCoder.shared.encode(
            try Samples.picture(width: width, height: height), format: .jpeg, options: .init())
    }

    @Test func aJPEGInATIFFIsNoLargerThanItsStrip() throws {
        let limits = DecodingLimits(maxPixels: 10_000)
        #expect(error(ImageTIFFCoder.shared, tiff(try jpeg(16, 16)), limits) == nil)
        for (width, height) in [(200, 200), (200, 16), (17, 16)] {
            let refused = error(ImageTIFFCoder.shared, tiff(try jpeg(width, height)), limits)
            #expect(refused?.code == .badImageData, "\(width)×\(height)")
        }
        // This JPEG is taller than its page. The coder may decode only the rows within the page, or fail.
        _ = error(ImageTIFFCoder.shared, tiff(try jpeg(16, 200)), limits)
    }

    @Test func anAVIFWhoseBoxSaysLessIsBoundedByItsFrame() throws {
        let file = try ImageAVIFCoder.shared.encode(
            try Samples.picture(width: 256, height: 256), format: .avif, options: .init())
        let box = try #require(file.firstRange(of: Data("ispe".utf8)))
        var lying = file
        // Declare 64 × 64 px. The `ispe` box contains version and flags (4 bytes), width (4 bytes) and height (4
        // bytes).
        lying.replaceSubrange(box.upperBound + 4..<box.upperBound + 12, with: [0, 0, 0, 64, 0, 0, 0, 64])
        #expect(error(ImageAVIFCoder.shared, lying, DecodingLimits(maxPixels: 64 * 64)) != nil)
    }
}
