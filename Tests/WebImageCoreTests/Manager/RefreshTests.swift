import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A load with `.refreshCached` first completes with the cached image. It then completes at most once more.
@Suite(.timeLimit(minutes: 1))
struct RefreshTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    private func keepOnDisk() { fixture.cache.disk = [fixture.key: FakeCoder.file(width: 4)] }

    // SDWebImageManagerTests.test07ThatLoadImageWithSDWebImageRefreshCachedWorks
    @Test func aChangedImageComesSecondAndIsStored() async throws {
        keepOnDisk()
        let load = fixture.load(.refreshCached)
        #expect(await eventually { load.ends.count == 1 && !fixture.loader.requests.isEmpty })
        #expect(load.ends[0].image?.pixelSize.width == 4 && load.ends[0].cacheType == .disk)
        #expect(fixture.manager.isRunning)
        fixture.answer(width: 7)
        #expect(await eventually { !fixture.manager.isRunning && load.ends.count == 2 })
        #expect(load.ends.map(\.image?.pixelSize.width) == [4, 7] && load.ends[1].cacheType == .none)
        #expect(fixture.cache.disk[fixture.key] == FakeCoder.file(width: 7))
        #expect(fixture.cache.imageFromMemoryCache(forKey: fixture.key)?.pixelSize.width == 7)
    }

    @Test func anUnchangedImageIsNotRepeated() async throws {
        keepOnDisk()
        fixture.answer(width: 4)
        let load = fixture.load(.refreshCached)
        #expect(await eventually { !load.ends.isEmpty && !fixture.manager.isRunning })
        #expect(load.ends.count == 1 && load.ends[0].error == nil)
        #expect(fixture.loader.requests.count == 1 && fixture.coder.decodeCount == 1)
    }

    @Test func notModifiedKeepsBytesAndRenewsMetadata() async throws {
        keepOnDisk()
        fixture.loader.confirm(fixture.url)
        let load = fixture.load(.refreshCached)
        #expect(await eventually { !load.ends.isEmpty && !fixture.manager.isRunning })
        #expect(load.ends.count == 1 && load.ends[0].error == nil)
        #expect(fixture.loader.loads.first?.cached?.data == FakeCoder.file(width: 4))
        #expect(fixture.loader.loads.first?.context?[.loaderCachedImage] is Image)
    }

    @Test func failedRefreshCompletesTwiceAndTheAsyncFormReturnsTheCachedImage() async throws {
        keepOnDisk()
        fixture.loader.answer(fixture.url, with: .failure(WebImageError(.transport, stage: .download)))
        let load = fixture.load(.refreshCached)
        #expect(await eventually { !fixture.manager.isRunning && load.ends.count == 2 })
        #expect(load.ends.map(\.error?.code) == [nil, .transport])
        #expect(load.ends.map(\.image?.pixelSize.width) == [4, 4], "the failure takes the cached image away")
        #expect(try await fixture.result(.refreshCached).image.pixelSize.width == 4)
    }

    @Test func theAsyncFormGivesTheRefreshedImage() async throws {
        keepOnDisk()
        fixture.answer(width: 7)
        #expect(try await fixture.result(.refreshCached).image.pixelSize.width == 7)
    }

    @Test func aMemoryHitIsDeliveredBeforeTheCallReturns() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 5), forKey: fixture.key)
        let load = fixture.load(.refreshCached)
        #expect(load.ends.map(\.image?.pixelSize.width) == [5] && load.ends[0].cacheType == .memory)
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        load.operation?.cancel()
        #expect(load.ends.count == 1, "a cancel completes a load a second time")
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
    }

    @Test func refreshCancelledAtAnyInstantDeliversNothingMore() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 5), forKey: fixture.key)
        var loads: [Recorder] = []
        for count in 1...300 {
            let load = fixture.load(.refreshCached)
            #expect(await eventually { fixture.loader.requests.count == count })
            load.operation?.cancel()
            loads.append(load)
            #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
        }
        #expect(loads.allSatisfy { $0.ends.count == 1 && $0.ends[0].error == nil })
    }

    @Test func withoutACachedImageItIsAPlainLoad() async throws {
        fixture.answer(width: 7)
        let load = fixture.load(.refreshCached)
        #expect(await load.end()?.image?.pixelSize.width == 7)
        #expect(await eventually { !fixture.manager.isRunning })
        #expect(load.ends.count == 1)
        #expect(fixture.loader.loads.first?.options.contains(.refreshCached) == true)
    }

    @Test func aCancelBeforeTheQueuedCachedImageDeliversTheCancelAlone() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        let queue = DispatchQueue(label: "suspended")
        queue.suspend()
        let load = fixture.load(.refreshCached, [.callbackQueue: CallbackQueue(queue: queue, policy: .dispatch)])
        load.operation?.cancel()
        queue.resume()
        #expect(await eventually { load.ends.count == 1 && fixture.manager.sharedTaskCount == 0 })
        #expect(load.completions.count == 1 && load.ends[0].error?.code == .cancelled)
    }
}
