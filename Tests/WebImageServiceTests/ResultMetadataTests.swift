import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageTIFF
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests the metadata and the orientation of results, and icons.
@Suite(.timeLimit(minutes: 2))
struct ResultMetadataTests {
    typealias Fix = PictureFixtures

    private let coders = ImageCodersManager(
        coders: ImageCodersManager.shared.coders + [ImageAVIFCoder.shared, ImageTIFFCoder.shared])

    /// A JPEG with artist, copyright, a comment of the camera, XMP and an orientation.
    private func source(_ orientation: ImageOrientation = .up, xmpBytes: Int = 100) throws -> Data {
        var options = EncodingOptions()
        options.metadata.exif = Self.exif
        options.metadata.xmp = Data("<x:xmpmeta>".utf8) + Data(repeating: 0x20, count: xmpBytes)
        options.metadata.orientation = orientation
        let image = try Image.generated(width: 64, height: 32) { x, _ in x < 32 ? Fix.red : Fix.blue }
        return try ImageCodersManager.shared.encode(image, format: .jpeg, options: options)
    }

    /// EXIF with the entries 0x010F (make), 0x013B (artist) and 0x8298 (copyright).
    private static let exif: Data = {
        var data = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 3])
        data += [0x01, 0x0F, 0, 2, 0, 0, 0, 6, 0, 0, 0, 50] + [0x01, 0x3B, 0, 2, 0, 0, 0, 10, 0, 0, 0, 56]
        data += [0x82, 0x98, 0, 2, 0, 0, 0, 8, 0, 0, 0, 66]
        return data + [0, 0, 0, 0] + Data("Maker\0A. Artist\0(c) Own\0".utf8)
    }()

    private func make(_ text: String, _ source: Data) throws -> Data {
        var resultRenderer = ResultRenderer(options: try Fix.options(text), coders: coders)
        resultRenderer.settings = OutputSettings()
        return try resultRenderer.make(from: source).data
    }

    @Test(arguments: ["jpg", "png", "webp"]) func copyrightIsKeptAndOtherMetadataOnRequest(format: String) throws {
        let source = try source()
        let standard = try coders.imageProperties(of: try make("f:\(format)", source), limits: .default)
        #expect(standard.artist == "A. Artist" && standard.copyright == "(c) Own")
        #expect(standard.tiff[0x010F] == nil && standard.xmp == nil)
        let all = try coders.imageProperties(of: try make("sm:0/f:\(format)", source), limits: .default)
        #expect(all.artist == "A. Artist" && all.tiff[0x010F] != nil && all.xmp != nil)
        let none = try coders.imageProperties(of: try make("kcr:0/f:\(format)", source), limits: .default)
        #expect(none.exifData == nil && none.xmp == nil)
    }

    @Test func copyrightIsKeptInAVIF() throws {
        let source = try source()
        #expect(try make("f:avif", source).range(of: Data("(c) Own".utf8)) != nil)
        #expect(try make("f:avif", source).range(of: Data("Maker".utf8)) == nil)
        let all = try make("f:avif/sm:0", source)
        #expect(all.range(of: Data("Maker".utf8)) != nil && all.range(of: Data("<x:xmpmeta>".utf8)) != nil)
        #expect(try make("f:avif/kcr:0", source).range(of: Data("(c) Own".utf8)) == nil)
    }

    /// JPEG stores metadata in segments of at most 64 KiB. Metadata of other formats can be larger.
    @Test func metadataThatDoesNotFitIntoJPEGIsLeftOut() throws {
        let png = try { () throws -> Data in
            var options = EncodingOptions()
            options.metadata.exif = Self.exif
            options.metadata.xmp = Data(repeating: 0x20, count: 200_000)
            return try ImageCodersManager.shared.encode(
                try Image.generated(width: 8, height: 8) { _, _ in Fix.red }, format: .png, options: options)
        }()
        let made = try coders.imageProperties(of: try make("sm:0/f:jpg", png), limits: .default)
        #expect(made.xmp == nil && made.artist == "A. Artist")
        let kept = try coders.imageProperties(of: try make("sm:0/f:png", png), limits: .default)
        #expect(kept.xmp?.count == 200_000)
    }

    /// Without `auto_rotate`, the pixels stay as stored, and the file declares their orientation.
    @Test(arguments: ["jpg", "png", "webp", "avif"], [ImageOrientation.right, .upMirrored, .leftMirrored, .down])
    func orientationIsKeptWithoutAutoRotate(format: String, orientation: ImageOrientation) throws {
        let source = try source(orientation)
        for options in ["ar:0", "ar:0/kcr:0", "ar:0/sm:0"] {
            let data = try make("\(options)/w:32/q:90/f:\(format)", source)
            let info = try coders.imageInfo(of: data, limits: .default)
            #expect(info.orientation == orientation && info.storedSize == PixelSize(width: 32, height: 16))
            let shown = Look(image: try coders.decode(data, options: DecodingOptions()))
            let upright = Look(image: try coders.decode(source, options: DecodingOptions()))
            let (width, height) = (shown.image.pixelSize.width, shown.image.pixelSize.height)
            for (x, y) in [(2, 2), (width - 3, 2), (2, height - 3), (width - 3, height - 3)] {
                let place = upright.pixel(x * 2, y * 2)
                #expect(shown.shows((place[0], place[1], place[2], 255), x, y, tolerance: 40), "\(x) \(y)")
            }
        }
        let turned = try coders.imageInfo(of: try make("f:\(format)", source), limits: .default)
        #expect(turned.orientation == .up)
    }

    /// Files of these formats declare no orientation, so the pixels are turned after all other steps. Every format shows
    /// the same picture, and sizes mean the same side.
    @Test(arguments: ["gif", "bmp", "ico", "tiff"], [ImageOrientation.right, .upMirrored, .leftMirrored, .down])
    func orientationIsAppliedWithoutAutoRotateIfTheFormatHasNone(format: String, orientation: ImageOrientation) throws {
        let source = try source(orientation)
        let declared = Look(image: try coders.decode(try make("ar:0/w:32/f:png", source), options: DecodingOptions()))
        let data = try make("ar:0/w:32/f:\(format)", source)
        let shown = Look(image: try coders.decode(data, options: DecodingOptions()))
        #expect(shown.size == declared.size)
        let (width, height) = (shown.image.pixelSize.width, shown.image.pixelSize.height)
        for (x, y) in [(2, 2), (width - 3, 2), (2, height - 3), (width - 3, height - 3)] {
            let place = declared.pixel(x, y)
            #expect(shown.shows((place[0], place[1], place[2], 255), x, y, tolerance: 8), "\(x) \(y)")
        }
        var resultRenderer = ResultRenderer(options: try Fix.options("ar:0/w:32/f:\(format)"), coders: coders)
        resultRenderer.settings = OutputSettings()
        #expect(try resultRenderer.make(from: source).size == shown.image.pixelSize)
    }

    @Test(arguments: [ImageFormat.webP, .png]) func framesAreTurnedIfTheFormatHasNoOrientation(format: ImageFormat)
        throws
    {
        var options = EncodingOptions()
        options.metadata.orientation = .right
        let source = try ImageCodersManager.shared.encode(frameCount: 2, loopCount: 0, format: format, options: options)
        {
            index throws(WebImageError) in
            let image = try Image.generated(width: 40, height: 20) { x, _ in
                (x < 20) == (index == 0) ? Fix.red : Fix.blue
            }
            return ImageFrame(image: image, duration: 0.1)
        }
        let resultRenderer = ResultRenderer(options: try Fix.options("ar:0/w:20/f:gif"), coders: coders)
        let made = try resultRenderer.make(from: source)
        #expect(made.frameCount == 2 && made.size == PixelSize(width: 10, height: 20))
        let animation = try #require(try coders.animation(of: made.data, options: DecodingOptions()))
        for index in 0..<2 {
            let look = Look(image: try animation.frame(at: index))
            #expect(look.size == "10x20" && look.shows(index == 0 ? Fix.red : Fix.blue, 5, 3, tolerance: 8))
        }
        let kept = try coders.imageInfo(of: try make("ar:0/w:20/f:webp", source), limits: .default)
        #expect(kept.orientation == .right && kept.frameCount == 2)
    }

    @Test func iconsAreScaledToTheirGreatestSide() throws {
        let large = try Fix.encoded(try Image.generated(width: 400, height: 200) { _, _ in Fix.red }, .png)
        let made = try Fix.make("f:ico", from: large)
        #expect(made.format == .ico && made.size == PixelSize(width: 256, height: 128))
        #expect(try Fix.look(at: made).shows(Fix.red, 10, 10))
        let small = try Fix.make("w:32/f:ico", from: large)
        #expect(small.size == PixelSize(width: 32, height: 16) && small.mediaType == "image/x-icon")
    }
}
