import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Encoded results are shared and cached. A result never comes from an older original or from another user's original.
@Suite(.timeLimit(minutes: 1))
struct EncodedCacheTests {
    private let scratch: ScratchFolder
    private let loader = FakeDataLoader()
    private let encoder = EncodeCounter()
    private let cache: ImageCache
    private let encoded: ImageEncodedCache
    private let url: URL

    init() throws {
        scratch = try ScratchFolder()
        url = try #require(URL(string: "http://host/picture.png"))
        cache = ImageCache(namespace: "originals", diskCacheDirectory: scratch.url.path)
        encoded = Self.encodedCache(cache, loader, encoder, scratch)
    }

    private static func encodedCache(
        _ cache: ImageCache, _ loader: FakeDataLoader, _ encoder: EncodeCounter, _ scratch: ScratchFolder
    ) -> ImageEncodedCache {
        ImageEncodedCache(
            manager: WebImageManager(cache: cache, loader: loader),
            storage: ImageCache(namespace: "encoded", diskCacheDirectory: scratch.url.path),
            coders: ImageCodersManager(coders: [encoder]))
    }

    private func answer(width: Int) throws {
        loader.answer(url, with: .success(try Journey.file(width: width)))
    }

    private func quality(_ quality: Double) -> EncodingOptions {
        var options = EncodingOptions()
        options.quality = quality
        return options
    }

    // MARK: Sharing

    @Test func concurrentCallersShareOneLoadAndOneEncode() async throws {
        let request = ImageRequest(url: url, size: CGSize(width: 20, height: 20))
        let callers = (0..<20).map { _ in
            Task { try await encoded.encodedImage(for: request, format: .webP, options: quality(0.8)) }
        }
        #expect(await eventually { !loader.requests.isEmpty })
        try answer(width: 40)
        var tags: Set<String> = []
        for caller in callers { tags.insert(try await caller.value.etag) }
        #expect(tags.count == 1 && encoder.count == 1 && loader.requests.count == 1)
    }

    @Test func cancelledCallerKeepsTheSharedWork() async throws {
        let request = ImageRequest(url: url)
        let first = Task { try await encoded.encodedImage(for: request, format: .jpeg) }
        let second = Task { try await encoded.encodedImage(for: request, format: .jpeg) }
        #expect(await eventually { !loader.requests.isEmpty && encoded.subscriberCount == 2 })
        first.cancel()
        await #expect(throws: WebImageError.self) { try await first.value }
        #expect(loader.cancelCount == 0)
        try answer(width: 40)
        #expect(try await second.value.pixelSize == PixelSize(width: 40, height: 30))
    }

    @Test func theLastCancelEndsTheWork() async throws {
        let caller = Task { try await encoded.encodedImage(for: ImageRequest(url: url), format: .jpeg) }
        #expect(await eventually { !loader.requests.isEmpty })
        caller.cancel()
        await #expect { try await caller.value } throws: { ($0 as? WebImageError)?.isCancellation == true }
        #expect(await eventually { loader.cancelCount == 1 && encoded.subscriberCount == 0 })
    }

    // MARK: Caching

    @Test func resultsComeFromMemoryAndAfterARestartFromDisk() async throws {
        try answer(width: 40)
        let request = ImageRequest(url: url, size: CGSize(width: 20, height: 20))
        let made = try await encoded.encodedImage(for: request, format: .webP)
        #expect(made.cacheType == ImageCacheType.none && made.contentType == "image/webp")
        #expect(made.pixelSize == PixelSize(width: 20, height: 15))
        let hit = try await encoded.encodedImage(for: request, format: .webP)
        #expect(hit.cacheType == .memory && hit.data == made.data && hit.etag == made.etag)
        await encoded.flush()
        _ = await encoded.manager.shutdown()
        let again = Self.encodedCache(
            ImageCache(namespace: "originals", diskCacheDirectory: scratch.url.path), loader, encoder, scratch)
        let stored = try await again.encodedImage(for: request, format: .webP)
        #expect(stored.cacheType == .disk && stored.data == made.data && stored.etag == made.etag)
        #expect(stored.pixelSize == made.pixelSize && stored.format == .webP)
        #expect(encoder.count == 1 && loader.requests.count == 1)
        await again.removeAll()
        #expect(try await again.encodedImage(for: request, format: .webP).cacheType == ImageCacheType.none)
    }

    /// A server that stores no decoded images in memory still encodes each result once.
    @Test(arguments: [true, false])
    func resultsOfImagesThatAreNotInMemoryAreStored(isThumbnail: Bool) async throws {
        try answer(width: 40)
        var request = ImageRequest(url: url)
        if isThumbnail { request.size = CGSize(width: 20, height: 20) }
        request.storeCache = .disk
        for expected in [ImageCacheType.none, .memory] {
            let result = try await encoded.encodedImage(for: request, format: .webP)
            #expect(result.cacheType == expected)
        }
        cache.clearMemory()
        await encoded.flush()
        // Request a result in another format. This result is encoded from the original on disk.
        for expected in [ImageCacheType.none, .memory] {
            let result = try await encoded.encodedImage(for: request, format: .jpeg)
            #expect(result.cacheType == expected)
        }
        #expect(encoder.count == 2 && loader.requests.count == 1)
    }

    @Test func everyParameterThatChangesAByteHasItsOwnEntry() async throws {
        try answer(width: 40)
        var exif = [EncodingOptions(), EncodingOptions()]
        // Both EXIF blocks have the same length and differ in one byte.
        exif[0].metadata.exif = Data("II*\0\u{8}\0\0\0\0\0A".utf8)
        exif[1].metadata.exif = Data("II*\0\u{8}\0\0\0\0\0B".utf8)
        var stretched = ImageRequest(url: url, size: CGSize(width: 20, height: 20))
        stretched.preservesAspectRatio = false
        let request = ImageRequest(url: url)
        let cases: [(ImageRequest, ImageFormat, EncodingOptions)] = [
            (request, .jpeg, quality(0.5)), (request, .jpeg, quality(0.9)), (request, .png, EncodingOptions()),
            (request, .jpeg, exif[0]), (request, .jpeg, exif[1]), (stretched, .png, EncodingOptions()),
            (ImageRequest(url: url, size: CGSize(width: 20, height: 20)), .png, EncodingOptions()),
            (
                ImageRequest(url: url, transformers: [ImageFlippingTransformer(horizontal: true, vertical: false)]),
                .png, EncodingOptions()
            ),
        ]
        for (index, (request, format, options)) in cases.enumerated() {
            _ = try await encoded.encodedImage(for: request, format: format, options: options)
            #expect(encoder.count == index + 1)
        }
        for (request, format, options) in cases {
            #expect(
                try await encoded.encodedImage(for: request, format: format, options: options).cacheType == .memory)
        }
    }

    @Test func boxWithoutAreaReturnsTheOriginal() async throws {
        try answer(width: 40)
        for size in [CGSize.zero, CGSize(width: 0, height: 20), CGSize(width: -1, height: 4)] {
            let image = try await encoded.encodedImage(for: ImageRequest(url: url, size: size), format: .png)
            #expect(image.pixelSize == PixelSize(width: 40, height: 30))
        }
    }

    @Test func widthOrHeightLimitsOnlyThatSide() async throws {
        loader.answer(url, with: .success(try Journey.file(width: 10, height: 400)))
        let cases = [
            (ImageRequest(url: url, width: 5), PixelSize(width: 5, height: 200)),
            (ImageRequest(url: url, height: 40), PixelSize(width: 1, height: 40)),
            (ImageRequest(url: url, width: 100), PixelSize(width: 10, height: 400)),
            (ImageRequest(url: url, width: 0), PixelSize(width: 10, height: 400)),
            (ImageRequest(url: url, height: -1), PixelSize(width: 10, height: 400)),
        ]
        for (request, size) in cases {
            #expect(try await encoded.encodedImage(for: request, format: .png).pixelSize == size)
        }
    }

    @Test func aFailedEncodeIsNotCached() async throws {
        try answer(width: 40)
        let request = ImageRequest(url: url)
        encoder.fails = true
        await #expect { try await encoded.encodedImage(for: request, format: .png) } throws: {
            ($0 as? WebImageError)?.code == .encodingFailed
        }
        encoder.fails = false
        #expect(try await encoded.encodedImage(for: request, format: .png).cacheType == ImageCacheType.none)
        #expect(try await encoded.encodedImage(for: request, format: .png).cacheType == .memory)
    }

    @Test func aFailedLoadIsNotCached() async throws {
        loader.answer(url, with: .failure(WebImageError(.transport, stage: .download)))
        let request = ImageRequest(url: url)
        await #expect { try await encoded.encodedImage(for: request, format: .png) } throws: {
            ($0 as? WebImageError)?.code == .transport
        }
        try answer(width: 40)
        #expect(try await encoded.encodedImage(for: request, format: .png).pixelSize.width == 40)
    }

    @Test func animationsKeepTheirFramesUnlessTheFirstIsRequested() async throws {
        let frames = [
            ImageFrame(image: try TestImages.solid(width: 40, height: 30), duration: 0.1),
            ImageFrame(image: try TestImages.noise(width: 40, height: 30), duration: 0.1),
        ]
        loader.answer(
            url,
            with: .success(
                try ImageCodersManager.shared.encode(
                    frames, loopCount: 0, format: .gif, options: EncodingOptions())))
        let all = try await encoded.encodedImage(for: ImageRequest(url: url), format: .webP)
        let first = try await encoded.encodedImage(
            for: ImageRequest(url: url, options: .decodeFirstFrameOnly), format: .webP)
        #expect(AnimatedImage(data: all.data)?.animatedImageFrameCount == 2)
        #expect(Image.image(with: first.data)?.isAnimated == false && all.etag != first.etag)
    }

    @Test func imageThatIsNotOnDiskIsEncodedOnce() async throws {
        let file = URL(fileURLWithPath: "/pictures/a.png")
        loader.answer(file, with: .success(try Journey.file(width: 40)))
        for _ in 0..<3 { _ = try await encoded.encodedImage(for: ImageRequest(url: file), format: .jpeg) }
        #expect(encoder.count == 1)
    }

    // MARK: Never stale, never another's

    @Test(arguments: [true, false]) func refreshedOriginalHasNoOldResults(byTheManager: Bool) async throws {
        try answer(width: 40)
        let request = ImageRequest(url: url)
        #expect(try await encoded.encodedImage(for: request, format: .jpeg).pixelSize.width == 40)
        try answer(width: 60)
        #expect(try await encoded.encodedImage(for: request, format: .jpeg).pixelSize.width == 40)
        let refresh = ImageRequest(url: url, cachePolicy: .refresh)
        if byTheManager {
            _ = try await encoded.manager.image(for: refresh)
        } else {
            #expect(try await encoded.encodedImage(for: refresh, format: .jpeg).pixelSize.width == 60)
        }
        #expect(try await encoded.encodedImage(for: request, format: .jpeg).pixelSize.width == 60)
        #expect(encoder.count == 2)
    }

    @Test func aThumbnailIsNotServedAfterItsOriginalWasRefreshed() async throws {
        try answer(width: 40)
        let request = ImageRequest(url: url, size: CGSize(width: 20, height: 20))
        let old = try await encoded.encodedImage(for: request, format: .png)
        loader.answer(url, with: .success(try Journey.file(width: 30, height: 40)))
        _ = try await encoded.manager.image(for: ImageRequest(url: url, cachePolicy: .refresh))
        let new = try await encoded.encodedImage(for: request, format: .png)
        #expect(old.pixelSize == PixelSize(width: 20, height: 15) && new.pixelSize == PixelSize(width: 15, height: 20))
    }

    @Test func aRefreshThatFindsTheSameBytesEncodesNothing() async throws {
        try answer(width: 40)
        let made = try await encoded.encodedImage(for: ImageRequest(url: url), format: .jpeg)
        loader.confirm(url)
        let refreshed = try await encoded.encodedImage(
            for: ImageRequest(url: url, cachePolicy: .refresh), format: .jpeg)
        #expect(refreshed.etag == made.etag && encoder.count == 1 && loader.requests.count == 2)
    }

    @Test func aRemovedOriginalHasNoOldResults() async throws {
        try answer(width: 40)
        let request = ImageRequest(url: url)
        _ = try await encoded.encodedImage(for: request, format: .jpeg)
        await withCheckedContinuation { done in
            cache.removeImageFromMemory(forKey: url.absoluteString)
            DispatchQueue.global().async {
                cache.removeImageFromDisk(forKey: url.absoluteString)
                done.resume()
            }
        }
        try answer(width: 60)
        #expect(try await encoded.encodedImage(for: request, format: .jpeg).pixelSize.width == 60)
    }

    @Test func anotherScopeHasResultsOfItsOwn() async throws {
        var requests = [ImageRequest(url: url), ImageRequest(url: url), ImageRequest(url: url)]
        requests[0].cacheScope = "user 1"
        requests[1].cacheScope = "user 2"
        for (index, request) in requests.enumerated() {
            try answer(width: 40 + index)
            #expect(try await encoded.encodedImage(for: request, format: .jpeg).pixelSize.width == 40 + index)
        }
        for (index, request) in requests.enumerated() {
            let hit = try await encoded.encodedImage(for: request, format: .jpeg)
            #expect(hit.pixelSize.width == 40 + index && hit.cacheType == .memory)
        }
    }

    // MARK: Validators

    @Test func validatorsDependOnTheBytesAndTheSource() async throws {
        loader.metadata = Data("webimage-http 1\n0 0\nlast-modified: Tue, 03 Mar 2026 10:00:00 GMT".utf8)
        try answer(width: 40)
        let image = try await encoded.encodedImage(for: ImageRequest(url: url), format: .jpeg)
        #expect(image.lastModified == "Tue, 03 Mar 2026 10:00:00 GMT")
        #expect(image.etag.hasPrefix("\"") && image.etag.hasSuffix("\"") && image.etag.utf8.count == 34)
        for field in [image.etag, "W/\(image.etag)", "\"other\", \(image.etag)", "*"] {
            #expect(image.matches(ifNoneMatch: field))
        }
        for field in [nil, "", "\"other\"", String(image.etag.dropFirst())] {
            #expect(!image.matches(ifNoneMatch: field))
        }
        // The image of the original is already in memory. Encode this image in another format.
        let other = try await encoded.encodedImage(for: ImageRequest(url: url), format: .png)
        #expect(other.lastModified == image.lastModified && other.etag != image.etag)
    }
}

/// Calls the built-in coders and counts the encodes.
private final class EncodeCounter: ImageCoder {
    private let state = Locked((count: 0, fails: false))

    var count: Int { state.withLock { $0.count } }
    var fails: Bool {
        get { state.withLock { $0.fails } }
        set { state.withLock { $0.fails = newValue } }
    }

    func canDecode(from data: Data) -> Bool { ImageCodersManager.shared.canDecode(from: data) }

    func canEncode(to format: ImageFormat) -> Bool { ImageCodersManager.shared.canEncode(to: format) }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try ImageCodersManager.shared.decode(data, options: options)
    }

    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        let fails = state.withLock { state in
            state.count += 1
            return state.fails
        }
        if fails { throw WebImageError(.encodingFailed, stage: .encode) }
        return try ImageCodersManager.shared.encode(image, format: format, options: options)
    }
}
