import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

/// The limits apply to an image inside another image file in the same way as to a separate image.
@Suite(.timeLimit(minutes: 1))
struct NestedPictureTests {
    private let limits = DecodingLimits(maxPixels: 10_000)

    private func limit(_ coder: any ImageCoder, _ data: Data) -> DecodingLimits.Limit? {
        var options = DecodingOptions()
        options.limits = limits
        #expect(throws: WebImageError.self) { try coder.imageInfo(of: data, limits: limits) }
        do throws(WebImageError) {
            _ = try coder.decode(data, options: options)
            return nil
        } catch {
            if case .limit(let limit, _, _) = error.underlying { return limit }
            return nil
        }
    }

    /// Returns an icon whose directory declares 16 × 16 px, independent of the real size of the image.
    private func icon(_ picture: Data) -> Data {
        var file = Data([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0])
        file += [picture.count, 22].flatMap { value in (0..<4).map { UInt8(value >> (8 * $0) & 255) } }
        return file + picture
    }

    @Test func pngInAnIconIsLimitedBySizeAndProfile() throws {
        let picture = try ImagePNGCoder.shared.encode(
            Image(pixels: try Sample.gradient(200, 200, .rgb8)), format: .png, options: .init())
        #expect(limit(ImageICOCoder.shared, icon(picture)) == .pixels)
        let animated = PNGBytes.signature + PNGBytes.header(16, 16) + PNGBytes.animationControl(frames: 2, plays: 0)
        #expect(throws: WebImageError.self) {
            try ImageICOCoder.shared.decode(icon(animated), options: DecodingOptions())
        }
    }

    @Test func bitmapInAnIconIsLimitedByItsOwnHeader() {
        var header = Data(count: 40)
        header[0] = 40
        // Declare 200 × 200 px. A bitmap in an icon declares twice the height (400 px), because this height includes
        // the mask.
        (header[4], header[8], header[9], header[12], header[14]) = (200, 0x90, 1, 1, 32)
        #expect(limit(ImageICOCoder.shared, icon(header + Data(count: 1000))) == .pixels)
    }

    @Test func iconInAnIconIsRefused() throws {
        let picture = try ImagePNGCoder.shared.encode(
            Image(pixels: try Sample.gradient(8, 8, .rgb8)), format: .png, options: .init())
        let error = #expect(throws: WebImageError.self) {
            try ImageICOCoder.shared.decode(icon(icon(picture)), options: DecodingOptions())
        }
        #expect(error?.code == .badImageData)
    }
}
