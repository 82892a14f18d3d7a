import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// A refresh that finds no newer image completes once, in every kind of cache and for every kind of URL. A refresh that
/// fails never takes the cached image away.
@Suite(.timeLimit(minutes: 1))
struct UnchangedRefreshTests {
    private let journey: Journey

    init() throws { journey = try Journey() }

    /// The completions of a refresh, after the load has ended.
    private func completions(
        _ manager: WebImageManager, _ url: URL, _ context: WebImageContext = [:]
    ) async throws -> [(width: Int?, error: WebImageError?)] {
        let (ends, blocks) = (Locked<[(Int?, WebImageError?)]>([]), HeldBlocks())
        let context = context.merging([.callbackQueue: CallbackQueue.invoking]) { $1 }
        manager.loadImage(with: url, options: .refreshCached, context: context) {
            [token = blocks.token()] image, _, error, _, finished, _ in
            _ = token
            if finished { ends.withLock { $0.append((image?.pixelSize.width, error)) } }
        }
        try await eventually("the load has ended") {
            !manager.isRunning && manager.sharedTaskCount == 0 && blocks.isEmpty
        }
        return ends.withLock { $0 }
    }

    /// Checks that an unchanged refresh completes once, and that a changed one completes twice: with the cached image and
    /// with the new one. The image of a local file that was edited is no longer in the cache.
    private func expectOneCompletion(
        _ manager: WebImageManager, _ url: URL, _ context: WebImageContext = [:], change: () throws -> Void
    ) async throws {
        _ = try await manager.image(for: url, options: .waitStoreCache, context: context)
        for _ in 0..<2 {
            let ends = try await completions(manager, url, context)
            #expect(ends.map(\.width) == [40] && ends.allSatisfy { $0.error == nil })
            let events = Locked(0)
            for try await event in manager.events(for: url, options: .refreshCached, context: context) {
                if case .finished(let result) = event {
                    events.withLock { $0 += 1 }
                    #expect(result.image.pixelSize.width == 40)
                }
            }
            #expect(events.withLock { $0 } == 1)
        }
        try change()
        try await #expect(completions(manager, url, context).map(\.width) == (url.isFileURL ? [50] : [40, 50]))
    }

    @Test func localFile() async throws {
        let file = journey.folder.appendingPathComponent("a.png")
        try Journey.file(width: 40).write(to: file)
        try await expectOneCompletion(journey.manager, file) { try Journey.file(width: 50).write(to: file) }
    }

    @Test func thumbnailOfALocalFile() async throws {
        let file = journey.folder.appendingPathComponent("a.png")
        try Journey.file(width: 80, height: 80).write(to: file)
        let context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 40, height: 40)]
        _ = try await journey.manager.image(for: file, context: context)
        try await #expect(completions(journey.manager, file, context).map(\.width) == [40])
    }

    @Test func dataURL() async throws {
        let url = try #require(URL(string: "data:image/png;base64," + (try Journey.file()).base64EncodedString()))
        _ = try await journey.manager.image(for: url)
        for _ in 0..<2 { try await #expect(completions(journey.manager, url).map(\.width) == [40]) }
    }

    private func serve(_ width: Int, _ headers: [String: String] = [:]) throws -> URL {
        journey.server.route("/a.png", .body(try Journey.file(width: width), headers: headers))
        return journey.server.url("/a.png")
    }

    @Test func memoryOnly() async throws {
        var config = ImageCacheConfig()
        config.shouldCacheImagesOnDisk = false
        let cache = ImageCache(namespace: "memory", diskCacheDirectory: journey.folder.path, config: config)
        let manager = WebImageManager(cache: cache, loader: journey.manager.imageLoader)
        let url = try serve(40)
        try await expectOneCompletion(manager, url) { _ = try serve(50) }
    }

    @Test func storedInMemoryOnlyByTheContext() async throws {
        let url = try serve(40)
        let context: WebImageContext = [
            .storeCacheType: ImageCacheType.memory, .originalStoreCacheType: ImageCacheType.none,
        ]
        try await expectOneCompletion(journey.manager, url, context) { _ = try serve(50) }
    }

    @Test func noStore() async throws {
        let url = try serve(40, ["Cache-Control": "no-store"])
        try await expectOneCompletion(journey.manager, url) { _ = try serve(50, ["Cache-Control": "no-store"]) }
    }

    /// A manager of several caches sends the validators that one of its caches has.
    @Test(arguments: [1, 2]) func severalCaches(count: Int) async throws {
        let caches = (0..<count).map { ImageCache(namespace: "\($0)", diskCacheDirectory: journey.folder.path) }
        let group = ImageCachesManager(caches: caches)
        let manager = WebImageManager(cache: group, loader: journey.manager.imageLoader)
        let (small, large) = (try Journey.file(width: 40), try Journey.file(width: 50))
        let current = Locked((small, "\"1\""))
        journey.server.route(
            "/a.png",
            .dynamic { request in
                let (data, tag) = current.withLock { $0 }
                return request.headers["if-none-match"] == tag
                    ? .respond(FaultResponse(.data(Data()), status: 304)) : .body(data, headers: ["ETag": tag])
            })
        let url = journey.server.url("/a.png")
        try await expectOneCompletion(manager, url) {
            #expect(journey.server.requests.dropFirst().allSatisfy { $0.headers["if-none-match"] == "\"1\"" })
            current.withLock { $0 = (large, "\"2\"") }
        }
        for cache in caches { cache.clearMemory() }
        try await #expect(completions(manager, url).map(\.width) == [50])
    }

    // MARK: Failures

    static let failures: [(String, FaultBehaviour)] = [
        ("offline", .reset), ("503", .status(503)), ("404", .status(404)), ("empty", .body(Data())),
        ("no picture", .body(Data("nothing".utf8))),
    ]

    /// One rule for all forms: the cached image is delivered first and stays, and the failure is reported beside it.
    @Test(arguments: failures.indices, [false, true]) func failedRefreshKeepsTheImage(index: Int, isOnDisk: Bool)
        async throws
    {
        let url = try serve(40, ["ETag": "\"1\""])
        _ = try await journey.manager.image(for: url)
        await journey.cache.flush()
        journey.server.route("/a.png", Self.failures[index].1)
        func prepare() { if isOnDisk { journey.cache.clearMemory() } }
        prepare()
        let ends = try await completions(journey.manager, url)
        #expect(ends.map(\.width) == [40, 40])
        #expect(ends.map { $0.error == nil } == [true, false])
        prepare()
        try await #expect(journey.manager.image(for: url, options: .refreshCached).pixelSize.width == 40)
        prepare()
        var widths: [Int] = []
        await #expect(throws: WebImageError.self) {
            for try await event in journey.manager.events(for: url, options: .refreshCached) {
                if case .cached(let result) = event { widths.append(result.image.pixelSize.width) }
                if case .finished = event { Issue.record("a failed refresh finishes") }
            }
        }
        #expect(widths == [40])
        prepare()
        var pictures: [Int?] = []
        for await phase in journey.manager.phases(for: ImageRequest(url: url, options: .refreshCached)) {
            if case .loading = phase { continue }
            pictures.append(phase.image?.pixelSize.width)
        }
        #expect(pictures.first == .some(40))
        prepare()
        try await #expect(journey.manager.image(for: url).pixelSize.width == 40)
    }
}
