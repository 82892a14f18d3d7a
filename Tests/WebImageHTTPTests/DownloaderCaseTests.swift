import Foundation
import Testing
import WebImageCompatibility
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests the cases of SDWebImage's downloader tests that no other suite covers. The comment at each test names
/// the test of SDWebImage. Every server listens on the loopback interface.
@Suite(.timeLimit(minutes: 1))
struct DownloaderCaseTests {
    private let coder = FakeCoder()
    private var context: WebImageContext { [.callbackQueue: CallbackQueue.invoking, .imageCoder: coder] }

    private struct Completion: Sendable {
        let image: Image?
        let data: Data?
        let error: WebImageError?
    }

    private func complete(
        _ downloader: WebImageDownloader, _ url: URL?, options: WebImageDownloaderOptions = [],
        context: WebImageContext? = nil
    ) async throws -> Completion {
        let ends = Collected<Completion>()
        downloader.downloadImage(with: url, options: options, context: context ?? self.context) {
            image, data, error, finished in
            if finished { ends.append(Completion(image: image, data: data, error: error)) }
        }
        try await eventually("completed") { !ends.values.isEmpty }
        return ends.values[0]
    }

    @Test func sharedIsASingleton() {  // SDWebImageDownloaderTests.test01ThatSharedDownloaderIsNotEqualToInitDownloader
        let own = WebImageDownloader()
        #expect(own !== WebImageDownloader.shared)
        own.invalidateSessionAndCancel(true)
        WebImageDownloader.shared.invalidateSessionAndCancel(true)
        #expect(WebImageDownloader.shared.currentDownloadCount == 0)
    }

    @Test func acceptsPictures() {  // SDWebImageDownloaderTests.test02ThatByDefaultDownloaderSetsTheAcceptHTTPHeader
        #expect(WebImageDownloader().value(forHTTPHeaderField: "Accept") == "image/*,*/*;q=0.8")
    }

    @Test func headerFieldsAreStored() {  // SDWebImageDownloaderTests.test03ThatSetAndGetValueForHTTPHeaderFieldWork
        let downloader = WebImageDownloader()
        downloader.setValue("Tests", forHTTPHeaderField: "AppName")
        #expect(downloader.value(forHTTPHeaderField: "AppName") == "Tests")
        downloader.setValue(nil, forHTTPHeaderField: "AppName")
        #expect(downloader.value(forHTTPHeaderField: "AppName") == nil)
    }

    // SDWebImageDownloaderTests.test04ThatASimpleDownloadWorks
    // SDWebImageDownloaderTests.test13ThatDownloadCanContinueWhenTheAppEntersBackground
    // SDWebImageDownloaderTests.test14ThatPNGWorks
    @Test(arguments: [WebImageDownloaderOptions(), .continueInBackground, .highPriority])
    func pictureIsDownloaded(options: WebImageDownloaderOptions) async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(FakeCoder.file()))
            let end = try await complete(downloader, server.url("/a"), options: options)
            #expect(end.image?.pixelSize == PixelSize(width: 4, height: 3))
            #expect(end.data == FakeCoder.file())
            #expect(end.error == nil)
        }
    }

    @Test func maximumIsStored() {  // SDWebImageDownloaderTests.test05ThatSetAndGetMaxConcurrentDownloadsWorks
        let downloader = WebImageDownloader()
        downloader.config.maxConcurrentDownloads = 3
        #expect(downloader.config.maxConcurrentDownloads == 3)
    }

    @Test  // SDWebImageDownloaderTests.test07ThatDownloadImageWithNilURLCallsCompletionWithNils
    func nilURLIsInvalid() async throws {
        try await withDownloader { _, downloader in
            let end = try await complete(downloader, nil)
            #expect(end.image == nil)
            #expect(end.data == nil)
            #expect(end.error?.code == .invalidURL)
        }
    }

    @Test func challengeIsAnswered() async throws {  // SDWebImageDownloaderTests.test08ThatAHTTPAuthDownloadWorks
        var config = WebImageDownloaderConfig.default
        (config.username, config.password) = ("httpwatch", "httpwatch01")
        try await withDownloader(config) { server, downloader in
            server.route(
                "/a",
                .dynamic { request in
                    request.headers["authorization"] == nil
                        ? .body(Data("no".utf8), status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                        : .body(FakeCoder.file())
                })
            try await #expect(complete(downloader, server.url("/a")).image != nil)
        }
    }

    /// A progressive coder that decodes an image from any bytes. One instance must decode all partial images of a
    /// download. The class therefore records the instances that decode partial images.
    private final class PartialCoder: ProgressiveImageCoder {
        static let instances = Locked<Set<ObjectIdentifier>>([])
        private let isReady = Locked(false)
        init() {}
        init(incremental options: DecodingOptions) {}
        func canIncrementalDecode(from start: Data) -> Bool { true }
        func update(_ data: Data, finished: Bool) { isReady.withLock { $0 = true } }
        func incrementalImage(options: DecodingOptions?) -> Image? {
            _ = Self.instances.withLock { $0.insert(ObjectIdentifier(self)) }
            return isReady.withLock { $0 } ? try? TestImages.solid() : nil
        }
        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image { try TestImages.solid() }
    }

    // SDWebImageDownloaderTests.test09ThatProgressiveJPEGWorks
    // SDWebImageDownloaderTests.test18ThatProgressiveGIFWorks
    // SDWebImageDownloaderTests.test19ThatProgressiveAPNGWorks
    @Test  // SDWebImageDownloaderTests.test28ProgressiveDownloadShouldUseSameCoder
    func oneCoderDecodesPartialImagesAndTheFinalImage() async throws {
        PartialCoder.instances.withLock { $0 = [] }
        try await withDownloader { server, downloader in
            // Each partial image lets the next piece be sent. Partial images that come too fast are left out.
            var response = FaultResponse(.zeros(10_000))
            response.piece = 1000
            let gates = [FaultGate(), FaultGate()]
            (response.pieceGates[1], response.pieceGates[2]) = (gates[0], gates[1])
            server.route("/a", .respond(response))
            let calls = Collected<Bool>()
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking, .imageCoder: PartialCoder()]
            downloader.downloadImage(with: server.url("/a"), options: .progressiveLoad, context: context) {
                image, data, error, finished in
                #expect(image != nil)
                #expect(error == nil)
                #expect((data != nil) == finished)
                #expect(image?.isIncremental == !finished)
                calls.append(finished)
                if calls.values.count <= 2 { gates[calls.values.count - 1].open() }
            }
            try await eventually("finished") { calls.values.last == true }
            #expect(calls.values.count > 2)
            #expect(calls.values.count { $0 } == 1)
            #expect(PartialCoder.instances.withLock { $0.count } == 1)
        }
    }

    /// With a queue that runs blocks in place, two decode threads may have a partial image and the final image at the same
    /// time. The call with the final image begins after the partial call has returned.
    @Test func finalImageIsDeliveredAfterAPartialCallThatTakesLong() async throws {
        try await withDownloader { server, downloader in
            let (gate, release) = (FaultGate(), DispatchSemaphore(value: 0))
            var response = FaultResponse(.zeros(10_000))
            (response.firstPiece, response.lastPiece) = (5000, gate)
            server.route("/a", .respond(response))
            let (calls, hasBegun) = (Collected<Bool>(), Locked(false))
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking, .imageCoder: PartialCoder()]
            downloader.downloadImage(with: server.url("/a"), options: .progressiveLoad, context: context) {
                _, _, _, finished in
                let isFirst = hasBegun.withLock { isBegun in
                    defer { isBegun = true }
                    return !isBegun
                }
                if isFirst { release.wait() }
                calls.append(finished)
            }
            try await eventually("a partial call runs") { hasBegun.withLock { $0 } }
            gate.open()
            try await eventually("the body has arrived") { server.concurrentRequests == 0 }
            let isEarly = await eventually(within: 0.3) { !calls.values.isEmpty }
            release.signal()
            #expect(!isEarly, "the final image is delivered while the partial call runs")
            try await eventually("finished") { calls.values.last == true }
            #expect(calls.values.count { $0 } == 1 && calls.values.first == false)
        }
    }

    @Test  // SDWebImageDownloaderTests.test10That404CaseCallsCompletionWithError
    func missingPictureFailsWithItsStatus() async throws {
        try await withDownloader { server, downloader in
            let end = try await complete(downloader, server.url("/missing"))
            #expect(end.image == nil)
            #expect(end.data == nil)
            #expect(end.error?.code == .invalidDownloadStatusCode)
            #expect(end.error?.underlying == .http(status: 404))
        }
    }

    // SDWebImageDownloaderTests.test11ThatCancelWorks
    @Test  // SDWebImageDownloaderTests.test21ThatCancelingDownloadThenRequestingAgainWorks
    func cancelEndsTheDownloadAndLowersTheCount() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(FakeCoder.file())))
            let errors = Collected<WebImageError?>()
            let token = downloader.downloadImage(with: server.url("/a"), context: context) { _, _, error, _ in
                errors.append(error)
            }
            #expect(downloader.currentDownloadCount == 1)
            token?.cancel()
            #expect(errors.values.map { $0?.code } == [.cancelled])
            #expect(downloader.currentDownloadCount == 0)
            gate.open()
            try await #expect(complete(downloader, server.url("/a")).image != nil)
            #expect(errors.values.count == 1)
        }
    }

    @Test func cancelAllEndsEveryLoad() async throws {  // SDWebImageDownloaderTests.test11ThatCancelAllDownloadWorks
        try await withDownloader { server, downloader in
            server.route("/a", .hang)
            downloader.downloadImage(with: server.url("/a"), completed: nil)
            #expect(downloader.currentDownloadCount == 1)
            downloader.cancelAllDownloads()
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    @Test func lastInIsFirstOut() async throws {  // SDWebImageDownloaderTests.test15DownloaderLIFOExecutionOrder
        var config = WebImageDownloaderConfig.default
        (config.executionOrder, config.maxConcurrentDownloads) = (.lifo, 1)
        try await withDownloader(config) { server, downloader in
            let order = Collected<Int>()
            func submit(_ numbers: ClosedRange<Int>) {
                for number in numbers {
                    downloader.downloadImage(with: server.url("/\(number)"), context: context) { _, _, _, _ in
                        order.append(number)
                    }
                }
            }
            let (first, seventh) = (FaultGate(), FaultGate())
            for number in 1...14 { server.route("/\(number)", .body(FakeCoder.file())) }
            server.route("/1", .gated(first, .body(FakeCoder.file())))
            server.route("/7", .gated(seventh, .body(FakeCoder.file())))
            submit(1...7)
            first.open()
            try await eventually("download 7 runs") { server.requestCount("/7") == 1 }
            submit(8...14)
            seventh.open()
            try await eventually("all ended") { order.values.count == 14 }
            let expected = [1, 7, 14, 13, 12, 11, 10, 9, 8, 6, 5, 4, 3, 2]
            #expect(server.requests.map(\.path) == expected.map { "/\($0)" })
        }
    }

    @Test  // SDWebImageDownloaderTests.test20ThatDownloadingSameURLTwiceAndCancellingFirstWorks
    func cancellingOneOfTwoKeepsTheOther() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(FakeCoder.file())))
            let ends = Collected<(Int, WebImageError?)>()
            let tokens = [1, 2].map { number in
                downloader.downloadImage(with: server.url("/a"), context: context) { _, _, error, _ in
                    ends.append((number, error))
                }
            }
            #expect(tokens.allSatisfy { $0 != nil })
            tokens[0]?.cancel()
            gate.open()
            try await eventually("both ended") { ends.values.count == 2 }
            #expect(ends.values.map(\.0) == [1, 2])
            #expect(ends.values.map { $0.1?.code } == [.cancelled, nil])
        }
    }

    @Test func metricsCountFromTheStart() async throws {  // SDWebImageDownloaderTests.test26DownloadURLSessionMetrics
        try await withDownloader { server, downloader in
            server.route("/a", .body(FakeCoder.file()))
            let ended = Collected<Bool>()
            let token = downloader.downloadImage(with: server.url("/a"), context: context) { _, _, _, _ in
                ended.append(true)
            }
            try await eventually("ended") { !ended.values.isEmpty }
            let metrics = try #require(token?.metrics)
            #expect(metrics.connect > .zero)
            #expect(metrics.total >= metrics.firstByte)
            #expect(!metrics.isReusedConnection)
        }
    }

    @Test  // SDWebImageDownloaderTests.test27DownloadShouldCallbackWhenURLSessionRunning
    func managersCancelIsCancelled() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .hang)
            let manager = WebImageManager(cache: FakeImageCache(), loader: downloader)
            let errors = Collected<WebImageError?>()
            let operation = manager.loadImage(with: server.url("/a"), context: context) { _, _, error, _, _, _ in
                errors.append(error)
            }
            try await eventually("running") { server.concurrentRequests == 1 }
            operation.cancel()
            #expect(errors.values.map { $0?.code } == [.cancelled])
            try await eventually("closed") { server.concurrentRequests == 0 }
        }
    }

    @Test  // SDWebImageDownloaderTests.test29AcceptableStatusCodeAndContentType
    func unacceptableStatusAndTypeAreNamed() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(FakeCoder.file(), type: "image/jpeg"))
            downloader.config.acceptableStatusCodes = IndexSet(integer: 1)
            let ended = Collected<WebImageError?>()
            var token = downloader.downloadImage(with: server.url("/a"), context: context) { _, _, error, _ in
                ended.append(error)
            }
            try await eventually("ended") { ended.values.count == 1 }
            #expect(token?.response?.statusCode == 200)
            downloader.config.acceptableStatusCodes = nil
            downloader.config.acceptableContentTypes = ["application/json"]
            token = downloader.downloadImage(with: server.url("/a"), context: context) { _, _, error, _ in
                ended.append(error)
            }
            try await eventually("ended") { ended.values.count == 2 }
            #expect(token?.response?.mimeType == "image/jpeg")
            #expect(ended.values.map { $0?.code } == [.invalidDownloadStatusCode, .invalidDownloadContentType])
        }
    }

    @Test  // SDWebImageDownloaderTests.test30ThatDifferentThumbnailLoadShouldCallbackDifferentSize
    func eachOfTenThumbnailsHasItsSize() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(FakeCoder.file(width: 251, height: 251))))
            let sizes = Collected<[Int]>()
            for side in 240..<250 {
                var context = context
                context[.imageThumbnailPixelSize] = CGSize(width: side, height: side)
                downloader.downloadImage(with: server.url("/a"), context: context) { image, _, _, _ in
                    sizes.append([side, image?.pixelSize.width ?? 0, image?.pixelSize.height ?? 0])
                }
            }
            gate.open()
            try await eventually("all ended") { sizes.values.count == 10 }
            #expect(sizes.values.allSatisfy { $0[1] == $0[0] && $0[2] == $0[0] })
            #expect(server.requests.count == 1)
        }
    }

    @Test  // SDWebImageDownloaderTests.test31ThatMultipleRequestForSameURLNeverSkipCallback
    func noneOfManyRequestsIsSkipped() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(FakeCoder.file()))
            let images = Collected<Bool>()
            for number in 0...200 {
                downloader.downloadImage(with: server.url("/a"), context: context) { image, _, _, _ in
                    images.append(image != nil)
                }
                // Wait after every tenth request until most earlier requests have ended. Then some requests join
                // a running download, and other requests start a new download.
                if number.isMultiple(of: 10) {
                    try await eventually("most ended") { images.values.count >= number - 10 }
                }
            }
            try await eventually("all ended") { images.values.count == 201 }
            #expect(images.values.allSatisfy { $0 })
        }
    }

    @Test  // SDWebImageDownloaderTests.test31ThatMultipleRequestForSameURLFailedCallback
    func emptyBodiesAllFail() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data()))
            let codes = Collected<WebImageError.Code?>()
            for _ in 0...10 {
                downloader.downloadImage(with: server.url("/a"), context: context) { _, _, error, _ in
                    codes.append(error?.code)
                }
            }
            try await eventually("all ended") { codes.values.count == 11 }
            #expect(codes.values.allSatisfy { $0 == .badImageData })
        }
    }

    @Test  // SDWebImageDownloaderTests.test22ThatCustomDecoderWorksForImageDownload
    func customCoderDecodes() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(FakeCoder.file(width: 80, height: 60)))
            ImageCodersManager.shared.addCoder(coder)
            defer { ImageCodersManager.shared.removeCoder(coder) }
            let end = try await complete(
                downloader, server.url("/a"), context: [.callbackQueue: CallbackQueue.invoking])
            #expect(end.image?.pixelSize == PixelSize(width: 80, height: 60))
            #expect(coder.decodeCount == 1)
        }
    }

    @Test func customLoaderServesTheManager() async throws {  // SDWebImageDownloaderTests.testCustomImageLoaderWorks
        let loader = FakeDataLoader()
        let url = try #require(URL(string: "custom:picture"))
        loader.answer(url, with: .success(FakeCoder.file()))
        #expect(loader.canLoad(ImageDataLoad(url: url)))
        #expect(!loader.shouldBlock(ImageDataLoad(url: url), after: .cancelled))
        let manager = WebImageManager(cache: FakeImageCache(), loader: loader)
        try await #expect(manager.image(for: url, context: context).pixelSize == PixelSize(width: 4, height: 3))
    }

    @Test  // SDWebImageDownloaderTests.testThatLoadersManagerWorks
    func lastAddedLoaderServesTheLoadersManager() async throws {
        let (first, last) = (FakeDataLoader(), FakeDataLoader())
        let loaders = ImageLoadersManager(loaders: [])
        loaders.addLoader(first)
        loaders.addLoader(last)
        let url = try #require(URL(string: "http://host/a.png"))
        last.answer(url, with: .success(FakeCoder.file()))
        #expect(loaders.canLoad(ImageDataLoad(url: url)))
        #expect(!loaders.shouldBlock(ImageDataLoad(url: url), after: .cancelled))
        try await #expect(loaders.loadData(for: ImageDataLoad(url: url), progress: nil).data == FakeCoder.file())
        #expect(first.requests.isEmpty)
        loaders.removeLoader(last)
        #expect(loaders.loaders.count == 1)
    }

    @Test func notificationsReportTheStatesOfADownload() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(FakeCoder.file()))
            let names: [Notification.Name] = [
                .webImageDownloadStart, .webImageDownloadReceiveResponse, .webImageDownloadStop,
                .webImageDownloadFinish,
            ]
            let url = server.url("/a")
            let seen = Collected<Notification.Name>()
            let observers = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let operation = notification.object as? any WebImageDownloaderOperationProtocol
                    if operation?.request.url == url { seen.append(name) }
                }
            }
            defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
            _ = try await complete(downloader, url)
            try await eventually("all notifications are posted") { seen.values.count == 4 }
            #expect(seen.values == names)
        }
    }

    // A program that counts the running downloads by their notifications must not count one beyond the limit.
    @Test func nextStartIsPostedAfterTheEndAndTheCompletion() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        try await withDownloader(config) { server, downloader in
            let urls = ["/a", "/b"].map { server.url($0) }
            for path in ["/a", "/b"] { server.route(path, .body(FakeCoder.file())) }
            let seen = Collected<String>()
            let names: [Notification.Name] = [.webImageDownloadStart, .webImageDownloadStop, .webImageDownloadFinish]
            let observers = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let operation = notification.object as? any WebImageDownloaderOperationProtocol
                    guard let url = operation?.request.url, urls.contains(url) else { return }
                    seen.append(name.rawValue.dropFirst(18).dropLast(12) + " " + url.lastPathComponent)
                }
            }
            defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
            await withMainQueueBlocked {
                for url in urls {
                    downloader.downloadImage(with: url, context: [.imageCoder: coder]) { _, _, _, finished in
                        if finished { seen.append("completion " + url.lastPathComponent) }
                    }
                }
                // The main queue runs nothing before both downloads are over.
                for _ in 0..<60_000 where server.requests.count < 2 || downloader.currentDownloadCount > 0 {
                    usleep(1000)
                }
            }
            try await eventually("both are over") { seen.values.count == 8 }
            #expect(
                seen.values == [
                    "Start a", "Stop a", "Finish a", "completion a", "Start b", "Stop b", "Finish b", "completion b",
                ])
        }
    }

    @MainActor private func withMainQueueBlocked(_ body: () -> Void) { body() }

    @Test func invalidatedDownloaderEndsRunningDownloadsAndRefusesNewOnes() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("running") { server.concurrentRequests == 1 }
            downloader.invalidateSessionAndCancel(false)
            gate.open()
            try await #expect(task.value.data == Data("a".utf8))
            try await #expect(downloader.failure(server.url("/b")).code == .invalidDownloadOperation)
        }
    }
}
