import Foundation
import Testing
import WebImage
import WebImageTestTraits

@Suite(.timeLimit(minutes: 5))
struct CoderHelperTests {
    @Test func noImageGivesNone() {  // SDImageCoderTests.test01ThatDecodedImageWithNilImageReturnsNil
        #expect(ImageCoderHelper.decodedImage(with: nil) == nil)
        #expect(ImageCoderHelper.decodedAndScaledDownImage(with: nil) == nil)
    }

    @Test(arguments: PixelFormat.allCases)
    func onlyAlwaysChangesTheLayout(_ format: PixelFormat) throws {
        let image = try image(8, 6, format)
        #expect(ImageCoderHelper.decodedImage(with: image) === image)
        #expect(ImageCoderHelper.decodedImage(with: image, policy: .never) === image)
        let decoded = try #require(ImageCoderHelper.decodedImage(with: image, policy: .always))
        #expect(decoded.pixels.format == .bgra8Premultiplied)
        #expect((decoded === image) == (format == .bgra8Premultiplied))
        #expect(decoded.pixelSize == image.pixelSize)
        #expect(decoded.imageLoopCount == 7)
    }

    // SDImageCoderTests.test07ThatDecodeAndScaleDownImageScaleSmallerBytes
    @Test(
        "The size is SDWebImage's to the pixel",
        arguments: [
            (PixelSize(width: 80, height: 60), 1, PixelSize(width: 1, height: 1)),
            (PixelSize(width: 1029, height: 1029), 1 << 20, PixelSize(width: 512, height: 512)),
            (PixelSize(width: 80, height: 60), 0, PixelSize(width: 80, height: 60)),
            (PixelSize(width: 400, height: 100), 40_000, PixelSize(width: 200, height: 50)),
        ])
    func scaledDownSize(_ size: PixelSize, limit: Int, expected: PixelSize) throws {
        let image = try image(size.width, size.height, .bgra8Premultiplied)
        let small = try #require(ImageCoderHelper.decodedAndScaledDownImage(with: image, limitBytes: limit))
        #expect(small.pixelSize == expected)
        #expect(small.imageLoopCount == 7)
        #expect(ImageCoderHelper.decodedAndScaledDownImage(with: image, limitBytes: limit, policy: .never) === image)
    }

    // SDImageCoderTests.test07ThatDecodeAndScaleDownAlwaysCompleteRendering
    @Test func scaledDownImagesAreCompleteToTheLastRow() throws {
        let black = try PixelBuffer(width: 1029, height: 1029, format: .bgra8Premultiplied)
        black.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: UInt32.self).update(repeating: UInt32(255).bigEndian)
        }
        let small = try #require(
            ImageCoderHelper.decodedAndScaledDownImage(with: Image(pixels: black), limitBytes: 1 << 20))
        small.pixels.withUnsafeBytes { bytes in
            for row in [0, 502, 503, 510, 511] {
                #expect(
                    Array(bytes[row * small.pixels.bytesPerRow..<row * small.pixels.bytesPerRow + 4]) == [0, 0, 0, 255])
            }
        }
    }

    @Test(
        "Sizes in a box",
        arguments: [
            (
                CGSize(width: 100, height: 200), CGSize(width: 150, height: 150), true, false,
                CGSize(width: 75, height: 150)
            ),
            (
                CGSize(width: 100, height: 200), CGSize(width: 150, height: 150), true, true,
                CGSize(width: 75, height: 150)
            ),
            (
                CGSize(width: 100, height: 200), CGSize(width: 300, height: 300), true, false,
                CGSize(width: 100, height: 200)
            ),
            (
                CGSize(width: 100, height: 200), CGSize(width: 300, height: 300), true, true,
                CGSize(width: 150, height: 300)
            ),
            (
                CGSize(width: 100, height: 200), CGSize(width: 150, height: 150), false, false,
                CGSize(width: 100, height: 150)
            ),
            (
                CGSize(width: 100, height: 200), CGSize(width: 150, height: 150), false, true,
                CGSize(width: 150, height: 150)
            ),
            (CGSize.zero, CGSize(width: 999, height: 999), false, false, CGSize.zero),
            (CGSize(width: 999, height: 999), CGSize.zero, false, false, CGSize(width: 999, height: 999)),
        ])
    func boxes(_ size: CGSize, box: CGSize, preserve: Bool, up: Bool, expected: CGSize) {
        // SDImageCoderTests.test24ThatScaleSizeCalculation
        #expect(
            ImageCoderHelper.scaledSize(
                withImageSize: size, scaleSize: box, preserveAspectRatio: preserve, shouldScaleUp: up) == expected)
    }

    @Test func byteLimitsReturnTheOriginalsSizes() {
        let large = CGSize(width: 5250, height: 3450)
        let size = ImageCoderHelper.scaledSize(
            withImageSize: large, limitBytes: 60 << 20, bytesPerPixel: 4, frameCount: 1)
        #expect(size == CGSize(width: 4892, height: 3214))
        let none = ImageCoderHelper.scaledSize(withImageSize: .zero, limitBytes: 5, bytesPerPixel: 4, frameCount: 0)
        #expect(none == CGSize(width: 1, height: 1))
    }

    @Test func orientationsEqualEXIFsNumbers() {
        for number in 1...8 {
            let orientation = ImageCoderHelper.imageOrientation(fromEXIFOrientation: number)
            #expect(ImageCoderHelper.exifOrientation(from: orientation) == number)
        }
        #expect(ImageCoderHelper.imageOrientation(fromEXIFOrientation: 0) == .up)
        #expect(ImageCoderHelper.imageOrientation(fromEXIFOrientation: 9) == .up)
    }

    @Test func defaultLimitCanBeSetToAtLeastOnePixel() {
        let limit = ImageCoderHelper.defaultScaleDownLimitBytes
        #expect(limit == 60 << 20)
        ImageCoderHelper.defaultScaleDownLimitBytes = 3
        #expect(ImageCoderHelper.defaultScaleDownLimitBytes == limit)
    }

    @Test("A byte limit holds in every format", arguments: [ImageFormat.jpeg, .png, .webP, .gif])
    func byteLimits(_ format: ImageFormat) throws {
        let data: Data
        if format == .gif {
            // A GIF of 64 × 64 px in one colour. Its literal codes have 3 bits. Frequent clear codes prevent wider
            // codes.
            data = Self.gif
        } else {
            data = try ImageCodersManager.shared.encode(
                try image(200, 100, .bgra8Premultiplied), format: format, options: EncodingOptions())
        }
        let full = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
        var options = DecodingOptions()
        options.scaleDownLimitBytes = full.pixelSize.pixelCount
        let image = try ImageCodersManager.shared.decode(data, options: options)
        #expect(image.pixelSize.width == full.pixelSize.width / 2)
        #expect(image.pixelSize.height == full.pixelSize.height / 2)
        options.scaleDownLimitBytes = 1 << 30
        #expect(try ImageCodersManager.shared.decode(data, options: options).pixelSize == full.pixelSize)
    }

    private static let gif: Data = {
        var codes: [Int] = []
        for index in 0..<4096 { codes += index % 2 == 0 ? [4, 1] : [1] }
        codes.append(5)
        var (bytes, bits, held) = ([UInt8](), 0, 0)
        for code in codes {
            bits |= code << held
            held += 3
            while held >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                held -= 8
            }
        }
        bytes.append(UInt8(bits & 255))
        var file = Data("GIF89a".utf8) + [64, 0, 64, 0, 0x81, 0, 0] + Data(repeating: 90, count: 12)
        file += [0x2C, 0, 0, 0, 0, 64, 0, 64, 0, 0, 2]
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let block = bytes[start..<min(start + 255, bytes.count)]
            file += [UInt8(block.count)] + block
        }
        return file + [0, 0x3B]
    }()

    private func image(_ width: Int, _ height: Int, _ format: PixelFormat) throws -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: format)
        pixels.withUnsafeMutableBytes { _ = memset($0.baseAddress!, 255, $0.count) }
        let image = Image(pixels: pixels)
        image.imageLoopCount = 7
        return image
    }
}
