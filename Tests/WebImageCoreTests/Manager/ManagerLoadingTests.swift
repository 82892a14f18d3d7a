import Dispatch
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 1))
struct ManagerLoadingTests {
    let cache = FakeImageCache()
    let loader = FakeDataLoader()
    let coder = FakeCoder()
    let manager: WebImageManager
    let url: URL

    var context: WebImageContext { [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking] }

    init() throws {
        manager = WebImageManager(cache: cache, loader: loader)
        url = try #require(URL(string: "http://host/picture.png"))
    }

    @Test func loadedImageIsStoredInBothCaches() async throws {
        loader.answer(url, with: .success(FakeCoder.file()))
        let result = try await manager.result(for: url, context: context)
        #expect(result.image.pixelSize == PixelSize(width: 4, height: 3))
        #expect(result.cacheType == .none)
        #expect(result.data == FakeCoder.file())
        #expect(cache.memoryKeys == [url.absoluteString])
        #expect(cache.disk == [url.absoluteString: FakeCoder.file()])
    }

    @Test func aMemoryHitIsDeliveredBeforeLoadImageReturns() throws {
        cache.storeImageToMemory(try TestImages.solid(), forKey: url.absoluteString)
        let delivered = Locked<ImageCacheType?>(nil)
        manager.loadImage(with: url, context: context) { _, _, _, cacheType, finished, _ in
            if finished { delivered.withLock { $0 = cacheType } }
        }
        #expect(delivered.withLock { $0 } == .memory)
        #expect(loader.requests.isEmpty)
    }

    @Test func diskHitCallsNoLoader() async throws {
        cache.disk = [url.absoluteString: FakeCoder.file()]
        let result = try await manager.result(for: url, context: context)
        #expect(result.cacheType == .disk)
        #expect(loader.requests.isEmpty)
        #expect(cache.memoryKeys == [url.absoluteString])
    }

    @Test func aThousandLoadsOfOneURLMakeOneRequestAndOneDecode() async throws {
        let images = Locked<Set<ObjectIdentifier>>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let context: WebImageContext = [.imageCoder: coder]
                    let image = try await manager.image(for: url, context: context)
                    _ = images.withLock { $0.insert(ObjectIdentifier(image)) }
                }
            }
            #expect(await eventually { !loader.requests.isEmpty })
            loader.answer(url, with: .success(FakeCoder.file()))
            try await group.waitForAll()
        }
        #expect(loader.requests.count == 1)
        #expect(coder.decodeCount == 1)
        #expect(images.withLock { $0.count } == 1)
        #expect(manager.sharedTaskCount == 0)
    }

    // SDWebImageManagerTests.test19ThatDifferentThumbnailLoadShouldCallbackDifferentSize
    @Test func twoSizesOfOneURLShareTheDownloadAndNotTheDecode() async throws {
        async let full = manager.image(for: url, context: [.imageCoder: coder])
        async let thumbnail = manager.image(
            for: url, context: [.imageCoder: coder, .imageThumbnailPixelSize: CGSize(width: 2, height: 2)])
        #expect(await eventually { manager.sharedTaskCount == 5 })
        loader.answer(url, with: .success(FakeCoder.file()))
        #expect(try await full.pixelSize == PixelSize(width: 4, height: 3))
        #expect(try await thumbnail.pixelSize == PixelSize(width: 2, height: 2))
        #expect(loader.requests.count == 1)
        #expect(coder.decodeCount == 2)
    }

    @Test func cancelDeliversExactlyOneCancelledCompletionAndStopsTheLoader() async throws {
        let ends = Locked<[WebImageError.Code?]>([])
        let operation = manager.loadImage(with: url, context: context) { _, _, error, _, finished, _ in
            if finished { ends.withLock { $0.append(error?.code) } }
        }
        #expect(await eventually { !loader.requests.isEmpty })
        operation.cancel()
        operation.cancel()
        #expect(ends.withLock { $0 } == [.cancelled])
        #expect(await eventually { loader.cancelCount == 1 && manager.sharedTaskCount == 0 })
        #expect(!manager.isRunning)
        #expect(coder.decodeCount == 0)
    }

    @Test func cancelOfOneLoadLeavesTheOthers() async throws {
        let first = Task { try await manager.image(for: url, context: [.imageCoder: coder]) }
        let second = Task { try await manager.image(for: url, context: [.imageCoder: coder]) }
        #expect(await eventually { manager.subscriberCount(of: url) == 2 })
        first.cancel()
        await #expect(throws: WebImageError.self) { try await first.value }
        loader.answer(url, with: .success(FakeCoder.file()))
        #expect(try await second.value.pixelSize.width == 4)
        #expect(loader.cancelCount == 0)
    }

    @Test func aCorruptDiskEntryIsRemovedAndFetchedAgain() async throws {
        cache.disk = [url.absoluteString: Data("rubbish".utf8)]
        loader.answer(url, with: .success(FakeCoder.file()))
        let result = try await manager.result(for: url, context: context)
        #expect(result.cacheType == .none)
        #expect(cache.disk == [url.absoluteString: FakeCoder.file()])
    }

    @Test func undecodableDataIsNotStoredAndItsURLIsRememberedAsFailed() async throws {
        loader.answer(url, with: .success(Data("<html>".utf8)))
        await #expect { try await manager.image(for: url, context: context) } throws: {
            ($0 as? WebImageError)?.code == .badImageData && ($0 as? WebImageError)?.url == url
        }
        #expect(cache.disk.isEmpty && cache.memoryKeys.isEmpty)
        await #expect { try await manager.image(for: url, context: context) } throws: {
            ($0 as? WebImageError)?.code == .blackListed
        }
        loader.answer(url, with: .success(FakeCoder.file()))
        _ = try await manager.image(for: url, options: .retryFailed, context: context)
    }

    @Test(arguments: [nil, URL(string: "")]) func noURLIsAnError(_ url: URL?) {
        let code = Locked<WebImageError.Code?>(nil)
        manager.loadImage(with: url, context: context) { _, _, error, _, _, _ in code.withLock { $0 = error?.code } }
        #expect(code.withLock { $0 } == .invalidURL)
    }

    @Test func fromCacheOnlyNeverCallsTheLoader() async throws {
        let ended = Locked<(image: Image?, error: WebImageError?)?>(nil)
        manager.loadImage(with: url, options: .fromCacheOnly, context: context) { image, _, error, _, _, _ in
            ended.withLock { $0 = (image, error) }
        }
        #expect(await eventually { ended.withLock { $0 != nil } })
        #expect(ended.withLock { $0?.image == nil && $0?.error == nil })
        #expect(loader.requests.isEmpty)
        await #expect { try await manager.image(for: url, options: .fromCacheOnly, context: context) } throws: {
            ($0 as? WebImageError)?.code == .notCached
        }
    }

    @Test func aTransformedImageHasItsOwnKey() async throws {
        loader.answer(url, with: .success(FakeCoder.file()))
        var context = context
        context[.imageTransformer] = NamingTransformer()
        let image = try await manager.image(for: url, context: context)
        #expect(image.isTransformed)
        #expect(cache.memoryKeys == ["http://host/picture-Naming.png"])
        #expect(Set(cache.disk.keys) == ["http://host/picture.png", "http://host/picture-Naming.png"])
    }

    @Test func twoThousandRandomCancelsEndExactlyOnceEach() async throws {
        let slow = FakeCoder(seconds: 0.0005)
        let context: WebImageContext = [.imageCoder: slow, .callbackQueue: CallbackQueue.invoking]
        let ends = Locked([Int](repeating: 0, count: 2000))
        var random = SeededRandom.printingSeed()
        var operations: [WebImageCombinedOperation] = []
        for index in 0..<2000 {
            let url = try #require(URL(string: "http://host/\(index % 50).png"))
            if index % 3 == 0 { loader.answer(url, with: .success(FakeCoder.file())) }
            operations.append(
                manager.loadImage(with: url, options: .retryFailed, context: context) { _, _, _, _, finished, _ in
                    if finished { ends.withLock { $0[index] += 1 } }
                })
            if index % 7 == 0 { operations[Int.random(in: 0...index, using: &random)].cancel() }
        }
        for operation in operations.shuffled(using: &random) { operation.cancel() }
        // A load counts as ended before its completion has run.
        #expect(
            await eventually {
                manager.sharedTaskCount == 0 && !manager.isRunning && ends.withLock { $0.allSatisfy { $0 >= 1 } }
            })
        #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
    }
}

private struct NamingTransformer: ImageTransformer {
    let transformerKey = "Naming"

    func transformedImage(with image: Image, forKey key: String) -> Image? { Image(pixels: image.pixels) }
}

/// Tests a load that is cancelled after its work has ended but before its result is delivered.
@Suite(.timeLimit(minutes: 1))
struct LateCancelTests {
    @Test func cancelBeforeDeliveryDeliversOnlyCancelled() async throws {
        let loader = FakeDataLoader()
        let manager = WebImageManager(cache: FakeImageCache(), loader: loader)
        let url = try #require(URL(string: "http://host/late.png"))
        let queue = DispatchQueue(label: "late")
        queue.suspend()
        let heard = Locked<[WebImageError.Code?]>([])
        let context: WebImageContext = [.imageCoder: FakeCoder(), .callbackQueue: CallbackQueue(queue: queue)]
        let operation = manager.loadImage(with: url, context: context) { _, _, error, _, finished, _ in
            if finished { heard.withLock { $0.append(error?.code) } }
        }
        loader.answer(url, with: .success(FakeCoder.file()))
        #expect(await eventually { !loader.requests.isEmpty })
        // The work has ended. The delivery of its result waits in the queue.
        #expect(await eventually { manager.sharedTaskCount == 0 })
        operation.cancel()
        queue.resume()
        #expect(await eventually { !heard.withLock { $0.isEmpty } })
        queue.sync {}
        #expect(heard.withLock { $0 } == [.cancelled])
        #expect(operation.isCancelled && !manager.isRunning)
    }
}
