import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Each context key that the manager handles has a test that fails when the key is ignored.
@Suite(.timeLimit(minutes: 1))
struct ContextKeyTests {
    let fixture: ManagerFixture

    init() throws {
        fixture = try ManagerFixture()
        fixture.answer(width: 8, height: 8)
    }

    @Test func completionsRunOnTheCallbackQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: key, value: true)
        let isOnQueue = Locked<Bool?>(nil)
        fixture.manager.loadImage(
            with: fixture.url, context: fixture.context([.callbackQueue: CallbackQueue(queue: queue)])
        ) { _, _, _, _, _, _ in isOnQueue.withLock { $0 = DispatchQueue.getSpecific(key: key) ?? false } }
        #expect(await eventually { isOnQueue.withLock { $0 } == true })
    }

    // SDWebImageManagerTests.test14ThatCustomCacheAndLoaderWorks
    @Test func theContextsCacheAndLoaderAreUsed() async throws {
        let cache = FakeImageCache()
        let loader = FakeDataLoader()
        loader.answer(fixture.url, with: .success(FakeCoder.file()))
        _ = try await fixture.result([], [.imageCache: cache, .imageLoader: loader])
        #expect(cache.memoryKeys == [fixture.key] && fixture.cache.memoryKeys.isEmpty)
        #expect(loader.requests.count == 1 && fixture.loader.requests.isEmpty)
    }

    @Test func nullDisablesTheManagersTransformer() async throws {
        fixture.manager.transformer = NamedTransformer("Default")
        #expect(try await fixture.result().image.isTransformed)
        #expect(try await fixture.result([], [.imageTransformer: NSNull()]).image.isTransformed == false)
        let own = NamedTransformer("Own")
        _ = try await fixture.result([], [.imageTransformer: own])
        #expect(own.keys == ["http://host/picture-Own.png"])
    }

    @Test func transformerThatReturnsNilKeepsTheImageUnderTheTransformedKey() async throws {
        let declining = NamedTransformer("No") { _ in nil }
        let result = try await fixture.result([], [.imageTransformer: declining])
        #expect(!result.image.isTransformed)
        #expect(fixture.cache.memoryKeys == ["http://host/picture-No.png"])
    }

    @Test func metadataIsPreservedOrNot() async throws {
        let keeping = try await fixture.result([], [.imageTransformer: NamedTransformer("Keep")])
        #expect(keeping.image.decodingOptions != nil && keeping.image.isTransformed)
        let losing = try await fixture.result([], [.imageTransformer: NamedTransformer("Lose", preserving: false)])
        #expect(losing.image.decodingOptions == nil && losing.image.isTransformed)
    }

    // SDWebImageManagerTests.test20ThatContextPassDecodeOptionsWorks
    @Test func decodeOptionsReachTheCoderAndContextKeysOverrideThem() async throws {
        let foo = ImageCoderOption(rawValue: "Foo")
        let options: ImageCoderOptions = [foo: "Bar", .decodeScaleFactor: 2]
        let image = try await fixture.result(
            [], [.imageScaleFactor: 1, .imageDecodeOptions: options, .imageTypeIdentifierHint: "public.png"]
        ).image
        let read = try #require(image.decodingOptions?.dictionary)
        #expect(read[foo] as? String == "Bar" && read[.decodeScaleFactor] as? Double == 1)
        #expect(read[.decodeTypeIdentifierHint] as? String == "public.png")
    }

    @Test func typeHintIsTheKeysExtensionUnlessDisabled() async throws {
        let image = try await fixture.result().image
        #expect(image.decodingOptions?.dictionary[.decodeFileExtensionHint] as? String == "png")
        let plain = try await fixture.result(.fromLoaderOnly, [.imageTypeIdentifierHint: NSNull()]).image
        #expect(plain.decodingOptions?.dictionary[.decodeFileExtensionHint] == nil)
    }

    @Test func scaleIsReadFromTheContextOrElseTheKey() async throws {
        #expect(try await fixture.result([], [.imageScaleFactor: 3]).image.decodingOptions?.scaleFactor == 3)
        let url = try #require(URL(string: "http://host/picture@2x.png"))
        fixture.loader.answer(url, with: .success(FakeCoder.file()))
        let image = try await fixture.manager.image(for: url, context: fixture.context)
        #expect(image.decodingOptions?.scaleFactor == 2)
    }

    @Test func thumbnailFitsItsBoxAndHasItsKey() async throws {
        let result = try await fixture.result([], [.imageThumbnailPixelSize: CGSize(width: 4, height: 2)])
        #expect(result.image.pixelSize == PixelSize(width: 2, height: 2) && result.data == nil)
        let stretched = try await fixture.result(
            [], [.imageThumbnailPixelSize: CGSize(width: 4, height: 2), .imagePreserveAspectRatio: false])
        #expect(stretched.image.pixelSize == PixelSize(width: 4, height: 2))
        #expect(fixture.cache.memoryKeys.count == 2 && !fixture.cache.memoryKeys.contains(fixture.key))
    }

    /// A thumbnail size in `.imageDecodeOptions` must change the cache key. Otherwise the thumbnail would be cached as
    /// the whole image. SDWebImage ignores this size.
    @Test func thumbnailInTheDecodeOptionsHasItsKey() async throws {
        let options: ImageCoderOptions = [.decodeThumbnailPixelSize: CGSize(width: 4, height: 4)]
        let result = try await fixture.result([], [.imageDecodeOptions: options])
        #expect(result.image.pixelSize.width == 4 && !fixture.cache.memoryKeys.contains(fixture.key))
        #expect(try await fixture.result().image.pixelSize.width == 8)
    }

    @Test func queryCacheTypeNamesTheLayers() async throws {  // SDWebImageManagerTests.test15ThatQueryCacheTypeWork
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 5), forKey: fixture.key)
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 6)]
        for (type, width) in [(ImageCacheType.memory, 5), (.disk, 6), (.none, 8), (.all, 5)] {
            let result = try await fixture.result(
                [],
                [
                    .queryCacheType: type, .storeCacheType: ImageCacheType.none,
                    .originalStoreCacheType: ImageCacheType.none,
                ])
            #expect(result.image.pixelSize.width == width, "\(type)")
        }
        let number = try await fixture.result([], [.queryCacheType: ImageCacheType.disk.rawValue])
        #expect(number.image.pixelSize.width == 6)
    }

    @Test func storeTypesNameTheLayersFilled() async throws {
        func stored(_ store: ImageCacheType, _ original: ImageCacheType) async throws -> (memory: Bool, disk: Bool) {
            await fixture.cache.removeAll(from: .all)
            _ = try await fixture.result([], [.storeCacheType: store, .originalStoreCacheType: original])
            return (!fixture.cache.memoryKeys.isEmpty, !fixture.cache.disk.isEmpty)
        }
        #expect(try await stored(.none, .none) == (false, false))
        #expect(try await stored(.memory, .none) == (true, false))
        // As in SDWebImage, `.originalStoreCacheType: .disk` stores the original on disk. The value of
        // `.storeCacheType` does not change this.
        #expect(try await stored(.memory, .disk) == (true, true))
        #expect(try await stored(.disk, .none) == (false, true))
        #expect(try await stored(.none, .memory) == (true, false))
    }

    // SDWebImageManagerTests.test15ThatOriginalQueryCacheTypeWork
    @Test func originalIsLookedUpInMemoryOnlyIfTheContextAsksForIt() async throws {
        let transformer = NamedTransformer()
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 5), forKey: fixture.key)
        let result = try await fixture.result(
            .fromCacheOnly, [.imageTransformer: transformer, .originalQueryCacheType: ImageCacheType.all])
        #expect(result.image.pixelSize.width == 5 && result.cacheType == .memory)
        await #expect(throws: WebImageError.self) {
            try await fixture.result(.fromCacheOnly, [.imageTransformer: NamedTransformer("Other")])
        }
    }

    // SDWebImageManagerTests.test16ThatTransformerUseDifferentCacheForOriginalAndTransformedImage
    @Test func originalsHaveACacheOfTheirOwn() async throws {
        let originals = FakeImageCache()
        let memory = ImageCacheType.memory
        let result = try await fixture.result(
            [],
            [
                .imageTransformer: NamedTransformer(), .originalImageCache: originals, .storeCacheType: memory,
                .originalStoreCacheType: memory,
            ])
        #expect(originals.memoryKeys == [fixture.key] && originals.disk.isEmpty)
        #expect(fixture.cache.memoryKeys == ["http://host/picture-Naming.png"] && fixture.cache.disk.isEmpty)
        #expect(originals.imageFromMemoryCache(forKey: fixture.key)?.isTransformed == false && result.data == nil)
    }

    @Test func theKeyFilterNamesTheKey() async throws {  // SDWebImageManagerTests.test09ThatCacheKeyFilterWork
        let filter = WebImageCacheKeyFilter { _ in "own key" }
        _ = try await fixture.result([], [.cacheKeyFilter: filter])
        #expect(fixture.cache.memoryKeys == ["own key"] && Set(fixture.cache.disk.keys) == ["own key"])
        #expect(fixture.manager.cacheKey(for: fixture.url, context: [.cacheKeyFilter: filter]) == "own key")
    }

    @Test func aKeyFilterThatRefusesStoresNothing() async throws {
        fixture.manager.cacheKeyFilter = WebImageCacheKeyFilter { _ in nil }
        #expect(try await fixture.result().cacheType == .none)
        #expect(fixture.cache.memoryKeys.isEmpty && fixture.cache.disk.isEmpty)
    }

    @Test func theSerializerChoosesTheBytes() async throws {  // SDWebImageManagerTests.test10ThatCacheSerializerWork
        let serializer = WebImageCacheSerializer { image, data, url in
            Data("\(image?.pixelSize.width ?? 0) \(data?.count ?? 0) \(url?.lastPathComponent ?? "")".utf8)
        }
        _ = try await fixture.result(.waitStoreCache, [.cacheSerializer: serializer])
        #expect(fixture.cache.disk[fixture.key] == Data("8 6 picture.png".utf8))
        fixture.manager.cacheSerializer = WebImageCacheSerializer { _, _, _ in nil }
        _ = try await fixture.result([.waitStoreCache, .fromLoaderOnly])
        #expect(fixture.cache.disk[fixture.key] == FakeCoder.file(width: 8, height: 8))
    }

    @Test func serializerDelaysNoOtherLoad() async throws {
        let gate = DispatchSemaphore(value: 0)
        let serializer = WebImageCacheSerializer { _, data, _ in
            gate.wait()
            return data
        }
        _ = try await fixture.result([], [.cacheSerializer: serializer])
        #expect(fixture.cache.disk.isEmpty)
        gate.signal()
        #expect(await eventually { !fixture.cache.disk.isEmpty })
    }

    @Test func encodeOptionsReachTheCache() async throws {
        let cache = SlowStoreCache()
        _ = try await fixture.result(
            [], [.imageCache: cache, .imageEncodeOptions: [ImageCoderOption.encodeMaxFileSize: 5]])
        #expect(cache.askedCount == 1 && cache.encodeLimits == [5])
    }

    @Test func animatedImageClassIsUsedAndPreloaded() async throws {
        let image = try await fixture.result(.preloadAllFrames, [.animatedImageClass: LivelyImage.self]).image
        #expect((image as? LivelyImage)?.isPreloaded == true)
        // The still image in memory has the same key, but a request that requires the animated class must not get it.
        fixture.cache.storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        let context: WebImageContext = [.animatedImageClass: LivelyImage.self]
        #expect(try await fixture.result(.matchAnimatedImageClass, context).image is LivelyImage)
        let still = try await fixture.result([.decodeFirstFrameOnly, .fromLoaderOnly], context).image
        #expect(!(still is LivelyImage))
    }

    @Test func aClassThatMustMatchFailsWhereItCannot() async throws {
        let context: WebImageContext = [.animatedImageClass: RefusingImage.self]
        #expect(try await fixture.result([], context).image.pixelSize.width == 8)
        await #expect(throws: WebImageError.self) {
            try await fixture.result([.matchAnimatedImageClass, .fromLoaderOnly], context)
        }
    }

    // SDWebImageManagerTests.test11ThatOptionsProcessorWork
    @Test func optionsProcessorOverridesTheCaller() async throws {
        let calls = Locked(0)
        fixture.manager.optionsProcessor = WebImageOptionsProcessor { url, options, context in
            calls.withLock { $0 += 1 }
            guard url?.lastPathComponent == "picture.png" else { return nil }
            return WebImageOptionsResult(options: .fromCacheOnly, context: context)
        }
        await #expect(throws: WebImageError.self) { try await fixture.result() }
        #expect(calls.withLock { $0 } == 1 && fixture.loader.requests.isEmpty)
    }

    @Test func limitOfTheContextApplies() async throws {
        await #expect {
            try await fixture.manager.image(
                for: fixture.url,
                context: [.decodingLimits: DecodingLimits(maxEncodedBytes: 1), .callbackQueue: CallbackQueue.invoking])
        } throws: { ($0 as? WebImageError)?.code == .limitExceeded }
    }
}

final class LivelyImage: Image, AnimatedImageProtocol, @unchecked Sendable {
    // Unchecked is safe because a lock protects the only stored property.
    private let preloaded = Locked(false)
    var isPreloaded: Bool { preloaded.withLock { $0 } }

    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?) {
        guard let image = try? TestImages.solid() else { return nil }
        super.init(pixels: image.pixels, scale: scale)
    }

    func preloadAllFrames() { preloaded.withLock { $0 = true } }
}

final class RefusingImage: Image, AnimatedImageProtocol, @unchecked Sendable {
    // Unchecked is safe because the class adds no state to its superclass.
    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?) { nil }
    func preloadAllFrames() {}
}
