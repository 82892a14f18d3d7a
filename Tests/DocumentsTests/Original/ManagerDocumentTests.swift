import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// Call sites from SDWebImage's document about the manager.
@Suite(.timeLimit(minutes: 1)) struct ManagerDocumentTests {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test(.tags(.l1)) func loadAcceptsEveryOption() async throws {
        let options: [SDWebImageOptions] = [
            .retryFailed, .lowPriority, .progressiveLoad, .refreshCached, .continueInBackground, .handleCookies,
            .allowInvalidSSLCertificates, .highPriority, .delayPlaceholder, .transformAnimatedImage,
            .avoidAutoSetImage, .scaleDownLargeImages,
        ]
        for (index, option) in options.enumerated() {
            let url = try desk.picture("/\(index).png")
            let end = await desk.load(url, options: option)
            #expect(end.image != nil && end.error == nil, "\(option)")
        }
        let end = await desk.load(try desk.picture("/all.png"), options: SDWebImageOptions(options))
        #expect(end.image != nil)
    }

    @Test(.tags(.l1)) func memoryStoreTypeWritesNothingToDisk() async throws {
        let url = try desk.picture("/memory.png")
        _ = await desk.load(
            url, options: .waitStoreCache,
            context: [
                .storeCacheType: SDImageCacheType.memory.rawValue,
                .originalStoreCacheType: SDImageCacheType.none.rawValue,
            ])
        let key = desk.manager.cacheKey(for: url)
        #expect(desk.cache.imageFromMemoryCache(forKey: key) != nil)
        #expect(!desk.cache.diskImageDataExists(withKey: key))
    }

    @Test(.tags(.l2)) func failedURLIsBlockedUntilRetryFailed() async throws {
        desk.server.route("/broken.png", .body(Data("no picture".utf8)))
        let url = desk.server.url("/broken.png")
        let first = await desk.load(url)
        #expect(first.error?.code == .badImageData)
        let second = await desk.load(url)
        #expect(second.error?.code == .blackListed)
        #expect(desk.server.requestCount("/broken.png") == 1)
        _ = await desk.load(url, options: .retryFailed)
        #expect(desk.server.requestCount("/broken.png") == 2)
        desk.manager.removeFailedURL(url)
        _ = await desk.load(url)
        #expect(desk.server.requestCount("/broken.png") == 3)
    }

    @Test(.tags(.l2)) func connectionErrorDoesNotBlockTheURL() async throws {
        desk.server.route("/gone.png", .close)
        let url = desk.server.url("/gone.png")
        let end = await desk.load(url)
        let error = try #require(end.error)
        #expect((error as NSError).domain == NSURLErrorDomain && (error as NSError).code == -1005)
        _ = try desk.picture("/gone.png")
        #expect(await desk.load(url).image != nil)
    }

    @Test(.tags(.l3)) func delegateRefusesTheDownload() async throws {
        let delegate = Refusing()
        desk.manager.delegate = delegate
        #expect(desk.manager.delegate === delegate)
        let end = await desk.load(try desk.picture("/refused.png"))
        #expect(end.image == nil && end.error == nil)
        #expect(desk.server.requests.isEmpty)
    }

    @Test(.tags(.l3)) func delegateTransformsOffTheMainThread() async throws {
        let delegate = Halving()
        desk.manager.delegate = delegate
        let end = await desk.load(try desk.picture("/large.png", width: 40, height: 20))
        #expect(end.image?.size == CGSize(width: 20, height: 10))
        #expect(delegate.wasOnMain.all == [false])
        #expect(delegate.urls.all == [desk.server.url("/large.png")])
    }

    @Test(.tags(.l4)) func missingURLFailsAndTextURLLoads() async throws {
        #expect(await desk.load(nil).error?.code == .invalidURL)
        #expect(await desk.load(URL(string: "")).error?.code == .invalidURL)
        let text = try desk.picture("/text.png").absoluteString
        #expect(await desk.load(URL(string: text)).image != nil)
    }

    @Test(.tags(.l5)) func cancelCompletesOnceWithCancelled() async throws {
        desk.server.route("/never.png", .hang)
        let ends = Calls<Int>()
        let operation = desk.manager.loadImage(with: desk.server.url("/never.png"), progress: nil) {
            image, _, error, _, finished, _ in
            ends.add((error as NSError?)?.code ?? 0)
        }
        #expect(await eventually { desk.server.requestCount("/never.png") == 1 })
        #expect(desk.manager.isRunning)
        operation?.cancel()
        #expect(await eventually { ends.all.count == 1 })
        #expect(ends.all == [SDWebImageError.cancelled.rawValue])
        #expect(operation?.isCancelled == true && !desk.manager.isRunning)
    }

    @Test(.tags(.l5)) func cancelAllCompletesEveryLoad() async throws {
        desk.server.route("/a.png", .hang)
        desk.server.route("/b.png", .hang)
        let ends = Calls<Bool>()
        for path in ["/a.png", "/b.png"] {
            desk.manager.loadImage(with: desk.server.url(path), progress: nil) { _, _, error, _, _, _ in
                if let error, case SDWebImageError.cancelled = error { ends.add(true) } else { ends.add(false) }
            }
        }
        desk.manager.cancelAll()
        #expect(await eventually { ends.all == [true, true] })
    }

    @Test(.tags(.l6)) @available(*, deprecated)
    func existenceChecksUseTheFilteredKey() async throws {
        desk.manager.cacheKeyFilter = SDWebImageCacheKeyFilter { url in "key of " + url.lastPathComponent }
        let url = try desk.picture("/keyed.png")
        #expect(desk.manager.cacheKey(for: url) == "key of keyed.png")
        let image = try #require(UIImage(data: try Desk.file()))
        desk.manager.saveImageToCache(image, for: url)
        let manager = desk.manager
        let found = await withCheckedContinuation { continuation in
            manager.cachedImageExists(for: url) { continuation.resume(returning: ($0, MainQueue.isCurrent)) }
        }
        #expect(found == (true, true))
        #expect(await eventually { desk.cache.diskImageDataExists(withKey: "key of keyed.png") })
        let onDisk = await withCheckedContinuation { continuation in
            manager.diskImageExists(for: url) { continuation.resume(returning: $0) }
        }
        #expect(onDisk)
        #expect(await desk.load(url).cacheType == .memory)
    }

    @Test(.tags(.l7)) func unchangedRefreshCompletesOnce() async throws {
        let file = try Desk.file()
        desk.server.route(
            "/same.png",
            .dynamic { request in
                request.headers["if-none-match"] == nil
                    ? .body(file, headers: ["ETag": "\"one\"", "Cache-Control": "no-cache"]) : .status(304)
            })
        let url = desk.server.url("/same.png")
        _ = await desk.load(url, options: .waitStoreCache)
        let ends = Calls<SDImageCacheType>()
        desk.manager.loadImage(with: url, options: .refreshCached, progress: nil) { _, _, _, type, _, _ in
            ends.add(type)
        }
        #expect(await eventually { desk.server.requestCount("/same.png") == 2 && !desk.manager.isRunning })
        #expect(ends.all.count == 1)
    }

    @Test(.tags(.l8)) func originalBytesAreStoredAndVariantsAreEncoded() async throws {
        let url = try desk.picture("/kept.png", width: 20, height: 20)
        _ = await desk.load(url, options: .waitStoreCache)
        let original = desk.cache.diskImageDataSync(forKey: desk.manager.cacheKey(for: url))
        #expect(original == (try Desk.file(width: 20, height: 20)))

        let crop = SDImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: 7, height: 5))
        let context: SDWebImageContext = [.imageTransformer: crop]
        _ = await desk.load(url, options: .waitStoreCache, context: context)
        let key = try #require(desk.manager.cacheKey(for: url, context: context))
        #expect(key == SDTransformedKeyForKey(url.absoluteString, crop.transformerKey))
        let changed = try #require(desk.cache.diskImageDataSync(forKey: key))
        #expect(NSData.sd_imageFormat(forImageData: changed) == .PNG)
        #expect(UIImage(data: changed)?.size == CGSize(width: 7, height: 5))
    }

    @Test(.tags(.l9)) func completionsRunOnMainOrTheNamedQueue() async throws {
        let url = try desk.picture("/main.png")
        let manager = desk.manager
        let onMain = await withCheckedContinuation { continuation in
            manager.loadImage(with: url, progress: nil) { _, _, _, _, _, _ in
                continuation.resume(returning: MainQueue.isCurrent)
            }
        }
        #expect(onMain)
        let queue = SDCallbackQueue(dispatchQueue: DispatchQueue(label: "documents"))
        let other = await withCheckedContinuation { continuation in
            manager.loadImage(with: url, options: .fromLoaderOnly, context: [.callbackQueue: queue], progress: nil) {
                _, _, _, _, _, _ in continuation.resume(returning: MainQueue.isCurrent)
            }
        }
        #expect(!other)
    }

    @Test(.tags(.l10)) func prefetcherReportsProgressAndCancels() async throws {
        let prefetcher = SDWebImagePrefetcher(imageManager: desk.manager)
        let urls = try (0..<4).map { try desk.picture("/p\($0).png") }
        let steps = Calls<Int>()
        let (finished, skipped) = await withCheckedContinuation { continuation in
            prefetcher.prefetchURLs(urls) { finished, total in
                steps.add(finished * 10 + total)
            } completed: { finished, skipped in
                continuation.resume(returning: (finished, skipped))
            }
        }
        #expect((finished, skipped) == (4, 0))
        #expect(steps.all == [14, 24, 34, 44])
        #expect(await desk.load(urls[2], options: .fromCacheOnly).image != nil)

        desk.server.route("/slow.png", .hang)
        let token = prefetcher.prefetchURLs([desk.server.url("/slow.png")])
        #expect(await eventually { desk.server.requestCount("/slow.png") == 1 })
        token?.cancel()
        #expect(await eventually { !desk.manager.isRunning })
    }
}

/// A delegate that refuses every download.
private final class Refusing: NSObject, SDWebImageManagerDelegate, @unchecked Sendable {
    func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { false }
}

/// A delegate that scales every image to half its size.
private final class Halving: NSObject, SDWebImageManagerDelegate, @unchecked Sendable {
    let wasOnMain = Calls<Bool>()
    let urls = Calls<URL>()

    func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage? {
        wasOnMain.add(MainQueue.isCurrent)
        if let imageURL { urls.add(imageURL) }
        guard let image else { return nil }
        return image.sd_resizedImage(
            with: CGSize(width: image.size.width / 2, height: image.size.height / 2), scaleMode: .fill)
    }
}
