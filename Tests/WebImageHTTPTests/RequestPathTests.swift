import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests the request modifiers, response modifiers, decryptors and custom operation classes of the downloader.
@Suite(.timeLimit(minutes: 1))
struct RequestPathTests {
    private func load(_ url: URL, _ context: WebImageContext) -> ImageDataLoad {
        ImageDataLoad(url: url, context: context)
    }

    private func failure(_ downloader: WebImageDownloader, _ load: ImageDataLoad) async -> WebImageError? {
        do throws(WebImageError) {
            _ = try await downloader.loadData(for: load, progress: nil)
            return nil
        } catch {
            return error
        }
    }

    @Test  // SDWebImageDownloaderTests.test23ThatDownloadRequestModifierWorks
    func requestModifierChangesFieldsAndURL() async throws {
        let bare = WebImageRequest(url: URL(fileURLWithPath: "/"))
        let headers = WebImageDownloaderRequestModifier(headers: ["Biz": "Bazz"])
        #expect(headers.modifiedRequest(with: bare)?.allHTTPHeaderFields == ["Biz": "Bazz"])
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            downloader.requestModifier = WebImageDownloaderRequestModifier { request in
                guard request.url.path == "/a" else { return nil }
                var request = request
                request.setValue("Bar", forHTTPHeaderField: "Foo")
                request.url = request.url.appending(queryItems: [URLQueryItem(name: "text", value: "Hello World")])
                return request
            }
            _ = try await downloader.fetch(server.url("/a"))
            #expect(server.requests.last?.headers["foo"] == "Bar")
            #expect(server.requests.last?.query == "text=Hello%20World")
            try await #expect(downloader.failure(server.url("/b")).code == .invalidDownloadOperation)
            // A request modifier in the context of a load replaces the `requestModifier` of the downloader.
            let other = WebImageDownloaderRequestModifier(method: "POST", headers: ["X": "y"], body: Data("in".utf8))
            _ = try await downloader.loadData(
                for: load(server.url("/a"), [.downloadRequestModifier: other]), progress: nil)
            #expect(server.requests.last?.method == "POST")
            #expect(server.requests.last?.body == Data("in".utf8))
            #expect(server.requests.last?.headers["foo"] == nil)
        }
    }

    @Test  // SDWebImageDownloaderTests.test24ThatDownloadResponseModifierWorks
    func modifiedResponseIsValidatedInsteadOfTheReceivedOne() async throws {
        let notFound = WebImageResponse(url: nil, statusCode: 404, httpVersion: "HTTP/1.1")
        let headers = WebImageDownloaderResponseModifier(headers: ["Biz": "Bazz"])
        let modified = headers.modifiedResponse(with: notFound)
        #expect(modified?.allHeaderFields == ["biz": "Bazz"])
        #expect(modified?.statusCode == 200)
        let local = WebImageResponse(url: nil)
        #expect(headers.modifiedResponse(with: local) == local)
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            downloader.responseModifier = WebImageDownloaderResponseModifier(
                statusCode: 404, version: nil, headers: ["Foo": "Bar"])
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
            let errors = Collected<WebImageError?>()
            let token = downloader.downloadImage(with: server.url("/a"), context: context) { _, _, error, _ in
                errors.append(error)
            }
            try await eventually("completed") { errors.values.count == 1 }
            #expect(errors.values[0]?.code == .invalidDownloadStatusCode)
            #expect(errors.values[0]?.underlying == .http(status: 404))
            #expect(token?.response?.value(forHTTPHeaderField: "Foo") == "Bar")
            let refusing = WebImageDownloaderResponseModifier { _ in nil }
            let refused = load(server.url("/a"), [.downloadResponseModifier: refusing])
            #expect(await failure(downloader, refused)?.code == .invalidDownloadResponse)
            // A response modifier can turn an error status (404) into an accepted one (200).
            let good = WebImageDownloaderResponseModifier(statusCode: 200)
            let missing = load(server.url("/missing"), [.downloadResponseModifier: good])
            try await #expect(downloader.loadData(for: missing, progress: nil).response.statusCode == 200)
        }
    }

    @Test func decryptorReplacesTheBytes() async throws {  // SDWebImageDownloaderTests.test25ThatDownloadDecryptorWorks
        try await withDownloader { server, downloader in
            let plain = Data("picture".utf8)
            server.route("/a", .body(Data((plain.base64EncodedString() + "\n").utf8)))
            downloader.decryptor = WebImageDownloaderDecryptor.base64
            try await #expect(downloader.fetch(server.url("/a")).data == plain)
            let reversing = WebImageDownloaderDecryptor { data, response in
                response?.statusCode == 200 ? Data(data.reversed()) : nil
            }
            let reversed = load(server.url("/a"), [.downloadDecryptor: reversing])
            try await #expect(downloader.loadData(for: reversed, progress: nil).data.first == UInt8(ascii: "\n"))
            let refusing = WebImageDownloaderDecryptor { _, _ in nil }
            #expect(
                await failure(downloader, load(server.url("/a"), [.downloadDecryptor: refusing]))?.code == .badImageData
            )
        }
    }

    @Test func digestChallengeIsAnswered() async throws {
        var config = WebImageDownloaderConfig.default
        (config.username, config.password) = ("user", "secret")
        try await withDownloader(config) { server, downloader in
            server.route(
                "/a",
                .dynamic { request in
                    request.headers["authorization"]?.hasPrefix("Digest username=\"user\"") == true
                        ? .body(Data("a".utf8))
                        : .body(
                            Data("no".utf8), status: 401,
                            headers: ["WWW-Authenticate": "Digest realm=\"x\", nonce=\"abc\", qop=\"auth\""])
                })
            try await #expect(downloader.fetch(server.url("/a")).data == Data("a".utf8))
        }
    }

    /// The built-in operation with a counter for calls of `start`.
    private final class CountingOperation: WebImageDownloaderOperation, @unchecked Sendable {
        // `@unchecked Sendable` is safe, because the class adds no stored instance properties.
        static let starts = Locked(0)
        override func start(_ sink: any WebImageDownloaderSink) {
            Self.starts.withLock { $0 += 1 }
            super.start(sink)
        }
    }

    @Test  // SDWebImageDownloaderTests.test06ThatUsingACustomDownloaderOperationWorks
    func customOperationClassRunsTheTransfers() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .hang)
            downloader.config.operationClass = CountingOperation.self
            let token = downloader.downloadImage(with: server.url("/a"), completed: nil)
            try await eventually("started") { CountingOperation.starts.withLock { $0 } == 1 }
            #expect(token?.downloadOperation is CountingOperation)
            token?.cancel()
            downloader.config.operationClass = nil
            let next = downloader.downloadImage(with: server.url("/a?2"), completed: nil)
            #expect(next?.downloadOperation is WebImageDownloaderOperation)
            #expect(next?.downloadOperation is CountingOperation == false)
            next?.cancel()
        }
    }

    @Test(arguments: [false, true]) func tokenHasItsOperationBeforeTheCallReturns(_ waitsForASlot: Bool) async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/first", .gated(gate, .body(Data("1".utf8))))
            server.route("/a", .body(Data("a".utf8)))
            downloader.config.maxConcurrentDownloads = waitsForASlot ? 1 : 6
            let first = downloader.downloadImage(with: server.url("/first"), completed: nil)
            let ends = Collected<WebImageError.Code?>()
            let token = downloader.downloadImage(with: server.url("/a")) { _, _, error, _ in ends.append(error?.code) }
            let operation = try #require(token?.downloadOperation)
            #expect(operation.request.url == server.url("/a"))
            gate.open()
            try await eventually("loaded") { !ends.values.isEmpty }
            // The same operation performed the transfer.
            #expect(server.requestCount("/a") == 1 && token?.downloadOperation === operation)
            first?.cancel()
        }
    }

    @Test func cancelledDownloadCancelsTheOperationThatWaits() async throws {
        try await withDownloader { server, downloader in
            server.route("/first", .hang)
            server.route("/a", .hang)
            downloader.config.maxConcurrentDownloads = 1
            let first = downloader.downloadImage(with: server.url("/first"), completed: nil)
            let token = downloader.downloadImage(with: server.url("/a"), completed: nil)
            let operation = try #require(token?.downloadOperation)
            #expect(!operation.isCancelled)
            token?.cancel()
            try await eventually("cancelled") { operation.isCancelled }
            #expect(server.requestCount("/a") == 0)
            first?.cancel()
        }
    }

    /// The built-in operation with a record of every priority that it receives.
    private final class ListeningOperation: WebImageDownloaderOperation, @unchecked Sendable {
        // `@unchecked Sendable` is safe, because the class adds no stored instance properties.
        static let told = Collected<LoadPriority>()
        override func priorityDidChange(_ priority: LoadPriority) {
            Self.told.append(priority)
            super.priorityDidChange(priority)
        }
    }

    @Test func aRunningTransferReceivesAHigherPriority() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            downloader.config.operationClass = ListeningOperation.self
            let ahead = Task { try await downloader.fetch(server.url("/a"), priority: .low) }
            try await eventually("it runs") { server.concurrentRequests == 1 }
            let visible = Task { try await downloader.fetch(server.url("/a"), priority: .high) }
            try await eventually("the operation received the priority") { ListeningOperation.told.values.last == .high }
            visible.cancel()
            _ = await visible.result
            gate.open()
            try await #expect(ahead.value.data == Data("a".utf8))
            #expect(server.requests.count == 1)
        }
    }

    @Test func nameWithADeadAddressIsReachedByItsOtherAddress() async throws {
        try await withDownloader { server, downloader in
            // The name resolves to two addresses. No server listens at the first address (::1), so the downloader
            // must try the second address (127.0.0.1).
            downloader.config.resolvedHosts = ["dual.example:\(server.port):[::1],127.0.0.1"]
            server.route("/a", .body(Data("a".utf8)))
            let url = try #require(URL(string: "http://dual.example:\(server.port)/a"))
            try await #expect(downloader.fetch(url).data == Data("a".utf8))
        }
    }

    /// An operation that delivers a fixed body without a network and then reports two ends. The downloader
    /// must ignore the second end; otherwise the load would complete twice.
    private final class CannedOperation: WebImageDownloaderOperationProtocol {
        let request: WebImageRequest
        init(_ job: WebImageDownloaderJob) { request = job.request }
        var isCancelled: Bool { false }
        func cancel() {}
        func start(_ sink: any WebImageDownloaderSink) {
            let head = WebImageResponse(url: request.url, statusCode: 200, expectedContentLength: 4)
            _ = sink.transferDidReceive(head: head)
            _ = Data("fake".utf8).withUnsafeBytes { sink.transferDidReceive(bytes: $0) }
            sink.transferDidEnd(.success(WebImageDownloadEnd(response: head)))
            sink.transferDidEnd(.failure(.cancelled))
        }
    }

    @Test func operationThatCompletesTwiceIsDeliveredOnce() async throws {
        var config = WebImageDownloaderConfig.default
        config.operationClass = CannedOperation.self
        try await withDownloader(config) { server, downloader in
            try await #expect(downloader.fetch(server.url("/a")).data == Data("fake".utf8))
            #expect(server.connectionCount == 0)
        }
    }

    /// Records the bytes that an operation delivers, and whether the transfer succeeded. While the transfer runs, the
    /// second value is nil.
    private final class Taking: WebImageDownloaderSink {
        let state = Locked((Data(), Bool?.none))
        func transferDidReceive(head: WebImageResponse) -> WebImageError? { nil }
        func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? {
            state.withLock { $0.0.append(contentsOf: bytes) }
            return nil
        }
        func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
            state.withLock { $0.1 = (try? result.get()) != nil }
        }
    }

    @Test  // SDWebImageDownloaderTests.test12ThatWeCanUseAnotherSessionForEachDownloadOperation
    func operationWorksWithoutADownloader() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.route("/a", .body(Data("a".utf8)))
        let taking = Taking()
        let operation = WebImageDownloaderOperation(
            WebImageDownloaderJob(request: WebImageRequest(url: server.url("/a"))))
        operation.start(taking)
        try await eventually("ended") { taking.state.withLock { $0.1 } != nil }
        #expect(taking.state.withLock { $0.0 } == Data("a".utf8))
        #expect(taking.state.withLock { $0.1 } == true)
    }
}
