import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Concurrent loads of one variant use different encoding options. Each load stores its own bytes, but the image is
/// decoded and transformed only once.
@Suite(.timeLimit(minutes: 1))
struct SharedStoringTests {
    let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws { fixture = try EntryFixture() }

    private func shared(_ contexts: [WebImageContext]) async throws -> [Image] {
        let loads = contexts.map { RequestContext($0) }
        return try await withThrowingTaskGroup(of: Image.self) { group in
            for context in loads {
                group.addTask { [fixture, url] in
                    try await fixture.manager.image(for: url, options: .waitStoreCache, context: context.dictionary)
                }
            }
            #expect(await eventually { fixture.manager.subscriberCount(of: url) == contexts.count })
            try fixture.answer(url, blue: 10)
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func everySerializerIsCalled() async throws {
        let asked = Calls<Int>()
        let serializers = (1...2).map { number in
            WebImageCacheSerializer { _, data, _ in
                asked.append(number)
                return data
            }
        }
        let images = try await shared(serializers.map { [.cacheSerializer: $0] })
        #expect(Set(asked.all) == [1, 2] && asked.all.count == 2)
        #expect(images[0] === images[1] && fixture.loader.requests.count == 1)
    }

    /// A later store of an entry ends an earlier one that is not encoded yet. So both images are encoded in most attempts, but
    /// not in all.
    @Test func encodeOptionsOfEveryLoadAreUsed() async throws {
        let transformer = BlueTransformer()
        let sides: [ImageCoderOptions] = [8, 16].map { [.encodeMaxPixelSize: CGSize(width: $0, height: $0)] }
        // The encoding options of both loads must be used. If the loads shared the store, the options of the second
        // load would be ignored in every attempt.
        for _ in 0..<30 {
            let attempt = try SharedStoringTests()
            let coder = EncodingObserver()
            _ = try await attempt.shared(
                sides.map { [.imageTransformer: transformer, .imageEncodeOptions: $0, .imageCoder: coder] })
            let manager = attempt.fixture.manager
            let key = try #require(manager.cacheKey(for: url, context: [.imageTransformer: transformer]))
            let stored = try #require(await attempt.fixture.cache.diskImageData(forKey: key))
            let width = try ImageCodersManager.shared.imageInfo(of: stored, limits: .default).pixelSize.width
            // Either load may store last.
            #expect(coder.sides.all.contains(width))
            if coder.sides.all.sorted() == [8, 16] { return }
            #expect(coder.sides.all.count == 1)
        }
        Issue.record("one image was encoded in each attempt")
    }

    /// A thumbnail is stored on disk only if a context sets the store type. The context may set the same value as the
    /// default. Here, one of two loads that share their work sets the store type.
    @Test(arguments: [false, true]) func storeTypeAppliesBesideALoadWithoutOne(isFirst: Bool) async throws {
        let box = CGSize(width: 8, height: 8)
        let contexts: [WebImageContext] = [
            [.imageThumbnailPixelSize: box], [.imageThumbnailPixelSize: box, .storeCacheType: ImageCacheType.all],
        ]
        let images = try await shared(isFirst ? contexts.reversed() : contexts)
        #expect(images.count == 2 && fixture.loader.requests.count == 1)
        let key = try #require(fixture.manager.cacheKey(for: url, context: contexts[0]))
        #expect(await fixture.cache.diskImageData(forKey: key) != nil)
    }

    @Test func loadsThatStoreTheSameShareAllWork() async throws {
        let asked = Calls<Int>()
        let serializer = WebImageCacheSerializer { _, data, _ in
            asked.append(1)
            return data
        }
        let images = try await shared([[.cacheSerializer: serializer], [.cacheSerializer: serializer]])
        #expect(asked.all == [1] && images[0] === images[1])
    }
}

/// Calls the built-in coders and records the size of each image that they encode.
private final class EncodingObserver: ImageCoder {
    let sides = Calls<Int>()

    func canDecode(from data: Data) -> Bool { ImageCodersManager.shared.canDecode(from: data) }
    func canEncode(to format: ImageFormat) -> Bool { ImageCodersManager.shared.canEncode(to: format) }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try ImageCodersManager.shared.decode(data, options: options)
    }

    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        sides.append(options.maxPixelSize?.width ?? 0)
        return try ImageCodersManager.shared.encode(image, format: format, options: options)
    }
}
