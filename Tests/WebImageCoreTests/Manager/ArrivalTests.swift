import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests the progress and the partial images that a load delivers while bytes arrive.
@Suite(.timeLimit(minutes: 1))
struct ArrivalTests {
    let fixture: ManagerFixture
    let progressive: WebImageContext = [.imageCoder: FakeProgressiveCoder()]

    init() throws { fixture = try ManagerFixture() }

    private func start(_ more: WebImageContext = [:]) async -> Recorder {
        let load = fixture.load(.progressiveLoad, progressive.merging(more) { $1 })
        _ = await eventually { !fixture.loader.requests.isEmpty }
        return load
    }

    private func send(_ bytes: Data) { fixture.loader.send(bytes, for: fixture.url) }

    @Test func partialImagesPrecedeTheImageAndAreNeverStored() async throws {
        let load = await start()
        send(FakeCoder.file() + [1])
        #expect(await eventually { load.partials.count == 1 })
        send(Data([2, 3]))
        #expect(await eventually { load.partials.count == 2 })
        #expect(load.partials.allSatisfy(\.isIncremental) && fixture.cache.memoryKeys.isEmpty)
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1, 2, 3]))
        #expect(await load.end()?.image?.isIncremental == false)
        #expect(load.completions.last?.finished == true)
        #expect(fixture.cache.imageFromMemoryCache(forKey: fixture.key)?.isIncremental == false)
    }

    @Test func bytesWithoutImprovementDeliverNoPartialImage() async throws {
        let load = await start()
        send(Data("FA".utf8))
        send(Data("KE".utf8) + [4, 3])
        send(Data([1]))
        #expect(await eventually { load.partials.count == 1 })
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        _ = await load.end()
        #expect(load.partials.count == 1)
    }

    @Test func cancelledLoadDeliversNoPartialImage() async throws {
        let load = await start()
        send(FakeCoder.file() + [1])
        #expect(await eventually { load.partials.count == 1 })
        load.operation?.cancel()
        send(Data([2, 3, 4]))
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
        #expect(load.partials.count == 1 && load.ends.map(\.error?.code) == [.cancelled])
    }

    @Test func partialImagesAreTransformed() async throws {
        let transformer = NamedTransformer { try? TestImages.solid(width: $0.pixels.width * 2) }
        let load = await start([.imageTransformer: transformer])
        send(FakeCoder.file() + [1])
        #expect(await eventually { load.partials.count == 1 })
        #expect(load.partials[0].pixelSize.width == 8)
        #expect(load.partials[0].isIncremental && load.partials[0].isTransformed)
    }

    @Test func lateSubscriberReceivesTheLatestPartialImage() async throws {
        let first = await start()
        send(FakeCoder.file() + [1])
        #expect(await eventually { first.partials.count == 1 })
        let second = await start()
        #expect(await eventually { second.partials.count == 1 })
        #expect(fixture.loader.requests.count == 1)
        first.operation?.cancel()
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        #expect(await second.end()?.image != nil)
    }

    @Test func damagedBytesStopPartialImagesAndNotTheLoad() async throws {
        let load = await start()
        send(FakeCoder.file() + [1])
        #expect(await eventually { load.partials.count == 1 })
        send(Data("!".utf8))
        send(Data([2]))
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        #expect(await load.end()?.image != nil)
        #expect(load.partials.count == 1)
    }

    @Test func nonProgressiveCoderDeliversNoPartialImages() async throws {
        let load = await start([.imageCoder: fixture.coder])
        send(FakeCoder.file() + [1])
        fixture.answer()
        #expect(await load.end()?.image != nil)
        #expect(load.partials.isEmpty)
    }

    @Test func sizeIsReportedWithTheHeader() async throws {
        var events = fixture.manager.events(for: fixture.url, context: fixture.context).makeAsyncIterator()
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        send(Data("FAKE".utf8))
        send(Data([200, 100]))
        guard case .size(let size) = try await events.next() else {
            Issue.record("the first event is not the size")
            return
        }
        #expect(size == PixelSize(width: 200, height: 100) && fixture.coder.decodeCount == 0)
        fixture.answer(width: 200, height: 100)
        guard case .finished(let result) = try await events.next() else {
            Issue.record("the second event is not the image")
            return
        }
        #expect(result.image.pixelSize == size)
        #expect(try await events.next() == nil)
    }

    @Test func reportedSizeIsThatOfTheThumbnail() async throws {
        let context = fixture.context([.imageThumbnailPixelSize: CGSize(width: 50, height: 50)])
        var events = fixture.manager.events(for: fixture.url, context: context).makeAsyncIterator()
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        send(FakeCoder.file(width: 200, height: 100))
        guard case .size(let size) = try await events.next() else {
            Issue.record("the first event is not the size")
            return
        }
        #expect(size == PixelSize(width: 50, height: 25))
    }
}
