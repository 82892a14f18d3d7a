import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// If an animated image still has the bytes of its file, the cache stores these bytes.
@Suite(.timeLimit(minutes: 1))
struct AnimationStoringTests {
    private static func animation(_ format: ImageFormat) throws -> Data {
        let frames = try [10, 200].map { ImageFrame(image: try TestImages.solid(blue: $0), duration: 0.1) }
        return try ImageCodersManager.shared.encode(
            frameCount: 2, loopCount: 0, format: format, options: EncodingOptions()
        ) { frames[$0] }
    }

    // SDImageCacheTests.test42StoreCacheWithImageAndFormatWithoutImageData
    @Test(arguments: [ImageFormat.gif, .png, .webP])
    func animatedImageIsStoredAsItsFile(format: ImageFormat) async throws {
        let fixture = try EntryFixture()
        // Append trailing bytes that no encoder would write.
        let file = try Self.animation(format) + Data("kept as it is".utf8)
        // Store the image as `AnimatedImage` and as the plain image that the coders return.
        for image in [AnimatedImage(data: file), ImageCodersManager.shared.decodedImage(with: file, options: nil)] {
            let calls = Calls<Bool>()
            fixture.cache.storeImage(image, forKey: "key") { calls.append(true) }
            #expect(await calls.wait() == true)
            #expect(await fixture.cache.diskImageData(forKey: "key") == file)
            fixture.cache.clearMemory()
            #expect(fixture.cache.imageFromDiskCache(forKey: "key")?.isAnimated == true)
            fixture.cache.removeImage(forKey: "key", withCompletion: nil)
        }
    }

    /// A program that sets the format of an animation wants its entry in this format.
    @Test(arguments: [ImageFormat.undefined, .gif, .png])
    func animationWithAChosenFormatIsStoredInThisFormat(format: ImageFormat) async throws {
        let fixture = try EntryFixture()
        let file = try Self.animation(.png)
        let image = try #require(AnimatedImage(data: file))
        image.imageFormat = format
        let calls = Calls<Bool>()
        fixture.cache.storeImage(image, forKey: "key") { calls.append(true) }
        #expect(await calls.wait() == true)
        let stored = try #require(await fixture.cache.diskImageData(forKey: "key"))
        #expect((stored == file) == (format == .png))
        #expect(ImageFormat(sniffing: stored) == (format == .png ? ImageFormat(sniffing: file) : .gif))
        fixture.cache.clearMemory()
        #expect(fixture.cache.imageFromDiskCache(forKey: "key")?.imageFrameCount == 2)
    }

    @Test func encodeOptionsReachTheEncoder() async throws {
        let fixture = try EntryFixture()
        let file = try Self.animation(.gif)
        let image = try #require(AnimatedImage(data: file))
        let calls = Calls<Bool>()
        fixture.cache.storeImage(
            image, imageData: nil, forKey: "key", options: [],
            context: [.imageEncodeOptions: [ImageCoderOption.encodeFirstFrameOnly: true]], cacheType: .disk
        ) { calls.append(true) }
        #expect(await calls.wait() == true)
        let stored = try #require(await fixture.cache.diskImageData(forKey: "key"))
        #expect(stored != file)
    }

    @Test func aTransformedAnimationIsEncoded() async throws {
        let fixture = try EntryFixture()
        let file = try Self.animation(.gif) + Data("not part of the picture".utf8)
        let image = try #require(AnimatedImage(data: file))
        image.isTransformed = true
        let calls = Calls<Bool>()
        fixture.cache.storeImage(image, forKey: "key") { calls.append(true) }
        #expect(await calls.wait() == true)
        let stored = try #require(await fixture.cache.diskImageData(forKey: "key"))
        #expect(stored != file)
    }
}
