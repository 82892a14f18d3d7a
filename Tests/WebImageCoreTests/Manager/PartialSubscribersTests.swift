import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A shared download delivers partial images only to the subscribers that requested them.
@Suite(.timeLimit(minutes: 1))
struct PartialSubscribersTests {
    let fixture: ManagerFixture
    let progressive: WebImageContext = [.imageCoder: FakeProgressiveCoder()]

    init() throws { fixture = try ManagerFixture() }

    private func start(_ options: WebImageOptions, _ more: WebImageContext = [:]) async -> Recorder {
        let load = fixture.load(options, progressive.merging(more) { $1 })
        _ = await eventually { !fixture.loader.requests.isEmpty }
        return load
    }

    /// Starts a load that requests the pixel size as early as possible but no partial images.
    private func startForSize() async -> Recorder { await start([], [.pixelSizeReceiver: PixelSizeReceiver { _ in }]) }

    private func waitForSubscribers(_ count: Int) async -> Bool {
        await eventually { fixture.manager.subscriberCount(of: fixture.url) == count }
    }

    @Test func aProgressiveLoadThatJoinsGetsPartialImages() async throws {
        let plain = await startForSize()
        let joined = await start(.progressiveLoad)
        #expect(await waitForSubscribers(2))
        fixture.loader.send(FakeCoder.file() + [1], for: fixture.url)
        #expect(await eventually { joined.partials.count == 1 })
        fixture.loader.send(Data([2]), for: fixture.url)
        #expect(await eventually { joined.partials.count == 2 })
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1, 2]))
        #expect(await joined.end()?.image != nil)
        #expect(await plain.end()?.image != nil)
        #expect(plain.partials.isEmpty && fixture.loader.requests.count == 1)
    }

    @Test func aLoadThatDidNotAskGetsNoPartialImages() async throws {
        let first = await start(.progressiveLoad)
        let others = [await startForSize(), await start([])]
        #expect(await waitForSubscribers(3))
        fixture.loader.send(FakeCoder.file() + [1], for: fixture.url)
        #expect(await eventually { first.partials.count == 1 })
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        #expect(await first.end()?.image != nil)
        for load in others {
            #expect(await load.end()?.image != nil)
            #expect(load.partials.isEmpty)
        }
    }

    @Test func joiningLoadReceivesEarlierBytes() async throws {
        let plain = await startForSize()
        fixture.loader.send(FakeCoder.file() + [1], for: fixture.url)
        let joined = await start(.progressiveLoad)
        #expect(await eventually { joined.partials.count == 1 })
        joined.operation?.cancel()
        fixture.loader.send(Data([2]), for: fixture.url)
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1, 2]))
        #expect(await plain.end()?.image != nil)
        #expect(joined.partials.count == 1 && plain.partials.isEmpty)
    }

    @Test func aThumbnailThatJoinsGetsPartialThumbnails() async throws {
        let plain = await startForSize()
        let joined = await start(.progressiveLoad, [.imageThumbnailPixelSize: CGSize(width: 2, height: 2)])
        #expect(await waitForSubscribers(2))
        fixture.loader.send(FakeCoder.file() + [1], for: fixture.url)
        #expect(await eventually { joined.partials.count == 1 })
        #expect(joined.partials[0].pixelSize.width == 2 && plain.partials.isEmpty)
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        #expect(await joined.end()?.image != nil)
        #expect(fixture.loader.requests.count == 1)
    }
}
