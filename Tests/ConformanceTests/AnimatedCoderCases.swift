import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits

/// Test cases for animated coders, ported from SDWebImage. They use SDWebImage's images.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 5))
struct AnimatedCoderCases {
    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var format: ImageFormat
        var fitted: PixelSize
        var testDescription: String { path }
    }

    static let cases = [
        Case(path: "sdwebimage/TestImageLarge.png", format: .png, fitted: PixelSize(width: 50, height: 28)),
        Case(path: "sdwebimage/TestImage.gif", format: .gif, fitted: PixelSize(width: 50, height: 50)),
        Case(path: "sdwebimage/TestImageAnimated.webp", format: .webP, fitted: PixelSize(width: 47, height: 50)),
    ]

    private let manager = ImageCodersManager.shared
    private let box = PixelSize(width: 50, height: 50)

    private func open(_ data: Data, _ options: DecodingOptions = .init()) throws -> any AnimatedImageCoder {
        try #require(try manager.animation(of: data, options: options))
    }

    // SDImageCoderTests.test11ThatAPNGPCoderWorks
    // SDImageCoderTests.test12ThatGIFCoderWorks
    // SDImageCoderTests.test19ThatAnimatedWebPWorks
    @Test(arguments: cases)
    func anAnimationDecodesScalesAndEncodes(_ item: Case) throws {
        let data = try Conformance.data(item.path)
        #expect(manager.canDecode(from: data) && manager.canEncode(to: item.format))
        let still = try manager.decode(data, options: .init())
        let animation = try open(data)
        #expect(animation.animatedImageFrameCount > 1)
        let image = try #require(manager.decodedImage(with: data, options: nil) as? AnimatedImage)
        #expect(image.isAnimated && image.imageFrameCount == animation.animatedImageFrameCount)
        #expect(image.imageLoopCount == animation.animatedImageLoopCount)
        for index in 0..<animation.animatedImageFrameCount {
            let frame = try #require(animation.animatedImageFrame(at: index))
            #expect(frame.size == still.size && frame.scale == still.scale)
        }
        var options = DecodingOptions()
        options.thumbnailPixelSize = box
        try expectSizes(of: data, options, item.fitted, within: 1)
        options.preserveAspectRatio = false
        try expectSizes(of: data, options, box, within: 0)

        let encoded = try manager.encode(image, format: item.format, options: .init())
        let back = try open(encoded)
        #expect(back.animatedImageFrameCount == animation.animatedImageFrameCount)
        #expect(back.animatedImageLoopCount == animation.animatedImageLoopCount)
        #expect(try manager.decode(encoded, options: .init()).size == still.size)
        var small = EncodingOptions()
        small.maxPixelSize = box
        let smaller = try manager.encode(image, format: item.format, options: small)
        try expectSizes(of: smaller, .init(), item.fitted, within: 1)
        #expect(try open(smaller).animatedImageLoopCount == animation.animatedImageLoopCount)
        small.firstFrameOnly = true
        let first = try manager.encode(image, format: item.format, options: small)
        #expect(try manager.imageInfo(of: first, limits: .default).frameCount == 1)
    }

    private func expectSizes(
        of data: Data, _ options: DecodingOptions, _ size: PixelSize, within tolerance: Int
    ) throws {
        let images = [try manager.decode(data, options: options), try open(data, options).animatedImageFrame(at: 1)]
        for image in images {
            let own = try #require(image).pixelSize
            #expect(abs(own.width - size.width) <= tolerance && abs(own.height - size.height) <= tolerance)
        }
    }

    // SDImageCoderTests.test27ThatEncodeWithFramesWorks
    @Test func framesMadeByHandEncodeAsGIF() throws {
        let frames = try (0..<5).map { index in
            let pixels = try PixelBuffer(width: 100, height: 100, format: .rgba8)
            pixels.withUnsafeMutableBytes { bytes in
                for place in stride(from: 0, to: bytes.count, by: 4) {
                    bytes[place] = index == 0 ? 255 : UInt8(255 / index)
                    (bytes[place + 1], bytes[place + 2], bytes[place + 3]) = (0, 0, 255)
                }
            }
            return ImageFrame(image: Image(pixels: pixels), duration: 0.1)
        }
        let data = try #require(manager.encodedData(with: frames, loopCount: 0, format: .gif, options: nil))
        let animation = try open(data)
        #expect(animation.animatedImageFrameCount == 5 && animation.animatedImageLoopCount == 0)
        #expect(animation.animatedImageDuration(at: 4) == 0.1)
        let last = try #require(animation.animatedImageFrame(at: 4))
        #expect(last.pixels.withUnsafeBytes { Array($0.prefix(4)) } == [0, 0, 63, 255])
    }

    // SDImageCoderTests.test12ThatGIFWithoutLoopCountPlayOnce
    @Test func aGIFWithoutLoopCountPlaysOnce() throws {
        let pixels = try PixelBuffer(width: 2, height: 2, format: .rgba8)
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
        let frames = [ImageFrame](repeating: ImageFrame(image: Image(pixels: pixels), duration: 0.5), count: 2)
        let data = try manager.encode(frames, loopCount: 1, format: .gif, options: .init())
        #expect(data.range(of: Data("NETSCAPE".utf8)) == nil)
        #expect(try open(data).animatedImageLoopCount == 1)
        #expect(manager.decodedImage(with: data, options: nil)?.imageLoopCount == 1)
    }
}
