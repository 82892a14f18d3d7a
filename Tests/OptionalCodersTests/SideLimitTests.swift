import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

/// The maximum of a side, checked by every coder on the header.
@Suite(.timeLimit(minutes: 1))
struct SideLimitTests {
    static let cases: [CoderCase] = {
        let builtIn: [(String, any ImageCoder, ImageFormat)] = [
            ("jpeg", ImageJPEGCoder.shared, .jpeg), ("png", ImagePNGCoder.shared, .png),
            ("gif", ImageGIFCoder.shared, .gif), ("webp", ImageWebPCoder.shared, .webP),
            ("bmp", ImageBMPCoder.shared, .bmp),
        ]
        return CoderCase.all
            + builtIn.compactMap { name, coder, format in
                guard let image = try? Samples.picture(),
                    let file = try? coder.encode(image, format: format, options: .init())
                else { return nil }
                return CoderCase(name: name, coder: coder, file: file, size: image.pixelSize)
            }
    }()

    @Test(arguments: cases)
    func sideOverTheLimitIsRefused(_ one: CoderCase) throws {
        let side = max(one.size.width, one.size.height)
        var options = DecodingOptions()
        options.limits.maxSide = side
        #expect(throws: Never.self) { try one.coder.decode(one.file, options: options) }
        options.limits.maxSide = side - 1
        let error = #expect(throws: WebImageError.self) { try one.coder.decode(one.file, options: options) }
        #expect(error?.underlying == .limit(.side, actual: side, allowed: side - 1))
    }

    @Test func tenMillionPixelsOfOneRowAreRefused() throws {
        #expect(throws: WebImageError.self) {
            try DecodingLimits.default.checkPixels(PixelSize(width: 10_000_000, height: 1))
        }
        let row = try PixelBuffer(width: 70_000, height: 1, format: .rgb8)
        let file = try ImagePNGCoder.shared.encode(Image(pixels: row, hasAlpha: false), format: .png, options: .init())
        let error = #expect(throws: WebImageError.self) {
            try ImagePNGCoder.shared.decode(file, options: DecodingOptions())
        }
        #expect(error?.underlying == .limit(.side, actual: 70_000, allowed: 65_535))
    }
}
