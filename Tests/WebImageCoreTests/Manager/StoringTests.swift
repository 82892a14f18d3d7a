import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests which data is stored on disk, for example after the last subscriber has cancelled.
@Suite(.timeLimit(minutes: 1))
struct StoringTests {
    let fixture: ManagerFixture
    let serializer = WebImageCacheSerializer { _, _, _ in Data("serialized".utf8) }

    init() throws { fixture = try ManagerFixture() }

    /// The load is cancelled when the store stage begins. Download and decode have ended before.
    @Test(arguments: [WebImageOptions(), .waitStoreCache])
    func cancelDuringAStoreStoresOnlySerializedBytes(_ options: WebImageOptions) async throws {
        let canceller = StageCanceller(.store)
        fixture.manager.listener = canceller
        let load = fixture.load(options, [.cacheSerializer: serializer])
        canceller.operation = load.operation
        fixture.answer()
        #expect(await load.end()?.error?.code == .cancelled)
        #expect(await eventually { !fixture.cache.disk.isEmpty })
        #expect(fixture.cache.disk == [fixture.key: Data("serialized".utf8)])
        #expect(await fixture.manager.shutdown())
    }

    @Test(arguments: [WebImageLoadStage.decode, .transform])
    func bodyCompletedBeforeTheLastCancelIsStored(_ stage: WebImageLoadStage) async throws {
        let canceller = StageCanceller(stage)
        fixture.manager.listener = canceller
        let load = fixture.load([], [.imageTransformer: NamedTransformer()])
        canceller.operation = load.operation
        fixture.answer()
        #expect(await load.end()?.error?.code == .cancelled)
        #expect(await eventually { fixture.cache.disk == [fixture.key: FakeCoder.file()] })
        #expect(fixture.coder.decodeCount == (stage == .decode ? 0 : 1) && fixture.cache.memoryKeys.isEmpty)
        #expect(try await fixture.result().cacheType == .disk)
        #expect(fixture.loader.loads.count == 1 && load.completions.count == 1)
    }

    @Test func imageDecodingAtTheLastCancelIsStored() async throws {
        let gate = GatedCoder()
        let load = fixture.load([], [.imageCoder: gate])
        fixture.answer()
        #expect(await eventually { gate.startedCount == 1 })
        load.operation?.cancel()
        #expect(await load.end()?.error?.code == .cancelled)
        #expect(fixture.cache.memoryKeys.isEmpty)
        gate.open()
        #expect(await eventually { fixture.cache.memoryKeys == [fixture.key] })
        #expect(try await fixture.result([], [.imageCoder: gate]).cacheType == .memory)
        #expect(gate.startedCount == 1 && load.completions.count == 1)
    }

    @Test func bodyIsStoredOnce() async throws {
        fixture.answer()
        _ = try await fixture.result()
        await fixture.cache.remove(fixture.key, from: .all)
        try await nothingIsKept()
    }

    @Test func aBodyThatFailedToDecodeIsNotKept() async throws {
        fixture.loader.answer(fixture.url, with: .success(Data("FAKE".utf8)))
        await #expect(throws: WebImageError.self) { try await fixture.result() }
        try await nothingIsKept()
    }

    @Test func imageADelegateMayChangeIsNotStoredAfterACancel() async throws {
        let delegate = ChangingDelegate { $0 }
        fixture.manager.delegate = delegate
        let canceller = StageCanceller(.decode)
        fixture.manager.listener = canceller
        let load = fixture.load()
        canceller.operation = load.operation
        fixture.answer()
        #expect(await load.end()?.error?.code == .cancelled)
        try await nothingIsKept()
    }

    @Test func downloadThatEndsAfterTheLastCancelIsStored() async throws {
        fixture.loader.metadata = Data("etag".utf8)
        let load = fixture.load()
        #expect(await eventually { !fixture.loader.loads.isEmpty })
        load.operation?.cancel()
        let receiverAfterCancel = try #require(fixture.loader.loads.first?.finishedAfterCancel)
        receiverAfterCancel(ImageDataResult(data: FakeCoder.file(), response: WebImageResponse(url: fixture.url)))
        #expect(await eventually { fixture.cache.disk == [fixture.key: FakeCoder.file()] })
        #expect(fixture.cache.memoryKeys.isEmpty && fixture.coder.decodeCount == 0)
        #expect(load.completions.count == 1)
        #expect(try await fixture.result().cacheType == .disk)
    }

    @Test func aDownloadThatEndsAfterTheLastCancelGoesThroughTheSerializer() async throws {
        let load = fixture.load([], [.cacheSerializer: serializer])
        #expect(await eventually { !fixture.loader.loads.isEmpty })
        load.operation?.cancel()
        let receiverAfterCancel = try #require(fixture.loader.loads.first?.finishedAfterCancel)
        receiverAfterCancel(ImageDataResult(data: FakeCoder.file(), response: WebImageResponse(url: fixture.url)))
        #expect(await eventually { fixture.cache.disk == [fixture.key: Data("serialized".utf8)] })
    }

    private static var unkept: [(WebImageContext, Data)] {
        [
            ([.storeCacheType: ImageCacheType.memory, .originalStoreCacheType: ImageCacheType.none], FakeCoder.file()),
            ([.cacheKeyFilter: WebImageCacheKeyFilter { _ in nil }], FakeCoder.file()),
            ([:], Data("<html>".utf8)),
        ]
    }

    @Test(arguments: unkept.indices)
    func memoryOnlyDownloadIsNotStoredAfterACancel(_ index: Int) async throws {
        let (context, body) = Self.unkept[index]
        let load = fixture.load([], context)
        #expect(await eventually { !fixture.loader.loads.isEmpty })
        load.operation?.cancel()
        let receiverAfterCancel = try #require(fixture.loader.loads.first?.finishedAfterCancel)
        receiverAfterCancel(ImageDataResult(data: body, response: WebImageResponse(url: fixture.url)))
        try await nothingIsKept()
    }

    private func nothingIsKept() async throws {
        // Wait until the image of a later load is stored. If the cache stored the bytes of the earlier load, these
        // bytes would already be on disk.
        let other = try #require(URL(string: "http://host/other.png"))
        fixture.loader.answer(other, with: .success(FakeCoder.file()))
        _ = try await fixture.manager.image(for: other, context: fixture.context)
        #expect(await eventually { DecodePool.shared.runningCount == 0 && DecodePool.shared.waitingCount == 0 })
        #expect(Set(fixture.cache.disk.keys) == [other.absoluteString])
    }

    @Test func imageOfTheDelegateIsDeliveredAndEncodedForTheStore() async throws {
        let delegate = ChangingDelegate { _ in try? TestImages.solid(width: 9, height: 9) }
        fixture.manager.delegate = delegate
        fixture.answer()
        let result = try await fixture.result()
        #expect(result.image.pixelSize.width == 9 && result.image.isTransformed && result.data == nil)
        #expect(fixture.cache.imageFromMemoryCache(forKey: fixture.key) === result.image)
        #expect(fixture.cache.disk == [fixture.key: Data("encoded".utf8)])
        #expect(delegate.threads == ["webimage.user"])
    }

    @Test func unchangedImageOfTheDelegateKeepsItsBytesAndNilFails() async throws {
        let keeping = ChangingDelegate { $0 }
        fixture.manager.delegate = keeping
        fixture.answer()
        let result = try await fixture.result()
        #expect(result.data == FakeCoder.file() && fixture.cache.disk == [fixture.key: FakeCoder.file()])
        let box: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 2, height: 2)]
        _ = try await fixture.result(.fromLoaderOnly, box)
        #expect(keeping.threads.count == 1, "the delegate also received the thumbnail")
        let refusing = ChangingDelegate { _ in nil }
        fixture.manager.delegate = refusing
        await #expect { try await fixture.result(.fromLoaderOnly) } throws: {
            ($0 as? WebImageError)?.stage == .transform
        }
        #expect(fixture.manager.failure(of: fixture.url) == nil)
    }
}

private final class ChangingDelegate: WebImageManagerDelegate {
    private let change: @Sendable (Image) -> Image?
    private let calls = Locked<[String]>([])

    init(_ change: @escaping @Sendable (Image) -> Image?) { self.change = change }

    /// The name of the thread of each call.
    var threads: [String] { calls.withLock { $0 } }

    func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image? {
        calls.withLock { $0.append(Thread.current.name ?? "") }
        return change(image)
    }
}
