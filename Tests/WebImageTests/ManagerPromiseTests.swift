import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageStore
import WebImageTestTraits
import WebImageTesting

/// Tests the requirements of the acceptance list for the manager and its caches, with a real cache, downloader and
/// server.
@Suite(.serialized, .timeLimit(minutes: 1))
struct ManagerPromiseTests {
    let journey: Journey
    let url: URL
    let file: Data

    init() throws {
        journey = try Journey()
        file = try Journey.file()
        journey.server.route("/picture.png", .body(file, headers: ["Cache-Control": "no-cache, max-age=0"]))
        url = journey.server.url("/picture.png")
    }

    private var cache: ImageCache { journey.cache }
    private var manager: WebImageManager { journey.manager }
    private var key: String { url.absoluteString }
    private func memory(_ key: String?) -> Image? { cache.imageFromMemoryCache(forKey: key) }

    // MARK: Cache settings at run time

    @Test(.tags(.m1)) func memoryCacheCanBeTurnedOffAtRunTime() async throws {
        _ = try await manager.image(for: url)
        #expect(memory(key) != nil)
        cache.config.shouldUseWeakMemoryCache = false
        cache.clearMemory()
        cache.config.shouldCacheImagesInMemory = false
        #expect(try await manager.result(for: url).cacheType == .disk)
        #expect(memory(key) == nil)
        cache.config.shouldCacheImagesInMemory = true
        _ = try await manager.image(for: url)
        #expect(memory(key) != nil)
    }

    @Test(.tags(.m1)) func changedMemoryCostLimitAppliesAtOnce() async throws {
        let image = try await manager.image(for: url)
        cache.config.shouldUseWeakMemoryCache = false
        cache.config.maxMemoryCost = image.memoryCost - 1
        #expect(memory(key) == nil)
        _ = try await manager.image(for: url)
        #expect(memory(key) == nil)
        cache.config.maxMemoryCost = image.memoryCost
        _ = try await manager.image(for: url)
        #expect(memory(key) != nil)
    }

    @Test(.tags(.m1)) func weakRecoveryIsTurnedOffAtRunTime() async throws {
        let image = try await manager.image(for: url)
        let memoryCache = try #require(cache.memoryCache as? MemoryCache)
        memoryCache.trim(toCost: 0)
        #expect(memory(key) === image)
        cache.config.shouldUseWeakMemoryCache = false
        memoryCache.trim(toCost: 0)
        #expect(memory(key) == nil)
        withExtendedLifetime(image) {}
    }

    @Test(.tags(.m1)) func changedDiskAgeLimitAppliesAtOnce() async throws {
        _ = try await manager.image(for: url, options: .waitStoreCache)
        cache.config.maxDiskAge = -1
        await cache.deleteOldFiles()
        #expect(await cache.diskUsage().count == 1)
        cache.config.maxDiskAge = 0
        await cache.deleteOldFiles()
        #expect(await cache.diskUsage().count == 0)
    }

    @Test(.tags(.m1)) func filesAreMappedWhenTheReadingOptionsAllow() async throws {
        let path = journey.folder.appendingPathComponent("elsewhere.png")
        let long = file + Data(count: 1 << 20)
        try long.write(to: path)
        cache.additionalCachePathBlock = { $0 == "elsewhere" ? path.path : nil }
        func mapsTheFile() throws -> Bool {
            // Use a file handle, because the reported size of this file is 0. From such a file, Foundation's strings
            // read only one block, which has the size of a page.
            let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
            return maps?.range(of: Data(path.lastPathComponent.utf8)) != nil
        }
        // If the option is `.mappedIfSafe`, Foundation decides whether to map the file.
        for options in [Data.ReadingOptions(), .mappedIfSafe, .alwaysMapped] {
            cache.config.diskCacheReadingOptions = options
            let data = await cache.diskImageData(forKey: "elsewhere")
            #expect(data == long)
            if options != .mappedIfSafe { #expect(try mapsTheFile() == (options == .alwaysMapped)) }
        }
        cache.storeImageDataToDisk(file, forKey: "own")
        #expect(await cache.diskImageData(forKey: "own") == file)
    }

    // MARK: Options processor

    @Test(.tags(.m2)) func optionsProcessorRewritesEveryRequest() async throws {
        let seen = Calls<URL?>()
        manager.optionsProcessor = WebImageOptionsProcessor { url, options, context in
            seen.append(url)
            var context = context ?? [:]
            context[.imageScaleFactor] = 2
            return WebImageOptionsResult(
                options: options.union([.avoidDecodeImage, .fromLoaderOnly]), context: context)
        }
        for _ in 0..<2 {
            let result = try await manager.result(for: url)
            #expect(result.image.scale == 2 && result.cacheType == .none)
        }
        #expect(seen.all == [url, url] && journey.server.requestCount("/picture.png") == 2)
    }

    // MARK: Failed URLs, delegate, text as URL

    @Test(.tags(.l2)) func onlyErrorsOfTheURLAreRemembered() async throws {
        let missing = journey.server.url("/missing.png")
        for _ in 0..<2 { await #expect(throws: WebImageError.self) { try await manager.image(for: missing) } }
        #expect(journey.server.requestCount("/missing.png") == 1 && manager.failure(of: missing) != nil)
        await #expect(throws: WebImageError.self) { try await manager.image(for: missing, options: .retryFailed) }
        #expect(journey.server.requestCount("/missing.png") == 2)
        let stopped = try FaultServer()
        let unreachable = [
            stopped.url("/a.png"), journey.server.url("/busy.png"), URL(string: "http://no-such-host.invalid/a.png"),
        ]
        stopped.stop()
        journey.server.route("/busy.png", .status(503))
        for url in unreachable.compactMap({ $0 }) {
            await #expect(throws: WebImageError.self) { try await manager.image(for: url) }
            #expect(manager.failure(of: url) == nil, "\(url)")
        }
    }

    @Test(.tags(.l3)) func delegateDecidesAndTransformsOffTheMainThread() async throws {
        let delegate = Delegate()
        manager.delegate = delegate
        await #expect { try await manager.image(for: url) } throws: { ($0 as? WebImageError)?.code == .notCached }
        #expect(journey.server.requestCount("/picture.png") == 0)
        delegate.mayDownload.withLock { $0 = true }
        let result = try await manager.result(for: url, options: .waitStoreCache)
        #expect(result.image.pixelSize.width == 7 && delegate.threads.all == [false])
        let stored = try #require(await cache.diskImageData(forKey: key))
        #expect(try ImageCodersManager.shared.imageInfo(of: stored, limits: .default).pixelSize.width == 7)
    }

    @Test(.tags(.l4)) func stringIsAcceptedAsURLAndAMissingURLIsAnError() async throws {
        #expect(try await manager.image(for: key).pixelSize.width == 40)
        let calls = Calls<WebImageError.Code?>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        manager.loadImage(with: key, context: context) { _, _, error, _, _, _ in calls.append(error?.code) }
        manager.loadImage(with: "", context: context) { _, _, error, _, _, _ in calls.append(error?.code) }
        manager.loadImage(with: nil, context: context) { _, _, error, _, _, _ in calls.append(error?.code) }
        #expect(calls.all == [nil, .invalidURL, .invalidURL])
        for text in ["http://", "not an address", "http://[::1", "file:relative", "\u{0}"] {
            await #expect(throws: WebImageError.self, "\(text)") { try await manager.image(for: text) }
        }
    }

    // MARK: Cache keys and existence checks

    @Test(.tags(.l6)) func existenceChecksReportOnMain() async throws {
        manager.cacheKeyFilter = WebImageCacheKeyFilter { $0.lastPathComponent }
        #expect(manager.cacheKey(for: url) == "picture.png")
        let calls = Calls<(exists: Bool, isMain: Bool)>()
        func ask() async -> [Bool] {
            let before = calls.all.count
            manager.cachedImageExists(for: url) { calls.append(($0, MainThread.isCurrent)) }
            _ = await eventually { calls.all.count == before + 1 }
            manager.diskImageExists(for: url) { calls.append(($0, MainThread.isCurrent)) }
            _ = await eventually { calls.all.count == before + 2 }
            return calls.all.suffix(2).map(\.exists)
        }
        #expect(await ask() == [false, false])
        cache.storeImageToMemory(try TestImages.solid(), forKey: "picture.png")
        #expect(await ask() == [true, false])
        manager.saveImage(toCache: try TestImages.solid(), for: url)
        #expect(await eventually { cache.diskImageDataExists(withKey: "picture.png") })
        #expect(await ask() == [true, true])
        #expect(calls.all.map(\.isMain) == calls.all.map { _ in true })
        #expect(await manager.cachedImageExists(for: url))
        #expect(await manager.diskImageExists(for: url))
        #expect(await manager.cachedImageExists(for: nil) == false)
        #expect(try await manager.result(for: url).cacheType == .memory)
    }

    // MARK: Stored bytes and completions

    @Test(.tags(.l8)) func originalBytesAreStoredAndVariantsAreEncoded() async throws {
        // Append bytes that no encoder would write.
        let file = file + Data("behind the end".utf8)
        journey.server.route("/picture.png", .body(file))
        _ = try await manager.image(for: url, options: .waitStoreCache)
        #expect(await cache.diskImageData(forKey: key) == file)
        let context: WebImageContext = [
            .imageTransformer: ImageResizingTransformer(size: CGSize(width: 20, height: 15), scaleMode: .fill)
        ]
        let result = try await manager.result(for: url, options: .waitStoreCache, context: context)
        let stored = await cache.diskImageData(forKey: manager.cacheKey(for: url, context: context))
        #expect(result.image.isTransformed && stored != nil && stored != file)
        #expect(await cache.diskImageData(forKey: key) == file)
    }

    @Test(.tags(.l9)) func completionsRunOnMainAndACancelCompletesOnce() async throws {
        let calls = Calls<(code: WebImageError.Code?, isMain: Bool)>()
        manager.loadImage(with: url) { _, _, error, _, _, _ in calls.append((error?.code, MainThread.isCurrent)) }
        #expect(await eventually { calls.all.count == 1 })
        manager.loadImage(with: URL(string: "nowhere:")) { _, _, error, _, _, _ in
            calls.append((error?.code, MainThread.isCurrent))
        }
        #expect(await eventually { calls.all.count == 2 })
        let gate = FaultGate()
        journey.server.route("/slow.png", .gated(gate, .body(file)))
        let operation = manager.loadImage(with: journey.server.url("/slow.png")) { _, _, error, _, _, _ in
            calls.append((error?.code, MainThread.isCurrent))
        }
        #expect(await eventually { journey.server.requestCount("/slow.png") == 1 })
        operation.cancel()
        gate.open()
        #expect(await eventually { calls.all.count == 3 && manager.sharedTaskCount == 0 })
        await MainActor.run {}
        #expect(calls.all.map(\.isMain) == [true, true, true] && calls.all.count == 3)
        #expect(calls.all[0].code == nil && calls.all[1].code != nil && calls.all[2].code == .cancelled)
    }

    // MARK: Freshness

    @Test(.tags(.r1)) func cachedImageIsUsedDespiteItsHeaders() async throws {
        _ = try await manager.image(for: url, options: .waitStoreCache)
        #expect(try await manager.result(for: url).cacheType == .memory)
        cache.config.shouldUseWeakMemoryCache = false
        cache.clearMemory()
        #expect(try await manager.result(for: url).cacheType == .disk)
        #expect(journey.server.requestCount("/picture.png") == 1)
    }

    // MARK: Custom caches

    @Test(.tags(.x12)) func customLayersAndCustomCachesAreUsed() async throws {
        var config = ImageCacheConfig()
        config.memoryCacheClass = ForgetfulMemory.self
        config.diskCacheClass = DiskCache.self
        let layered = ImageCache(namespace: "own", diskCacheDirectory: journey.folder.path, config: config)
        let own = WebImageManager(cache: layered, loader: journey.manager.imageLoader)
        for _ in 0..<2 { _ = try await own.image(for: url, options: .waitStoreCache) }
        #expect(try await own.result(for: url).cacheType == .disk && layered.diskCache is DiskCache)
        let whole = WholeCache()
        WebImageManager.defaultImageCache = ImageCachesManager(caches: [layered, whole])
        WebImageManager.defaultImageLoader = journey.manager.imageLoader
        defer { (WebImageManager.defaultImageCache, WebImageManager.defaultImageLoader) = (nil, nil) }
        let byDefault = WebImageManager()
        _ = try await byDefault.image(for: url, options: [.fromLoaderOnly, .waitStoreCache])
        #expect(whole.keys == [key])
        #expect(try await byDefault.result(for: url).cacheType == .memory)
    }

    @Test(
        .tags(.x12),
        arguments: [
            ImageCachesManagerOperationPolicy.serial, .concurrent, .highestOnly, .lowestOnly,
        ])
    func everyPolicyAppliesToEveryOperation(_ policy: ImageCachesManagerOperationPolicy) async throws {
        let (low, high) = (WholeCache(), WholeCache())
        let caches = ImageCachesManager(caches: [low, high])
        caches.storeOperationPolicy = policy
        caches.queryOperationPolicy = policy
        caches.containsOperationPolicy = policy
        caches.removeOperationPolicy = policy
        caches.clearOperationPolicy = policy
        let image = try TestImages.solid()
        let meant = policy == .lowestOnly ? [low] : policy == .highestOnly ? [high] : [low, high]
        func holding(_ key: String) -> [Bool] { [low, high].map { $0.keys.contains(key) } }
        let isMeant = [low, high].map { cache in meant.contains { $0 === cache } }
        func store(_ key: String, in cache: any ImageCaching) async {
            await cache.store(image, data: nil, for: ImageCacheRequest(key: key))
        }
        await store("stored", in: caches)
        #expect(holding("stored") == isMeant)
        // An entry in only one of the caches is found only if the policy queries that cache.
        let found = Calls<Bool>()
        for (cache, key) in [(low, "low"), (high, "high")] {
            await store(key, in: cache)
            _ = caches.queryImage(forKey: key, options: [], context: nil, cacheType: .all) { image, _, _ in
                found.append(image != nil)
            }
            caches.containsImage(forKey: key, cacheType: .all) { found.append($0 == .memory) }
        }
        #expect(found.all == isMeant.flatMap { [$0, $0] })
        for cache in [low, high] { await store("both", in: cache) }
        caches.removeImage(forKey: "both", cacheType: .all, completion: nil)
        #expect(holding("both") == isMeant.map { !$0 })
        caches.clear(with: .all, completion: nil)
        #expect([low, high].map(\.keys.isEmpty) == isMeant)
    }
}

private final class Delegate: WebImageManagerDelegate {
    let mayDownload = Locked(false)
    /// For each call of the transform method: whether the call ran on the main thread.
    let threads = Calls<Bool>()

    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool {
        mayDownload.withLock { $0 }
    }

    func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image? {
        threads.append(MainThread.isCurrent)
        return try? TestImages.solid(width: 7, height: 7)
    }
}

/// A memory layer that stores nothing.
private struct ForgetfulMemory: MemoryCaching {
    init(config: ImageCacheConfig) {}
    func object(forKey key: String) -> Image? { nil }
    func setObject(_ object: Image?, forKey key: String, cost: Int) {}
    func removeObject(forKey key: String) {}
    func removeAllObjects() {}
}
