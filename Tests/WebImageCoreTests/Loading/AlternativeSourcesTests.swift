import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests alternative sources of an image. Tests the smaller substitute that is loaded on expensive or constrained
/// networks.
@Suite(.timeLimit(minutes: 1))
struct AlternativeSourcesTests {
    private let loader = FakeDataLoader()
    private let loaders: ImageLoadersManager
    private let urls: [URL]

    init() throws {
        loaders = ImageLoadersManager(loaders: [loader])
        urls = try (0..<3).map { try #require(URL(string: "http://host/\($0).png")) }
    }

    private func load(_ context: WebImageContext) -> ImageDataLoad { ImageDataLoad(url: urls[0], context: context) }

    @Test func nextSourceIsLoadedWhenTheFirstFails() async throws {
        loader.answer(urls[0], with: .failure(WebImageError(.transport, stage: .download)))
        loader.answer(urls[1], with: .success(Data("b".utf8)))
        let result = try await loaders.loadData(for: load([.alternativeSources: [urls[1], urls[2]]]), progress: nil)
        #expect(result.data == Data("b".utf8))
        #expect(loader.requests == [urls[0], urls[1]])
    }

    @Test func failureOfEverySourceIsReported() async {
        for (url, code) in zip(urls, [WebImageError.Code.transport, .limitExceeded, .badImageData]) {
            loader.answer(url, with: .failure(WebImageError(code, stage: .download)))
        }
        do throws(WebImageError) {
            _ = try await loaders.loadData(for: load([.alternativeSources: [urls[1], urls[2]]]), progress: nil)
            Issue.record("nothing failed")
        } catch {
            #expect(error.code == .badImageData)
            #expect(error.url == urls[2])
            #expect(error.earlierFailures.map(\.code) == [.transport, .limitExceeded])
            #expect(error.earlierFailures.map(\.url) == [urls[0], urls[1]])
            #expect("\(error)".contains("/1.png"))
        }
    }

    @Test func cancelTriesNoFurtherSource() async {
        loader.answer(urls[0], with: .failure(.cancelled))
        await #expect(throws: WebImageError.self) {
            try await loaders.loadData(for: load([.alternativeSources: [urls[1]]]), progress: nil)
        }
        #expect(loader.requests == [urls[0]])
    }

    @Test func lowDataSourceIsUsedOnlyOnMeteredNetworksAndNotStored() async throws {
        let load = load([.lowDataSource: urls[1]])
        loader.answer(urls[0], with: .success(Data("full".utf8)))
        loader.answer(urls[1], with: .success(Data("low".utf8)))
        try await #expect(loaders.loadData(for: load, progress: nil).data == Data("full".utf8))
        let before = loaders.identity(of: load)
        loaders.prefersLowData = true
        let result = try await loaders.loadData(for: load, progress: nil)
        #expect(result.data == Data("low".utf8))
        #expect(!result.mayBeStored)
        #expect(loaders.identity(of: load) != before)
    }

    /// Bytes that arrive after a cancel are stored as the original. The manager must therefore receive only bytes of
    /// the full image, and no bytes of a low-data substitute.
    @Test func bytesAfterACancelAreStoredOnlyForTheFullPicture() async throws {
        for url in urls { loader.answer(url, with: .failure(WebImageError(.transport, stage: .download))) }
        loader.answer(urls[2], with: .success(Data("c".utf8)))
        loaders.prefersLowData = true
        let taken = Locked<[ImageDataResult]>([])
        var load = load([.lowDataSource: urls[1], .alternativeSources: [urls[2]]])
        load.finishedAfterCancel = { result in taken.withLock { $0.append(result) } }
        _ = try await loaders.loadData(for: load, progress: nil)
        #expect(loader.loads.map(\.url) == [urls[1], urls[0], urls[2]])
        #expect(loader.loads.map { $0.finishedAfterCancel != nil } == [false, true, true])
        for load in loader.loads {
            var late = ImageDataResult(data: Data("late".utf8), response: WebImageResponse(url: load.url))
            late.metadata = Data([1])
            load.finishedAfterCancel?(late)
        }
        // The result of an alternative URL has no metadata. Its validators belong to the alternative URL, but the bytes
        // are stored under the first URL.
        #expect(taken.withLock { $0.map(\.metadata) } == [Data([1]), nil])
    }

    @Test func base64URLIsDecoded() async throws {
        let loader = Base64ImageLoader()
        let url = try #require(Base64ImageLoader.url("aGVsbG8="))
        #expect(loader.canLoad(ImageDataLoad(url: url)))
        let result = try await loader.loadData(for: ImageDataLoad(url: url), progress: nil)
        #expect(result.data == Data("hello".utf8))
        #expect(result.response.url == url)
        let damaged = try #require(Base64ImageLoader.url("!!!!"))
        await #expect(throws: WebImageError.self) {
            try await loader.loadData(for: ImageDataLoad(url: damaged), progress: nil)
        }
    }

    @Test func loaderAuthorsDecodeLikeTheManager() throws {
        let url = try #require(URL(string: "http://host/a@2x.png"))
        let context: WebImageContext = [
            .imageCoder: FakeCoder(), .imageThumbnailPixelSize: CGSize(width: 10, height: 10),
        ]
        let image = try ImageLoaderDecoding.image(
            from: FakeCoder.file(width: 40, height: 20), url: url, context: context)
        #expect(image.pixelSize == PixelSize(width: 10, height: 5))
        #expect(ImageLoaderDecoding.decodingOptions(for: url, options: [], context: nil).scaleFactor == 2)
        #expect(throws: WebImageError.self) {
            try ImageLoaderDecoding.image(from: Data("x".utf8), url: url, context: context)
        }
    }
}
