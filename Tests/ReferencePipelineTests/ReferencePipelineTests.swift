import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Runs random sequences of loads ("histories") with the real manager and compares each result with a reference model.
///
/// Each run prints its seed. To repeat a run, set `WEBIMAGE_SEED` to this seed and `WEBIMAGE_HISTORIES` to the number
/// of histories.
@Suite(.serialized, .timeLimit(minutes: 60))
struct ReferencePipelineTests {
    private let origin: ReferenceOrigin
    private let scratch: ScratchFolder
    private let downloader = WebImageDownloader()
    private let loaders: ImageLoadersManager

    init() throws {
        origin = try ReferenceOrigin()
        scratch = try ScratchFolder()
        loaders = ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), downloader])
    }

    private func check(_ usual: Int, long: Int, subject: @escaping @Sendable () -> ReferenceSubject) async throws {
        defer { origin.stop() }
        let environment = ProcessInfo.processInfo.environment
        let count = environment["WEBIMAGE_LONG"] == nil ? usual : long
        let seed = SeededRandom.printingSeed(of: "histories").seed
        let failure = try await ReferenceCheck(origin: origin, subject: subject).run(
            environment["WEBIMAGE_HISTORIES"].flatMap { Int($0) } ?? count, seed: seed)
        #expect(failure == nil)
    }

    @Test func resultsWithOneCacheMatchTheModel() async throws {
        let (downloader, loaders, folder) = (downloader, loaders, scratch.url.path)
        try await check(200, long: 15_000) {
            .layered(loader: loaders, isIdle: { downloader.currentDownloadCount == 0 }) {
                ImageCache(namespace: "default", diskCacheDirectory: folder)
            }
        }
    }

    @Test func resultsWithTwoCachesMatchTheModel() async throws {
        let (downloader, loaders, folder) = (downloader, loaders, scratch.url.path)
        try await check(100, long: 5_000) {
            .stacked(loader: loaders, isIdle: { downloader.currentDownloadCount == 0 }) {
                (
                    ImageCache(namespace: "lower", diskCacheDirectory: folder),
                    ImageCache(namespace: "higher", diskCacheDirectory: folder)
                )
            }
        }
    }

    /// A model that allows every result would prove nothing. This test checks that the model rejects wrong results.
    @Test func modelRefusesAnOldPicture() {
        var model = ReferencePipeline(resource: 0)
        let load = ReferenceLoad(0)
        let old = ReferencePicture(resource: 0, user: 0, version: 0)
        #expect(model.observe([load], delivered: [[.picture(old, .none)]]) == nil)
        #expect(model.observe([load], delivered: [[.picture(old, .memory)]]) == nil)
        model.answer.version = 1
        var refresh = load
        refresh.options = .refreshCached
        let new = ReferencePicture(resource: 0, user: 0, version: 1)
        #expect(model.observe([refresh], delivered: [[.picture(old, .memory)]]) != nil, "the refresh is missing")
        #expect(model.observe([refresh], delivered: [[.picture(old, .memory), .picture(new, .none)]]) == nil)
        #expect(model.observe([load], delivered: [[.picture(old, .memory)]]) != nil)
        #expect(model.observe([load], delivered: [[.failure(.transport)]]) != nil)
        #expect(model.observeDisk(load, holds: old) != nil)
        #expect(model.observeDisk(load, holds: new) == nil)
    }

    /// After a cancelled load, the disk cache may contain the original without the transformed image.
    @Test func modelAllowsOnlyTheOriginalOfACancelledLoad() {
        var model = ReferencePipeline(resource: 0)
        var load = ReferenceLoad(0)
        load.transformers = [1]
        let picture = ReferencePicture(resource: 0, user: 0, version: 0)
        #expect(model.observe([load], cancelled: [0], delivered: [[.failure(.cancelled)]]) == nil)
        #expect(model.observeDisk(ReferenceLoad(0), holds: picture) == nil)
        #expect(model.observeDisk(load, holds: nil) == nil)
        // A load that is not cancelled must store the original and the transformed image.
        var other = ReferencePipeline(resource: 0)
        var transformed = picture
        (transformed.transformers, transformed.isTransformed) = ([1], true)
        #expect(other.observe([load], delivered: [[.picture(transformed, .none)]]) == nil)
        #expect(other.observeDisk(ReferenceLoad(0), holds: picture) == nil)
        #expect(other.observeDisk(load, holds: nil) != nil)
    }

    /// If a history fails, the check shortens the history to the fewest steps that still fail. The loader in this test
    /// has a defect: it answers every refresh with "not modified".
    @Test func aFailingHistoryIsShortened() async throws {
        defer { origin.stop() }
        let (downloader, folder) = (downloader, scratch.url.path)
        let check = ReferenceCheck(origin: origin) {
            .layered(
                loader: ForgettingLoader(downloader), isIdle: { downloader.currentDownloadCount == 0 }
            ) { ImageCache(namespace: "default", diskCacheDirectory: folder) }
        }
        let failure = try #require(try await check.run(200, seed: 7))
        #expect(failure.history.steps.count <= 3, "\(failure)")
        #expect(failure.description.contains("1. ") && failure.description.contains("seed 7"))
    }
}

/// A loader that answers a refresh as if the server had revalidated the cached bytes.
private struct ForgettingLoader: ImageLoader {
    let loader: WebImageDownloader

    init(_ loader: WebImageDownloader) { self.loader = loader }

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        guard let cached = load.cached else { return try await loader.loadData(for: load, progress: progress) }
        var result = ImageDataResult(data: cached.data, response: WebImageResponse(url: load.url))
        result.isNotModified = true
        result.metadata = cached.metadata
        return result
    }

    func identity(of load: ImageDataLoad) -> LoadIdentity { loader.identity(of: load) }
    func cacheScope(of load: ImageDataLoad) -> CacheScope { loader.cacheScope(of: load) }
    func canLoad(_ load: ImageDataLoad) -> Bool { loader.canLoad(load) }
    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool {
        loader.shouldBlock(load, after: error)
    }
}
