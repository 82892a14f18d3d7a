import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits

/// Test cases for coders of still images, ported from SDWebImage. They use SDWebImage's files.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 5))
struct CoderCaseTests {
    private let coders = ImageCodersManager.shared

    // SDImageCoderTests.test02ThatDecodedImageWithImageWorksWithARegularJPGImage
    @Test func aPhotoKeepsItsSizeWhenDecoded() throws {
        let image = try decoded("TestImage.jpg")
        #expect(image.pixelSize == PixelSize(width: 80, height: 60))
        #expect(ImageCoderHelper.decodedImage(with: image) === image)
    }

    // SDImageCoderTests.test04ThatDecodedImageWithImageWorksWithAlphaImages
    @Test func aPictureWithAlphaIsReadyForDisplay() throws {
        let image = try decoded("TestImage.png")
        #expect(image.hasAlpha)
        #expect(image.pixels.format == .bgra8Premultiplied)
    }

    // SDImageCoderTests.test05ThatDecodedImageWithImageWorksEvenWithMonochromeImage
    @Test func aMonochromePhotoKeepsItsSize() throws {
        #expect(try decoded("MonochromeTestImage.jpg").pixelSize == PixelSize(width: 165, height: 121))
        var options = DecodingOptions()
        options.pixelFormat = .gray8
        let gray = try decoded("MonochromeTestImage.jpg", options)
        #expect(gray.pixels.format == .gray8)
        #expect(gray.pixels.bytesPerRow < 165 * 2)
    }

    // SDImageCoderTests.test06ThatDecodeAndScaleDownImageWorks
    @Test func aLargePhotoIsScaledDownToTheLimit() throws {
        let image = try decoded("TestImageLarge.jpg")
        #expect(image.pixelSize == PixelSize(width: 5250, height: 3450))
        let small = try #require(ImageCoderHelper.decodedAndScaledDownImage(with: image, limitBytes: 60 << 20))
        #expect(small.pixelSize == PixelSize(width: 4892, height: 3214))
    }

    // SDImageCoderTests.test07ThatDecodeAndScaleDownImageDoesNotScaleSmallerImage
    @Test func aSmallPhotoIsNotScaledDown() throws {
        let image = try decoded("TestImage.jpg")
        #expect(ImageCoderHelper.decodedAndScaledDownImage(with: image)?.pixelSize == image.pixelSize)
    }

    // SDImageCoderTests.test09ThatJPGImageEncodeWithMaxFileSize
    @Test func aFileSizeBoundsAJPEG() throws {
        let image = try decoded("TestImageLarge.jpg")
        let limit = 1 << 20
        func count(_ change: (inout EncodingOptions) -> Void) throws -> Int {
            var options = EncodingOptions()
            change(&options)
            return try coders.encode(image, format: .jpeg, options: options).count
        }
        let best = try count { _ in }
        let worst = try count { $0.quality = 0.01 }
        let bounded = try count { $0.maxFileSize = limit }
        #expect(best > limit)
        #expect(worst < limit)
        #expect((worst...limit).contains(bounded))
    }

    // SDImageCoderTests.test15ThatCodersManagerWorks
    @Test func noCoderAcceptsAnUndefinedFormat() throws {
        #expect(!coders.canDecode(from: Data()))
        #expect(coders.decodedImage(with: nil, options: nil) == nil)
        #expect(coders.encodedData(with: nil, format: .undefined, options: nil) == nil)
    }

    // SDImageCoderTests.test18ThatStaticWebPWorks
    @Test(arguments: [
        ("TestImageStatic.webp", PixelSize(width: 550, height: 368)),
        ("TestImage.gif", PixelSize(width: 50, height: 50)),
    ])
    func coderWorks(_ name: String, size: PixelSize) throws {
        let data = try Conformance.data("sdwebimage/\(name)")
        #expect(ImageFormat(sniffing: data) != .undefined)
        #expect(try decoded(name).pixelSize == size)
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 50, height: 50)
        options.preserveAspectRatio = false
        #expect(try decoded(name, options).pixelSize == PixelSize(width: 50, height: 50))
        options.preserveAspectRatio = true
        let fitted = try decoded(name, options).pixelSize
        let ratio = Double(size.width) / Double(size.height)
        let expected = ratio > 1 ? (50, Int((50 / ratio).rounded())) : (Int((50 * ratio).rounded()), 50)
        #expect(abs(fitted.width - expected.0) <= 1 && abs(fitted.height - expected.1) <= 1)
    }

    // SDImageCoderTests.test22ThatThumbnailDecodeCalculation
    @Test func aThumbnailHasTheOriginalsSize() throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 400, height: 300)
        #expect(try decoded("TestImageLarge.jpg", options).pixelSize == PixelSize(width: 400, height: 263))
    }

    // SDImageCoderTests.test23ThatThumbnailEncodeCalculation
    @Test func anEncodedThumbnailHasTheOriginalsSize() throws {
        var options = EncodingOptions()
        options.maxPixelSize = PixelSize(width: 4000, height: 4000)
        let data = try coders.encode(try decoded("TestImageLarge.jpg"), format: .jpeg, options: options)
        #expect(try coders.imageInfo(of: data, limits: .default).pixelSize == PixelSize(width: 4000, height: 2629))
    }

    // SDImageCoderTests.test29ThatJFIFDecodeOrientationShouldNotApplyTwice
    @Test func orientationIsAppliedOnce() throws {
        let data = try Conformance.data("sdwebimage/TestJFIF.jpg")
        #expect(try coders.imageInfo(of: data, limits: .default).orientation == .down)
        var options = DecodingOptions()
        options.colorConversion = .asStored
        options.pixelFormat = .rgba8
        let image = try coders.decode(data, options: options)
        let size = image.pixelSize
        // The file stores the image rotated by 180°, so this pixel is stored at (1, 1).
        let pixel = image.pixels.rgba(size.width - 2, size.height - 2)
        for (channel, expected) in [178, 181, 170].enumerated() { #expect(abs(pixel[channel] - expected) <= 3) }
    }

    // SDImageCoderTests.test30ThatImageIOPNGPluginBuggyWorkaround
    @Test func paletteAndDeepPicturesKeepTheirColours() throws {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        #expect(try decoded("IndexedPNG.png", options).pixels.rgba(100, 1) == [154, 231, 231, 50])
        options.pixelFormat = .rgba16
        let deep = try decoded("RGBA16PNG.png", options)
        #expect(deep.pixels.format.bitsPerComponent == 16)
        #expect(!deep.pixels.format.isPremultiplied)
    }

    @Test func everyOrientationSampleReportsItsOrientationAndExif() throws {
        for shape in ["Landscape", "Portrait"] {
            for number in 1...8 {
                let properties = try coders.imageProperties(of: Conformance.data("exif/\(shape)_\(number).jpg"))
                #expect(properties.info.orientation.rawValue == number)
                #expect(properties.tiff[0x0112]?.number == Double(number))
            }
        }
    }

    @Test func previewsAreUprightThumbnails() throws {
        let data = try Conformance.data("exif/Portrait_6.jpg")
        let whole = try coders.decode(data, options: DecodingOptions())
        let stream = try #require(
            coders.makeIncrementalCoder(for: data.prefix(16), options: DecodingOptions()) as? any StreamingImageCoder)
        try stream.append(data.prefix(data.count / 2), finished: false)
        let preview = try #require(stream.incrementalImage(options: nil))
        #expect(preview.isIncremental)
        #expect(preview.pixelSize == whole.pixelSize)
        #expect(preview.pixelSize.height > preview.pixelSize.width)
    }

    private func decoded(_ name: String, _ options: DecodingOptions = DecodingOptions()) throws -> Image {
        try coders.decode(Conformance.data("sdwebimage/\(name)"), options: options)
    }
}

extension PixelBuffer {
    fileprivate func rgba(_ x: Int, _ y: Int) -> [Int] {
        withUnsafeBytes { bytes in (0..<4).map { Int(bytes[y * bytesPerRow + x * 4 + $0]) } }
    }
}
