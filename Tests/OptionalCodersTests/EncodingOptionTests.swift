import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageGraphics
import WebImageHEIF
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits

/// The encoding options that the optional coders share with the built-in coders.
@Suite(.timeLimit(minutes: 5), .serialized)
struct EncodingOptionTests {
    private static let coders: [(any ImageCoder, ImageFormat)] = [
        (ImageAVIFCoder.shared, .avif), (ImageJPEGXLCoder.shared, .jpegXL), (ImageHEICCoder.shared, .heic),
    ]

    @Test func aFileSizeChoosesTheQuality() throws {
        let image = try Samples.picture(width: 96, height: 64)
        for (coder, format) in Self.coders where coder.canEncode(to: format) {
            var options = EncodingOptions()
            let best = try coder.encode(image, format: format, options: options).count
            options.quality = 0.01
            let worst = try coder.encode(image, format: format, options: options).count
            options.maxFileSize = (best + worst) / 2
            let bounded = try coder.encode(image, format: format, options: options).count
            #expect((worst...(best + worst) / 2).contains(bounded), "\(format)")
        }
    }

    // SDImageCoderTests.test21ThatEmbedThumbnailHEICWorks
    @Test(.enabled(if: ImageHEICCoder.shared.canEncode(to: .heic)))
    func aThumbnailIsEmbeddedInHEICOnRequest() throws {
        func thumbnails(_ image: Image, _ options: ImageCoderOptions?) throws -> Int {
            let file = try #require(ImageHEICCoder.shared.encodedData(with: image, format: .heic, options: options))
            #expect(ImageHEICCoder.shared.decodedImage(with: file, options: nil)?.pixelSize == image.pixelSize)
            // A reference of type "thmb" marks an item as the thumbnail of another item (ISO/IEC 23008-12 §6.4.4).
            return file.ranges(of: Data("thmb".utf8)).count
        }
        let image = try Samples.picture(width: 640, height: 426)
        #expect(try thumbnails(image, nil) == 0)
        #expect(try thumbnails(image, [.encodeEmbedThumbnail: true]) == 1)
        // An image that is as small as a thumbnail gets no embedded thumbnail.
        #expect(try thumbnails(try Samples.picture(width: 96, height: 64), [.encodeEmbedThumbnail: true]) == 0)
    }

    @Test func twelveBitsAreWrittenForSixteenOnRequest() throws {
        let pixels = try Samples.picture().pixels.converted(to: .rgba16)
        let image = Image(pixels: pixels, hasAlpha: false)
        func depth(_ value: Int) throws -> Int {
            let data = try #require(
                ImageAVIFCoder.shared.encodedData(with: image, format: .avif, options: [.encodeToHDR: value]))
            return try ImageAVIFCoder.shared.imageInfo(of: data, limits: .default).bitDepth
        }
        #expect(try depth(0) == 8)
        #expect(try depth(1) == 12)
    }

    @Test func framesAreAskedForOnceAndInOrder() throws {
        let image = try Samples.picture()
        var asked: [Int] = []
        _ = try ImageAVIFCoder.shared.encode(
            frameCount: 3, loopCount: 0, format: .avif, options: EncodingOptions()
        ) { index in
            asked.append(index)
            return ImageFrame(image: image, duration: 0.1)
        }
        #expect(asked == [0, 1, 2])
    }

    @Test func memoryIsBoundedBeforeItIsTaken() throws {
        let image = try Samples.picture(width: 256, height: 256)
        for (coder, format) in Self.coders where coder.canEncode(to: format) {
            let data = try coder.encode(image, format: format, options: EncodingOptions())
            var options = DecodingOptions()
            options.limits.maxDecodeBytes = 256 * 256 * 5
            let error = #expect(throws: WebImageError.self) { try coder.decode(data, options: options) }
            guard case .limit(.decodeBytes, let actual, _)? = error?.underlying else {
                Issue.record("\(format): \(String(describing: error))")
                continue
            }
            // The reported cost includes the memory of the image and the working memory of the library.
            #expect(actual >= 256 * 256 * 8)
        }
    }
}
