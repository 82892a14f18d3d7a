import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Runs each stage without the other stages. The tests use a load plan, fakes, and a host that replaces the manager.
@Suite(.timeLimit(minutes: 1))
struct StageTests {
    private final class Host: PipelineHost {
        let mayFetch = Locked(true)
        let failed = Locked<[URL]>([])
        let stages = Locked<[WebImageLoadStage]>([])

        var isShutDown: Bool { false }
        var hasDelegate: Bool { false }
        func mayDownload(_ url: URL) -> Bool { mayFetch.withLock { $0 } }
        func changed(_ image: Image, from url: URL) -> Image? { image }
        func blocks(_ url: URL, after error: WebImageError, loaderBlocks: Bool) -> Bool { loaderBlocks }
        func failure(of url: URL, in scope: CacheScope) -> WebImageError? { nil }
        func rememberFailure(_ error: WebImageError, of url: URL, in scope: CacheScope) {
            failed.withLock { $0.append(url) }
        }
        func forgetFailure(of url: URL, in scope: CacheScope) {}
        func changePendingStores(by amount: Int) {}
        func observation(of stage: WebImageLoadStage, _ url: URL, in loadID: UInt64) -> StageObservation? {
            stages.withLock { $0.append(stage) }
            return StageObservation(WebImageStageSpan(id: 2, loadID: loadID, stage: stage, url: url)) { _, _, _ in }
        }
    }

    private struct Shift: ImageTransformer {
        let transformerKey: String
        func transformedImage(with image: Image, forKey key: String) -> Image? { Image(pixels: image.pixels) }
    }

    private let url = URL(string: "https://example.test/a.fake")!
    private let host = Host()
    private let loader = FakeDataLoader()
    private let coder = FakeCoder()
    private let cache = ImageCache(memoryCache: MemoryCache(config: ImageCacheConfig()), diskCache: nil)
    private let pool = DecodePool(width: 2, byteBudget: 64 << 20)
    private let handle = StageHandle(priority: LoadPriorityHandle()) { _ in }

    private func plan(_ options: WebImageOptions = [], _ change: (inout ImageRequest) -> Void = { _ in }) -> LoadPlan {
        var request = ImageRequest(url: url, options: options)
        request.coder = coder
        change(&request)
        let settings = LoadSettings(
            LoadSettings.Values(), LoadSettings.Roles(cache: cache, loader: loader), hasListener: false)
        var plan = LoadPlan(request, settings, host: host)
        plan.observation = StageObservation(
            WebImageStageSpan(id: 1, loadID: 1, stage: .load, url: url)
        ) { _, _, _ in }
        return plan
    }

    @Test func memoryRefusesAnotherEntryOfTheSameKeyString() throws {
        let image = picture()
        cache.storeImageToMemory(image, forKey: url.absoluteString)
        #expect(MemoryStage.image(of: plan().keys.variant, in: cache, for: plan()) === image)
        let other = EntryKey(source: "b", transformer: "Blur", string: url.absoluteString)
        image.noteEntry(ImageEntries.Entry(identity: .key(other), version: nil))
        #expect(MemoryStage.image(of: plan().keys.variant, in: cache, for: plan()) == nil)
    }

    @Test func downloadChecksHostAndOptionsBeforeTheLoader() async throws {
        let stage = DownloadStage(store: StoreStage(pool: pool))
        #expect(try await stage.original(plan(.fromCacheOnly), handle) == nil)
        host.mayFetch.withLock { $0 = false }
        #expect(try await stage.original(plan(), handle) == nil)
        #expect(loader.requests.isEmpty && host.stages.withLock { $0.isEmpty })
        host.mayFetch.withLock { $0 = true }
        loader.answer(url, with: .success(FakeCoder.file()))
        let original = try #require(try await stage.original(plan(), handle))
        #expect(original.data == FakeCoder.file() && original.cacheType == .none && original.isNewest)
        #expect(host.stages.withLock { $0 } == [.download])
    }

    @Test func decodeReturnsTheImageAndTheVersionOfItsBytes() async throws {
        let stage = DecodeStage(pool: pool)
        var original = EncodedResource(data: FakeCoder.file(width: 8, height: 6), cacheType: .none)
        original.isNewest = true
        let made = try await stage.picture(of: original, plan { $0.size = CGSize(width: 4, height: 4) }, handle)
        #expect(made.image.pixelSize == PixelSize(width: 4, height: 3))
        #expect(made.original.version == ContentDigest(original.data))
    }

    @Test func transformKeepsTheInputAndMarksItsResult() async throws {
        let stage = TransformStage(pool: pool)
        let plan = plan { $0.transformers = [Shift(transformerKey: "Shift")] }
        let input = picture()
        let made = DecodedImage(
            image: input, source: input, original: EncodedResource(data: Data(), cacheType: .memory))
        let result = try await stage.image(
            of: made, plan.transformers[0], plan.transformers[...], plan, handle.priority)
        #expect(result.image !== input && result.image.isTransformed && !input.isTransformed)
        #expect(result.source === input)
    }

    @Test func storeStagePutsAnImageInMemoryUnlessItIsLowData() async throws {
        let stage = StoreStage(pool: pool)
        let image = picture()
        var made = DecodedImage(
            image: image, source: image, original: EncodedResource(data: Data([1]), cacheType: .disk))
        made.original.isLowDataImage = true
        try await stage.store(made, plan())
        #expect(cache.imageFromMemoryCache(forKey: url.absoluteString) == nil)
        made.original.isLowDataImage = false
        try await stage.store(made, plan())
        #expect(cache.imageFromMemoryCache(forKey: url.absoluteString) === image)
    }

    @Test func aCancelledStoreStoresNothing() async throws {
        let stage = StoreStage(pool: pool)
        let image = picture()
        let made = DecodedImage(
            image: image, source: image, original: EncodedResource(data: Data([1]), cacheType: .disk))
        let plan = plan()
        let task = Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(WebImageError) {
                try await stage.store(made, plan)
                return false
            } catch { return error.isCancellation }
        }
        #expect(await task.value && cache.imageFromMemoryCache(forKey: url.absoluteString) == nil)
    }

    @Test func thePipelineRemembersAFailureOnceForAllItsSubscribers() async throws {
        let pipeline = ImagePipeline(decodePool: pool)
        let plan = plan()
        let waiting = (0..<3).map { _ in
            Task {
                do throws(WebImageError) {
                    _ = try await pipeline.load(plan, StageHandle(priority: LoadPriorityHandle()) { _ in })
                    return WebImageError?.none
                } catch { return error }
            }
        }
        #expect(await eventually { pipeline.variants.subscriberCount { _ in true } == 3 })
        loader.answer(url, with: .failure(WebImageError(.badImageData, stage: .download, url: url)))
        for task in waiting { #expect(await task.value?.code == .badImageData) }
        #expect(host.failed.withLock { $0 } == [url] && loader.requests == [url])
        #expect(await eventually { pipeline.taskCount == 0 })
    }
}
