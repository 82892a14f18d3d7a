import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// A cache of one dictionary, as the guide "Extending" shows it: an actor is a cache.
private actor PictureBook: ImageCaching {
    private(set) var images: [String: Image] = [:]
    private(set) var requests: [ImageCacheRequest] = []

    func cachedImage(for request: ImageCacheRequest) -> ImageCacheHit? {
        requests.append(request)
        return images[request.key].map { ImageCacheHit(image: $0, layer: .memory) }
    }
    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) {
        if let image { images[request.key] = image }
    }
    func remove(_ key: String, from layers: ImageCacheType) { images[key] = nil }
    func layer(of key: String, among layers: ImageCacheType) -> ImageCacheType { images[key] == nil ? .none : .memory }
    func removeAll(from layers: ImageCacheType) { images = [:] }
}

/// A cache whose look-up ends when its task is cancelled.
private final class WaitingCache: ImageCaching {
    let begun = Locked(0)
    let cancelled = Locked(0)

    func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        begun.withLock { $0 += 1 }
        await withTaskCancellationHandler {
            while !Task.isCancelled { await Task.yield() }
        } onCancel: {
            cancelled.withLock { $0 += 1 }
        }
        return nil
    }
    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {}
    func remove(_ key: String, from layers: ImageCacheType) async {}
    func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType { .none }
    func removeAll(from layers: ImageCacheType) async {}
}

/// The role of a manager's cache, and the calls with completions of such a cache.
@Suite(.timeLimit(minutes: 1))
struct RegisteredCacheTests {
    @Test func anActorIsTheCacheOfLoads() async throws {
        let fixture = try ManagerFixture()
        let (book, context) = (PictureBook(), [WebImageContextOption.imageCoder: fixture.coder] as WebImageContext)
        let manager = WebImageManager(cache: book, loader: fixture.loader)
        fixture.answer()
        let first = try await manager.result(for: fixture.url, options: .waitStoreCache, context: context)
        let second = try await manager.result(for: fixture.url, context: context)
        #expect(first.cacheType == .none && second.cacheType == .memory && second.image === first.image)
        #expect(await manager.cachedImageExists(for: fixture.url))
        await manager.removeImage(for: fixture.url)
        #expect(await book.images.isEmpty)
    }

    @Test func aCacheIsToldHowTheLoadDecodesAndEncodes() async throws {
        let fixture = try ManagerFixture()
        let book = PictureBook()
        fixture.answer()
        let context: WebImageContext = [
            .imageCoder: fixture.coder, .imageThumbnailPixelSize: CGSize(width: 2, height: 2), .imageScaleFactor: 2.0,
            .imageEncodeOptions: [ImageCoderOption.encodeMaxFileSize: 900] as ImageCoderOptions,
        ]
        _ = try await WebImageManager(cache: book, loader: fixture.loader).result(for: fixture.url, context: context)
        let requests = await book.requests
        // First the thumbnail, which is decoded as it was stored, then its original.
        #expect(requests.map(\.key).count == 2 && requests.map(\.decoding.scaleFactor) == [2, 2])
        #expect(requests[0].decoding.thumbnailPixelSize == nil)
        #expect(requests[1].decoding.thumbnailPixelSize == PixelSize(width: 2, height: 2))
        #expect(requests[0].encoding.maxFileSize == 900 && requests[0].layers == .all)
    }

    @Test func aCancelledQueryCancelsTheLookUp() async {
        let cache = WaitingCache()
        let hits = Calls<Bool>()
        let query = RegisteredCache(cache).query(ImageCacheRequest(key: "a").invokingCallbacks) {
            hits.append($0 != nil)
        }
        #expect(cache.begun.withLock { $0 } == 1)
        query?.cancel()
        #expect(query?.isCancelled == true && cache.cancelled.withLock { $0 } == 1)
        #expect(await eventually { hits.all == [false] })
    }

    /// A cancelled load ends, also if its cache goes on.
    @Test func aCancelledLoadDoesNotWaitForItsCache() async {
        let answer = Locked<CheckedContinuation<Void, Never>?>(nil)
        let task = Task {
            await ImageCacheHit.found { _ in
                struct Deaf: WebImageOperation {
                    let isCancelled = false
                    func cancel() {}
                }
                Task { await withCheckedContinuation { continuation in answer.withLock { $0 = continuation } } }
                return Deaf()
            }
        }
        #expect(await eventually { answer.withLock { $0 != nil } })
        task.cancel()
        #expect(await task.value == nil)
        answer.withLock { $0.take() }?.resume()
    }

    /// An answer that needs no waiting completes before the call returns; any other completes on the queue of the load.
    @Test func completionsRunInPlaceOrOnTheQueue() async throws {
        let places = Calls<String>()
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let request = ImageCacheRequest(
            key: "a", layers: .all, options: [],
            context: [.callbackQueue: CallbackQueue(queue: queue, policy: .dispatch)])
        @Sendable func note() { places.append(DispatchQueue.getSpecific(key: key) == true ? "queue" : "place") }
        let atOnce = FakeImageCache()
        atOnce.storeImageToMemory(try TestImages.solid(), forKey: "a")
        _ = RegisteredCache(atOnce).query(request) { _ in note() }
        #expect(places.all == ["place"])
        _ = RegisteredCache(PictureBook()).query(request) { _ in note() }
        #expect(await eventually { places.all == ["place", "queue"] })
    }
}
