import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// Checks calls that compile and must also have SDWebImage's result.
@Suite(.timeLimit(minutes: 1)) struct PortedBehaviourTests {
    private let file: Data
    private let png: Data

    init() throws {
        let image = try TestImages.solid(width: 8, height: 6)
        file = try #require(image.jpegData(compressionQuality: 1))
        png = try #require(image.pngData())
    }

    // SDImageCacheTests.test04ClearDiskCache
    @Test func clearingTheDiskRemovesAnImageThatWasStoredBefore() async throws {
        let scratch = try ScratchFolder()
        let cache = SDImageCache(namespace: "ported", diskCacheDirectory: scratch.path)
        let image = try TestImages.solid(width: 400, height: 400)
        for index in 0..<20 { cache.store(image, forKey: "\(index)", completion: nil) }
        await cache.clearDiskOnCompletion()
        let count: UInt = cache.totalDiskCount()
        #expect(cache.imageFromMemoryCache(forKey: "0") === image && count == 0)
        cache.store(image, forKey: "0", completion: nil)
        cache.removeImage(forKey: "0", cacheType: .disk, completion: nil)
        #expect(!cache.diskImageDataExists(withKey: "0"))
        cache.store(image, forKey: "0", completion: nil)
        #expect(await cache.diskImageExists(withKey: "0"))
    }

    // SDImageCoderTests.test15ThatCodersManagerWorks
    @Test func coderForUnknownDataAlsoAcceptsNil() {
        let manager = SDImageCodersManager()
        #expect(!manager.canDecode(from: nil))
        manager.coders = [SDImageIOCoder.shared]
        #expect(manager.canDecode(from: nil) && manager.canEncode(to: .undefined))
        #expect(manager.decodedImage(with: nil, options: nil) == nil)
        #expect(manager.encodedData(with: nil, format: .undefined, options: nil) == nil)
    }

    // SDAnimatedImageTest.test37AnimatedImageWithStaticDataBehavior
    @Test func stillOfTheAnimatedClassIsDecodedToAPlainImage() throws {
        let image = try #require(SDAnimatedImage(data: file))
        #expect(!image.sd_isAnimated && !image.sd_isDecoded && image.sd_imageFormat == .JPEG)
        let decoded = try #require(SDImageCoderHelper.decodedImage(with: image, policy: .automatic))
        #expect(decoded !== image && !(decoded is SDAnimatedImage) && decoded.sd_isDecoded)
        #expect(decoded.pixels === image.pixels && decoded.sd_imageFormat == .JPEG)
        #expect(UIImage.sd_decodedImage(with: image) !== image)
        #expect(SDImageCoderHelper.decodedImage(with: image, policy: .never) === image)
    }

    // SDImageCoderTests.test10ThatAnimatedImageCacheImmediatelyWorks
    // SDImageCoderTests.test23ThatThumbnailEncodeCalculation
    @Test func imagesOfCodersCountAsDecodedOnlyAsFramesAndThumbnails() async throws {
        let coder = try #require(SDImageAPNGCoder(animatedImageData: png, options: nil))
        #expect(coder.animatedImageFrame(at: 0)?.sd_isDecoded == true)
        for coder in [SDImageCodersManager.shared, SDImageAPNGCoder.shared] as [any SDImageCoder] {
            #expect(coder.decodedImage(with: png, options: nil)?.sd_isDecoded == false)
            let box: SDImageCoderOptions = [.decodeThumbnailPixelSize: CGSize(width: 4, height: 4)]
            #expect(coder.decodedImage(with: png, options: box)?.sd_isDecoded == true)
        }
        let url = try #require(URL(string: "https://host/a.png"))
        #expect(SDImageLoaderDecodeImageData(png, url, [], nil)?.sd_isDecoded == true)
        let context: SDWebImageContext = [.animatedImageClass: SDAnimatedImage.self]
        #expect(SDImageLoaderDecodeImageData(file, url, [], context)?.sd_isDecoded == true)
        #expect(SDImageLoaderDecodeImageData(file, url, [], [.imageCoder: SystemCoder()])?.sd_isDecoded == true)
    }

    // SDImageCoderTests.test03ThatDecodedImageWithImageDoesNotDecodeAnimatedImages
    @Test func animationOfOneImageIsAnAnimation() throws {
        let image = try #require(UIImage(data: file))
        let animation = try #require(UIImage.animatedImage(with: [image], duration: 0))
        #expect(animation !== image && animation.sd_isAnimated && animation.images?.first === image)
        #expect(animation.sd_imageFrameCount == 1 && animation.duration > 0)
        #expect(UIImage.sd_decodedImage(with: animation) === animation)
        #expect(UIImage.animatedImage(with: [], duration: 1) == nil)
    }

    // SDImageCoderTests.test30ThatImageIOPNGPluginBuggyWorkaround
    @Test func coloursOfPixelsAreStraightAndRounded() throws {
        let pixels = try PixelBuffer(width: 1, height: 1, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { $0.copyBytes(from: [45, 45, 30, 50]) }
        let color = try #require(UIImage(pixels: pixels).sd_color(at: .zero))
        #expect(color == UIColor(red: 153 / 255, green: 230 / 255, blue: 230 / 255, alpha: 50 / 255))
        #expect(UIImage(pixels: pixels).sd_color(at: CGPoint(x: 1, y: 0)) == nil)
    }

    // SDImageCoderTests.test32ThatISOHDRDecodeWorks
    @Test(arguments: [PixelFormat.rgba16, .rgbaHalf])
    func pixelsOfAHighDynamicRangeHaveNoColour(format: PixelFormat) throws {
        let pixels = try PixelBuffer(width: 1, height: 1, format: format)
        pixels.withUnsafeMutableBytes { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
        let image = UIImage(pixels: pixels)
        #expect(image.sd_isHighDynamicRange && image.sd_color(at: .zero) == nil)
        #expect(image.sd_colors(with: CGRect(x: 0, y: 0, width: 1, height: 1)) == nil)
    }

    // SDImageCoderTests.test13ThatHEICWorks, SDImageCoderTests.test14ThatHEIFWorks
    @Test func coderOfTheSystemReadsFormatsWhoseCoderIsRegistered() throws {
        let start: [UInt8] = [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0]
        let heic = Data(start)
        #expect(!SDImageIOCoder.shared.canDecode(from: heic) && !SDImageIOCoder.shared.canEncode(to: .HEIC))
        let (coder, caller) = (HEICCoder(), CallingCoder())
        SDImageCodersManager.shared.addCoder(coder)
        SDImageCodersManager.shared.addCoder(SDImageIOCoder.shared)
        SDImageCodersManager.shared.addCoder(caller)
        defer {
            SDImageCodersManager.shared.removeCoder(caller)
            SDImageCodersManager.shared.removeCoder(SDImageIOCoder.shared)
            SDImageCodersManager.shared.removeCoder(coder)
        }
        #expect(SDImageIOCoder.shared.canDecode(from: heic) && SDImageIOCoder.shared.canEncode(to: .HEIC))
        let image = try #require(SDImageIOCoder.shared.decodedImage(with: heic, options: nil))
        #expect(image.sd_imageFormat == .HEIC && caller.canDecode(from: heic))
        #expect(SDImageIOCoder.shared.encodedData(with: image, format: .HEIC, options: nil) == Data("heic".utf8))
        // JPEG is read by the built-in coder even then.
        #expect(SDImageIOCoder.shared.decodedImage(with: file, options: nil)?.sd_imageFormat == .JPEG)
    }

    // SDImageCacheTests.test46MemoryCacheWeakCache
    @Test func memoryCacheFindsObjectsOfAnyClassUnderEqualStrings() {
        let memory = SDMemoryCache<NSString, NSObject>(config: SDImageCacheConfig())
        memory.config.shouldUseWeakMemoryCache = false
        (memory.config.maxMemoryCost, memory.config.maxMemoryCount) = (10, 5)
        let object = NSObject()
        memory.setObject(object, forKey: "1")
        #expect(memory.object(forKey: "1") === object)
        #expect(memory.object(forKey: NSString(string: "1")) === object)
        let key: Any = "1"
        #expect(memory.object(forKey: key) as? NSObject === object)
        memory.removeObject(forKey: "1")
        #expect(memory.object(forKey: NSString(string: "1")) == nil)
        memory.setObject(object, forKey: NSString(string: "2"))
        let data: Any = Data([1])
        memory.setObject(data, forKey: "data")
        #expect(memory.object(forKey: "2") === object && memory.object(forKey: "data" as Any) as? Data == Data([1]))
        memory.removeAllObjects()
        #expect(memory.object(forKey: "2") == nil)
    }
}

/// A coder with SDWebImage's signatures that uses the system's coder.
private struct SystemCoder: SDImageCoder {
    func canDecode(from data: Data?) -> Bool { true }
    func decodedImage(with data: Data?, options: SDImageCoderOptions?) -> UIImage? {
        data.flatMap { UIImage(data: $0) }
    }
    func canEncode(to format: SDImageFormat) -> Bool { false }
    func encodedData(with image: UIImage?, format: SDImageFormat, options: SDImageCoderOptions?) -> Data? { nil }
}

/// A coder with SDWebImage's signatures that asks `SDImageIOCoder`, which must not ask it in turn.
private final class CallingCoder: SDImageCoder {
    func canDecode(from data: Data?) -> Bool { SDImageIOCoder.shared.canDecode(from: data) }
    func decodedImage(with data: Data?, options: SDImageCoderOptions?) -> UIImage? {
        SDImageIOCoder.shared.decodedImage(with: data, options: options)
    }
    func canEncode(to format: SDImageFormat) -> Bool { SDImageIOCoder.shared.canEncode(to: format) }
    func encodedData(with image: UIImage?, format: SDImageFormat, options: SDImageCoderOptions?) -> Data? {
        SDImageIOCoder.shared.encodedData(with: image, format: format, options: options)
    }
}

/// A coder for a format that the package does not read by itself. It reads one pixel.
private final class HEICCoder: ImageCoder {
    func canDecode(from data: Data) -> Bool { SDImageFormat(sniffing: data) == .HEIC }
    func canEncode(to format: SDImageFormat) -> Bool { format == .HEIC }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        ImageInfo(format: .HEIC, storedSize: PixelSize(width: 1, height: 1))
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(width: 1, height: 1, format: .bgra8Premultiplied)
        return Image(pixels: pixels, format: .HEIC)
    }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        Data("heic".utf8)
    }
}
