import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Tests the requirements of the acceptance list for loads over a network, with the manager, the real downloader and
/// the real caches.
@Suite(.timeLimit(minutes: 1))
struct NetworkAcceptanceTests {
    private let journey: Journey
    /// The completions of the loads. An ended load may not have called its last one yet.
    private let blocks = HeldBlocks()

    init() throws { journey = try Journey() }

    /// Records the arguments that the completion of a load receives, in order.
    private final class Heard: Sendable {
        struct End: Sendable {
            let width: Int?
            let error: WebImageError.Code?
            let cacheType: ImageCacheType
            let isFinished: Bool
        }
        private let state = Locked<[End]>([])
        var ends: [End] { state.withLock { $0 } }
        var widths: [Int?] { ends.map(\.width) }

        func completion(_ token: HeldBlocks.Token) -> WebImageInternalCompletionBlock {
            { image, _, error, cacheType, isFinished, _ in
                _ = token
                let end = End(
                    width: image?.pixelSize.width, error: error?.code, cacheType: cacheType, isFinished: isFinished)
                self.state.withLock { $0.append(end) }
            }
        }
    }

    private func load(
        _ path: String, _ options: WebImageOptions = [], context: WebImageContext = [:],
        progress: ImageLoaderProgressBlock? = nil
    ) -> (heard: Heard, operation: WebImageCombinedOperation) {
        let heard = Heard()
        var context = context
        context[.callbackQueue] = CallbackQueue.invoking
        let operation: WebImageCombinedOperation = journey.manager.loadImage(
            with: journey.server.url(path), options: options, context: context, progress: progress,
            completed: heard.completion(blocks.token()))
        return (heard, operation)
    }

    private func waitUntilIdle() async {
        #expect(await eventually { !journey.manager.isRunning && blocks.isEmpty })
    }

    /// Returns a behaviour that responds with an image and its entity tag, or with 304 if the request has that tag.
    private func tagged(width: Int, tag: String, fields: [String: String] = [:]) throws -> FaultBehaviour {
        let file = try Journey.file(width: width)
        return .dynamic { request in
            if request.headers["if-none-match"] == tag {
                return .respond(FaultResponse(.data(Data()), status: 304, headers: fields))
            }
            return .body(file, headers: fields.merging(["ETag": tag]) { own, _ in own })
        }
    }

    @Test(.tags(.r2, .l7))
    func refreshFollowsHTTPCacheControl() async throws {
        journey.server.route("/a.png", try tagged(width: 40, tag: "\"1\""))
        _ = try await journey.manager.image(for: journey.server.url("/a.png"))
        await journey.cache.flush()
        let unchanged = load("/a.png", .refreshCached).heard
        await waitUntilIdle()
        #expect(unchanged.widths == [40] && unchanged.ends[0].cacheType != .none)
        #expect(journey.server.requests.last?.headers["if-none-match"] == "\"1\"")
        journey.server.route("/a.png", try tagged(width: 50, tag: "\"2\"", fields: ["Cache-Control": "max-age=3600"]))
        let changed = load("/a.png", .refreshCached).heard
        await waitUntilIdle()
        #expect(changed.widths == [40, 50])
        #expect(changed.ends.map(\.cacheType).last == ImageCacheType.none)
        await journey.cache.flush()
        // While the entry is fresh, the server receives no request.
        let count = journey.server.requests.count
        let fresh = load("/a.png", .refreshCached).heard
        await waitUntilIdle()
        #expect(fresh.widths == [50])
        #expect(journey.server.requests.count == count)
    }

    @Test(.tags(.r2))
    func rotatedSignatureIsRevalidated() async throws {
        let manager = journey.manager
        manager.cacheKeyFilter = WebImageCacheKeyFilter { url in
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            parts?.query = nil
            return parts?.string
        }
        journey.server.route("/a.png", try tagged(width: 40, tag: "\"1\""))
        _ = try await manager.image(for: journey.server.url("/a.png?signature=1"))
        #expect(try await manager.result(for: journey.server.url("/a.png?signature=2")).cacheType == .memory)
        await journey.cache.flush()
        let heard = load("/a.png?signature=3", .refreshCached).heard
        await waitUntilIdle()
        #expect(heard.widths == [40])
        #expect(journey.server.requests.map(\.query) == ["signature=1", "signature=3"])
        #expect(journey.server.requests.last?.headers["if-none-match"] == "\"1\"")
    }

    /// The built-in operation with a counter. The counter contains the number of started operations.
    private final class CountingOperation: WebImageDownloaderOperation, @unchecked Sendable {
        // Unchecked is safe because the class has no stored properties.
        static let starts = Locked(0)
        override func start(_ sink: any WebImageDownloaderSink) {
            Self.starts.withLock { $0 += 1 }
            super.start(sink)
        }
    }

    @Test(.tags(.x1))
    func customOperationClassPerformsTheDownload() async throws {
        journey.downloader.config.operationClass = CountingOperation.self
        let gate = FaultGate()
        journey.server.route("/a.png", .gated(gate, .body(try Journey.file())))
        #expect(load("/a.png").heard.ends.isEmpty)
        gate.open()
        await waitUntilIdle()
        #expect(CountingOperation.starts.withLock { $0 } == 1)
    }

    /// A custom loader for its own URL scheme. It decodes with the helper that the package provides for custom loaders.
    private struct DrawingLoader: ImageLoader {
        let file: Data
        var capabilities: LoaderCapabilities { LoaderCapabilities(schemes: ["drawing"], returnsImages: true) }
        func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            let image = try ImageLoaderDecoding.image(
                from: file, url: load.url, options: load.options, context: load.context)
            return ImageDataResult(image: image, data: file, url: load.url)
        }
    }

    @Test(.tags(.x11))
    func loadersAreChosenByURL() async throws {
        let loaders = ImageLoadersManager(loaders: [
            journey.downloader, DrawingLoader(file: try Journey.file(width: 60)),
        ])
        let manager = WebImageManager(cache: journey.cache, loader: loaders)
        journey.server.route("/a.png", .body(try Journey.file()))
        let drawing = try #require(URL(string: "drawing:one"))
        #expect(try await manager.image(for: drawing).pixelSize.width == 60)
        let size = CGSize(width: 30, height: 30)
        #expect(try await manager.image(for: drawing, context: [.imageThumbnailPixelSize: size]).pixelSize.width == 30)
        #expect(try await manager.image(for: journey.server.url("/a.png")).pixelSize.width == 40)
        let nobodys = try #require(URL(string: "unknown:one"))
        await #expect(throws: WebImageError.self) { try await manager.image(for: nobodys) }
    }

    @Test(.tags(.v14))
    func loadOutsideAViewReportsProgressAndOrigin() async throws {
        journey.server.route("/a.png", .body(try Journey.file()))
        let context: WebImageContext = [
            .imageTransformer: ImageResizingTransformer(
                size: CGSize(width: 10, height: 10), scaleMode: .fill)
        ]
        let progress = Locked<[[Int]]>([])
        let first = load("/a.png", context: context) { received, expected, _ in
            progress.withLock { $0.append([received, expected]) }
        }.heard
        await waitUntilIdle()
        let count = try Journey.file().count
        #expect(progress.withLock { $0.last } == [count, count])
        #expect(first.widths == [10] && first.ends[0].cacheType == .none && first.ends[0].isFinished)
        #expect(load("/a.png", context: context).heard.ends.map(\.cacheType) == [.memory])
        journey.cache.config.shouldUseWeakMemoryCache = false
        journey.cache.clearMemory()
        let third = load("/a.png", context: context).heard
        await waitUntilIdle()
        #expect(third.ends.map(\.cacheType) == [.disk])
        let missing = journey.server.url("/missing.png")
        await #expect { try await journey.manager.image(for: missing) } throws: {
            ($0 as? WebImageError)?.stage == .download
        }
        journey.server.route("/broken.png", .body(Data("no picture".utf8)))
        await #expect { try await journey.manager.image(for: journey.server.url("/broken.png")) } throws: {
            ($0 as? WebImageError)?.stage == .decode
        }
    }

    @Test(.tags(.l1))
    func progressiveLoadDeliversPartialPictures() async throws {
        var options = EncodingOptions()
        options.quality = 0.9
        let file = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 400, height: 400), format: .png, options: options)
        var response = FaultResponse(.data(file), headers: ["Content-Type": "image/png"])
        response.piece = max(file.count / 8, 1)
        response.lastPiece = FaultGate()
        journey.server.route("/a.png", .respond(response))
        let heard = load("/a.png", .progressiveLoad).heard
        #expect(await eventually { !heard.ends.isEmpty })
        response.lastPiece?.open()
        await waitUntilIdle()
        #expect(heard.ends.last?.isFinished == true && heard.ends.last?.width == 400)
        #expect(heard.ends.count > 1)
        #expect(heard.ends.dropLast().allSatisfy { !$0.isFinished && $0.width == 400 && $0.error == nil })
        let plain = load("/a.png?2").heard
        await waitUntilIdle()
        #expect(plain.ends.count == 1)
    }

    @Test(.tags(.l1))
    func cookiesAreSentWhenAsked() async throws {
        journey.server.route("/a.png", .body(try Journey.file(), headers: ["Set-Cookie": "id=7; Path=/"]))
        for (query, options) in [("1", WebImageOptions.handleCookies), ("2", .handleCookies), ("3", [])] {
            _ = try await journey.manager.image(for: journey.server.url("/a.png?\(query)"), options: options)
        }
        #expect(journey.server.requests.map { $0.headers["cookie"] } == [nil, "id=7", nil])
    }

    @Test(
        .tags(.l1),
        .enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"))
    func invalidCertificatesAreAcceptedWhenAsked() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try Journey.file().write(to: nginx.root.appendingPathComponent("a.png"))
        let url = nginx.secureURL("/a.png")
        await #expect(throws: WebImageError.self) { try await journey.manager.image(for: url) }
        #expect(
            try await journey.manager.image(for: url, options: .allowInvalidSSLCertificates).pixelSize.width == 40)
        // The image is not delivered to a load that requires a valid certificate.
        await #expect(throws: WebImageError.self) { try await journey.manager.image(for: url) }
    }

    @Test(.tags(.l1))
    func memoryOnlyLeavesNothingOnDisk() async throws {
        let file = try Journey.file()
        let memoryOnly: WebImageContext = [
            .storeCacheType: ImageCacheType.memory, .originalStoreCacheType: ImageCacheType.none,
        ]
        let cases: [(path: String, context: WebImageContext, isOnDisk: Bool)] = [
            ("/a.png", memoryOnly, false), ("/b.png", [:], true),
        ]
        for (path, context, isOnDisk) in cases {
            journey.server.route(path, .body(file))
            let url = journey.server.url(path)
            _ = try await journey.manager.image(for: url, options: .waitStoreCache, context: context)
            #expect(load(path).heard.ends.map(\.cacheType) == [.memory])
            await journey.cache.flush()
            #expect(journey.cache.diskImageDataExists(withKey: url.absoluteString) == isOnDisk)
        }
        #expect(journey.server.requests.count == 2)
        journey.cache.clearMemory()
        _ = try await journey.manager.image(for: journey.server.url("/a.png"))
        #expect(journey.server.requestCount("/a.png") == 2)
    }

    @Test(.tags(.l1))
    func continueInBackgroundIsTheSameLoad() async throws {
        let gate = FaultGate()
        journey.server.route("/a.png", .gated(gate, .body(try Journey.file())))
        let plain = load("/a.png").heard
        #expect(await eventually { journey.server.requests.count == 1 })
        let background = load("/a.png", .continueInBackground).heard
        let url = journey.server.url("/a.png")
        #expect(await eventually { journey.manager.subscriberCount(of: url) == 2 })
        gate.open()
        await waitUntilIdle()
        // The manager may be idle before the last completion has run, so wait for the completions.
        #expect(await eventually { plain.widths == [40] && background.widths == [40] })
        #expect(journey.server.requests.count == 1)
    }

    @Test(.tags(.l1))
    func priorityOptionsOrderWaitingDownloads() async throws {
        journey.downloader.config.maxConcurrentDownloads = 1
        let gate = FaultGate()
        let file = try Journey.file()
        journey.server.route("/first.png", .gated(gate, .body(file)))
        for path in ["/low.png", "/normal.png", "/high.png"] { journey.server.route(path, .body(file)) }
        _ = load("/first.png")
        #expect(await eventually { journey.server.requests.count == 1 })
        for (path, options) in [
            ("/low.png", WebImageOptions.lowPriority), ("/normal.png", []), ("/high.png", .highPriority),
        ] {
            let before = journey.downloader.currentDownloadCount
            _ = load(path, options)
            #expect(await eventually { journey.downloader.currentDownloadCount == before + 1 })
        }
        gate.open()
        await waitUntilIdle()
        #expect(journey.server.requests.map(\.path) == ["/first.png", "/high.png", "/normal.png", "/low.png"])
    }

    @Test(.tags(.l1))
    func failedURLIsLoadedAgainOnRequest() async throws {
        let url = journey.server.url("/a.png")
        for code in [WebImageError.Code.invalidDownloadStatusCode, .blackListed] {
            await #expect { try await journey.manager.image(for: url) } throws: { ($0 as? WebImageError)?.code == code }
        }
        journey.server.route("/a.png", .body(try Journey.file()))
        #expect(try await journey.manager.image(for: url, options: .retryFailed).pixelSize.width == 40)
        // The successful load removes the recorded failure for all loads.
        #expect(try await journey.manager.image(for: url).pixelSize.width == 40)
    }

    @Test(.tags(.l5))
    func cancelStopsTheDownload() async throws {
        journey.server.route("/a.png", .hang)
        let one = load("/a.png")
        #expect(await eventually { journey.server.concurrentRequests == 1 })
        #expect(journey.manager.isRunning)
        one.operation.cancel()
        #expect(one.heard.ends.map(\.error) == [.cancelled])
        #expect(await eventually { journey.server.concurrentRequests == 0 })
        let others = (0..<5).map { load("/a.png?\($0)").heard }
        #expect(await eventually { journey.server.concurrentRequests == 5 })
        journey.manager.cancelAll()
        #expect(await eventually { others.allSatisfy { $0.ends.map(\.error) == [.cancelled] } })
        #expect(await eventually { journey.server.concurrentRequests == 0 && !journey.manager.isRunning })
    }

    @Test(.tags(.l10))
    func prefetcherLoadsAndStops() async throws {
        let file = try Journey.file()
        for number in 0..<10 { journey.server.route("/\(number).png", .body(file)) }
        let prefetcher = WebImagePrefetcher(imageManager: journey.manager)
        let urls = (0..<10).map { journey.server.url("/\($0).png") } + [journey.server.url("/missing.png")]
        let progress = Locked<[Int]>([])
        let end = await prefetcher.prefetch(urls, context: [.callbackQueue: CallbackQueue.invoking]) { finished, _ in
            progress.withLock { $0.append(finished) }
        }
        #expect(end == (11, 1))
        #expect(progress.withLock { $0 } == Array(1...11))
        #expect(load("/3.png").heard.ends.map(\.cacheType) == [.memory])
        journey.server.route("/hang.png", .hang)
        let token = prefetcher.prefetchURLs([journey.server.url("/hang.png")])
        #expect(await eventually { journey.server.concurrentRequests == 1 })
        token?.cancel()
        #expect(await eventually { journey.server.concurrentRequests == 0 })
    }

    @Test(.tags(.l10))
    func joiningAPrefetchRaisesItsPriority() async throws {
        journey.downloader.config.maxConcurrentDownloads = 1
        let gate = FaultGate()
        let file = try Journey.file()
        journey.server.route("/first.png", .gated(gate, .body(file)))
        for number in 0..<5 { journey.server.route("/\(number).png", .body(file)) }
        _ = load("/first.png")
        #expect(await eventually { journey.server.requests.count == 1 })
        let prefetcher = WebImagePrefetcher(imageManager: journey.manager)
        prefetcher.maxConcurrentPrefetchCount = 5
        prefetcher.prefetchURLs((0..<5).map { journey.server.url("/\($0).png") })
        #expect(await eventually { journey.downloader.currentDownloadCount == 6 })
        let visible = load("/4.png").heard
        let url = journey.server.url("/4.png")
        #expect(await eventually { journey.manager.subscriberCount(of: url) == 2 })
        gate.open()
        #expect(await eventually { visible.ends.count == 1 })
        await waitUntilIdle()
        let order = journey.server.requests.map(\.path)
        #expect(order.prefix(2).elementsEqual(["/first.png", "/4.png"]))
    }

    @Test(
        "A large picture is decoded and stored from a mapped file, not from memory",
        .enabled(if: ProcessMemory.isMeasurable, "the address sanitizer keeps freed memory"))
    func largeBodyStaysOutOfMemory() async throws {
        let padded = try Journey.file(.jpeg, width: 400, height: 300) + Data(count: 60 << 20)
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytesInMemory = 1 << 20
        config.bodyFolder = journey.folder.appendingPathComponent("bodies").path
        journey.downloader.config = config
        journey.server.route("/a.jpg", .body(padded, type: "image/jpeg"))
        let before = try #require(ProcessMemory.anonymousBytes)
        let peak = Locked(before)
        let image = try await journey.manager.image(for: journey.server.url("/a.jpg")) { _, _, _ in
            peak.withLock { $0 = max($0, ProcessMemory.anonymousBytes ?? .max) }
        }
        peak.withLock { $0 = max($0, ProcessMemory.anonymousBytes ?? .max) }
        await journey.cache.flush()
        peak.withLock { $0 = max($0, ProcessMemory.anonymousBytes ?? .max) }
        #expect(image.pixelSize.width == 400)
        #expect(peak.withLock { $0 } - before < 24 << 20, "\(peak.withLock { $0 } - before) bytes")
        #expect(await journey.cache.diskUsage().byteCount >= padded.count)
    }
}
