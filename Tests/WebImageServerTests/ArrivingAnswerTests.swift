import Foundation
import Testing
import WebImageCore
import WebImageServerTesting
import WebImageTestSupport
import WebImageTesting

@testable import WebImageServer
@testable import WebImageService

/// An origin, a service and a server in one process. The service stores its sources on the disk.
private struct ArrivalBench {
    let origin: FaultServer
    let service: ImageService
    let server: HTTPServer
    let configuration: ServiceConfiguration
    private let folder: ScratchFolder

    static let path = "/picture.png"

    /// A PNG file by its head. Nothing decodes it.
    static func picture(_ count: Int, seed: UInt64 = 1) -> Data {
        var random = SeededRandom(seed: seed)
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        data += Data("IHDR".utf8) + Data([0, 0, 4, 0, 0, 0, 4, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0])
        data += Data("IDAT".utf8)
        while data.count < count {
            withUnsafeBytes(of: random.next()) { data.append(contentsOf: $0) }
        }
        return data.prefix(count)
    }

    init(
        _ limits: HTTPServerConfiguration = HTTPServerConfiguration(), answered: HTTPServer.Observer? = nil,
        configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws {
        (origin, folder) = (try FaultServer(), try ScratchFolder())
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = folder.url.path
        configuration.allowedAddresses = ["127.0.0.0/8"]
        configuration.purgeTokens = ["word"]
        // Otherwise a fetch that nothing ends would end in time for the tests.
        (configuration.sourceTimeout, configuration.sourceDeadline) = (120, 120)
        configure(&configuration)
        self.configuration = configuration
        let service = try ImageService(configuration: configuration)
        self.service = service
        server = try HTTPServer(
            listening: [.network(host: "127.0.0.1", port: 0)], configuration: limits, answered: answered,
            respondImmediately: { service.respondFromMemory(to: $0) }, respond: { await service.respond(to: $0) })
    }

    func stop() async throws {
        await server.stop(within: .zero)
        await service.shutdown()
        origin.stop()
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
    }

    var target: String { target(Self.path) }

    func target(_ path: String) -> String { "/_/raw:1/plain/\(origin.url(path).absoluteString)" }

    /// Lets the origin send all bytes but the last ones. The gate releases the rest.
    func route(
        _ data: Data, isChunked: Bool = false, headers: [String: String] = [:],
        _ change: (inout FaultResponse) -> Void = { _ in }
    ) -> FaultGate {
        let gate = FaultGate()
        var response = FaultResponse(
            .data(data),
            headers: ["Content-Type": "image/png", "Cache-Control": "max-age=60", "ETag": "\"v1\""].merging(headers) {
                $1
            })
        if isChunked { response.framing = .chunked }
        (response.piece, response.lastPiece) = (16 << 10, gate)
        change(&response)
        origin.route(Self.path, .respond(response))
        return gate
    }

    func connect(
        _ request: String = "HTTP/1.1\r\nHost: a\r\n\r\n", method: String = "GET", path: String = Self.path
    ) async throws -> RawClient {
        try await onThread { [address = server.address, target = target(path)] in
            let client = try RawClient(address)
            client.send("\(method) \(target) \(request)")
            return client
        }
    }

    func metrics() async -> String {
        let response = await service.respondToOperator(ServiceRequest(target: "/metrics"))
        guard case .bytes(let text) = response.body else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    var isIdle: Bool {
        let limiter = service.provider.limiter
        return limiter.requestCount == 0 && limiter.workCount == 0
    }
}

/// Reads the head of an answer and more than half of its body.
private func beginning(of client: RawClient) throws {
    #expect(try client.head().status == 200)
    #expect(try client.body(atLeast: 60_000).count < 100_000)
}

extension HTTPServerTests {
    @Test(arguments: [false, true])
    func everyReaderReceivesBytesBeforeTheOriginHasSentItsLast(isChunked: Bool) async throws {
        let log = Locked<[String]>([])
        let bench = try ArrivalBench(answered: { _, response in
            log.withLock { $0.append("\(response.status) \(response.body.count)") }
        })
        let picture = ArrivalBench.picture(100_000)
        let gate = bench.route(picture, isChunked: isChunked)
        var clients: [RawClient] = []
        for _ in 0..<3 {
            let client = try await bench.connect()
            clients.append(client)
            // All that the origin has sent, as complete chunks.
            let (head, bytes) = try await onThread {
                let head = try client.head()
                return (head, try client.body(atLeast: 6 * (16 << 10)))
            }
            #expect(head.status == 200 && head.fields["etag"] == "\"v1\"" && head.fields["content-type"] == "image/png")
            #expect(head.fields["content-length"] == (isChunked ? nil : "100000"))
            #expect(head.fields["transfer-encoding"] == (isChunked ? "chunked" : nil))
            #expect(head.fields["cache-control"] == "public, max-age=60, stale-while-revalidate=60")
            #expect(bytes == picture.prefix(bytes.count) && bytes.count < picture.count)
        }
        #expect(log.withLock { $0 } == [])
        gate.open()
        for client in clients {
            try await onThread {
                #expect(try client.rest() == picture)
                // The connection stays usable, and the stored source is the same representation.
                let again = try client.get(bench.target)
                #expect(again.body == picture && again.fields["etag"] == "\"v1\"")
                #expect(try client.get(bench.target, further: "If-None-Match: \"v1\"\r\n").status == 304)
                let part = try client.get(bench.target, further: "Range: bytes=99990-\r\nIf-Range: \"v1\"\r\n")
                #expect(part.status == 206 && part.body == picture.suffix(10))
            }
        }
        #expect(bench.origin.requestCount(ArrivalBench.path) == 1)
        #expect(log.withLock { $0.prefix(3) } == ["200 100000", "200 100000", "200 100000"])
        #expect(await eventually { bench.isIdle })
        let metrics = await bench.metrics()
        #expect(metrics.contains("webimage_sent_bytes_total 600030\n") && metrics.contains("cut_answers_total 0\n"))
        try await bench.stop()
    }

    /// A result and an untouched source share one fetch, also if the request for the result was first.
    @Test func sourceOfAResultArrivesForItsOtherReaders() async throws {
        let bench = try ArrivalBench()
        let image = try TestImages.noise(width: 150, height: 150)
        let picture = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
        let gate = bench.route(picture)
        let result = try await onThread { [address = bench.server.address, target = bench.target] in
            let client = try RawClient(address)
            client.send("GET \(target.replacing("raw:1", with: "w:10")) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(await eventually { bench.origin.requestCount(ArrivalBench.path) == 1 })
        let client = try await bench.connect()
        try await onThread {
            _ = try client.head()
            #expect(try client.body(atLeast: 30_000).count < picture.count)
            gate.open()
            #expect(try client.rest() == picture)
            #expect(try result.answer().status == 200)
        }
        #expect(bench.origin.requestCount(ArrivalBench.path) == 1)
        try await bench.stop()
    }

    /// The transfer belongs to all its readers: it survives the first one, and ends with the last one.
    @Test func transferEndsWithItsLastReader() async throws {
        let bench = try ArrivalBench()
        let picture = ArrivalBench.picture(4_000_000)
        var gate = bench.route(picture)
        var leader: RawClient? = try await bench.connect()
        try await onThread { [leader] in _ = try leader?.head() }
        let joiner = try await bench.connect()
        try await onThread { _ = try joiner.head() }
        leader?.resetsWhenClosed()
        leader = nil
        #expect(await eventually { bench.server.statistics.openConnections == 1 })
        gate.open()
        #expect(try await onThread { try joiner.rest() } == picture)
        #expect(bench.origin.requestCount(ArrivalBench.path) == 1)

        // Sources that must not be stored.
        gate = bench.route(picture, headers: ["Cache-Control": "no-store", "ETag": "\"v2\""])
        #expect(
            await bench.service.respondToOperator(
                ServiceRequest(
                    method: "POST", target: "/purge?source=\(bench.origin.url(ArrivalBench.path).absoluteString)",
                    headers: ["Authorization": "Bearer word"])
            ).status == 200)
        var readers = [try await bench.connect(), try await bench.connect()]
        for reader in readers {
            #expect(try await onThread { try reader.head().fields["etag"] } == "\"v2\"")
        }
        #expect(bench.origin.concurrentRequests == 1)
        for reader in readers { reader.resetsWhenClosed() }
        readers.removeFirst()
        #expect(await eventually { bench.server.statistics.openConnections == 2 })
        #expect(bench.origin.concurrentRequests == 1)
        readers = []
        #expect(await eventually { bench.origin.concurrentRequests == 0 && bench.isIdle })
        #expect(await bench.metrics().contains("cut_answers_total 3\n"))
        gate.open()
        try await bench.stop()
    }

    /// Readers that take nothing delay no other reader, need no memory of their own, and are cut after `send-timeout`.
    @Test func slowReadersAreBoundedInTimeAndBytes() async throws {
        var limits = HTTPServerConfiguration()
        limits.sendTimeout = .seconds(2)
        let bench = try ArrivalBench(limits)
        let picture = ArrivalBench.picture(24 << 20)
        let gate = bench.route(picture)
        let before = ProcessMemory.anonymousBytes ?? 0
        var slow: [RawClient] = []
        for _ in 0..<20 {
            let client = try await bench.connect()
            slow.append(client)
            #expect(try await onThread { try client.head().status } == 200)
        }
        // The last one: while it waited for the others it would read nothing either.
        let leader = try await bench.connect()
        #expect(try await onThread { try leader.head().status } == 200)
        let received = try await onThread { try leader.body(atLeast: picture.count - (16 << 10) - 1).count }
        #expect(received >= 23 << 20)
        if ProcessMemory.isMeasurable {
            #expect((ProcessMemory.anonymousBytes ?? 0) - before < 100 << 20)
        }
        gate.open()
        #expect(try await onThread { try leader.rest() } == picture)
        #expect(await eventually { bench.server.statistics.sendTimeouts == 20 })
        #expect(await eventually { bench.isIdle && bench.server.statistics.openConnections == 1 })
        #expect(bench.origin.requestCount(ArrivalBench.path) == 1)
        try await bench.stop()
    }

    /// No client takes half a picture for a whole one, and none stays in a cache.
    @Test(arguments: [false, true])
    func originThatBreaksCutsItsReaders(isChunked: Bool) async throws {
        let log = Locked<[ServiceLogEntry]>([])
        let bench = try ArrivalBench(answered: { _, response in log.withLock { $0.append(response.logEntry) } }) {
            $0.negativeTTL = 0
        }
        let picture = ArrivalBench.picture(100_000)
        func `break`() -> FaultGate {
            bench.route(picture, isChunked: isChunked) {
                $0.closeAfter = 80_000
                if !isChunked { $0.framing = .claimedLength(100_000) }
            }
        }
        let gate = `break`()
        let clients = [try await bench.connect(), try await bench.connect()]
        // A client that does not know chunks receives an error instead of the whole.
        let old = try await bench.connect("HTTP/1.0\r\n\r\n")
        for client in clients { try await onThread { try beginning(of: client) } }
        // The third client has no byte yet. It must have joined as well.
        #expect(await eventually { bench.service.provider.fetcher.subscriberCount == 3 })
        gate.open()
        for client in clients {
            try await onThread {
                #expect(throws: RawClient.Failure.self) { try client.rest() }
                #expect(client.isEnded())
            }
        }
        try await onThread {
            let head = try old.head()
            #expect(head.status == (isChunked ? 502 : 200))
            if isChunked { return }
            #expect(throws: RawClient.Failure.self) { try old.body(atLeast: 100_000) }
        }
        #expect(bench.origin.requestCount(ArrivalBench.path) == 1)
        #expect(await eventually { log.withLock { $0.count { $0.reason == "cut" } } == (isChunked ? 2 : 3) })
        #expect(
            log.withLock { $0.first { $0.reason == "cut" }?.message } == "the source's server cannot be reached")
        // No cache has the part, and the picture is whole when the origin works again.
        bench.route(picture, isChunked: isChunked).open()
        let again = try await bench.connect()
        #expect(try await onThread { try again.answer().body } == picture)
        #expect(bench.origin.requestCount(ArrivalBench.path) == 2)
        try await bench.stop()
    }

    @Test(arguments: [false, true])
    func tooLongSourceIsRefusedBeforeItsFirstByteOrCut(isChunked: Bool) async throws {
        // The last bytes cross the limit.
        let bench = try ArrivalBench(configure: { $0.maxSourceBytes = 99_000 })
        let gate = bench.route(ArrivalBench.picture(100_000), isChunked: isChunked)
        let client = try await bench.connect()
        #expect(try await onThread { try client.head().status } == (isChunked ? 200 : 413))
        gate.open()
        if isChunked {
            try await onThread { _ = #expect(throws: RawClient.Failure.self) { try client.body(atLeast: 99_001) } }
        }
        #expect(await eventually { bench.isIdle })
        try await bench.stop()
    }

    /// The format is known before the end, and so is a redirect to another host.
    @Test func refusedSourceIsRefusedBeforeItHasArrived() async throws {
        let bench = try ArrivalBench(configure: {
            ($0.sourceFormats, $0.allowedSources) = (["jpg", "png"], ["http://127.0.0.1:*/"])
        })
        let picture = ArrivalBench.picture(100_000)
        func status(_ data: Data) async throws -> Int {
            let gate = bench.route(data)
            let client = try await bench.connect()
            let status = try await onThread { try client.answer().status }
            #expect(await eventually { bench.isIdle && bench.origin.concurrentRequests == 0 })
            gate.open()
            return status
        }
        #expect(try await status(Data("GIF89a".utf8) + picture) == 415)
        // The bytes of an unknown format are searched to their end.
        let gate = bench.route(Data("text".utf8) + picture)
        gate.open()
        let client = try await bench.connect()
        #expect(try await onThread { try client.answer().status } == 415)
        try await bench.stop()
    }

    /// Neither the time for a picture nor the time of a client that reads nothing ends an answer whose source is slow. The
    /// deadline of the fetch does.
    @Test(arguments: [false, true])
    func onlyTheDeadlineOfTheFetchEndsASlowAnswer(isInTime: Bool) async throws {
        let log = Locked<[ServiceLogEntry]>([])
        var limits = HTTPServerConfiguration()
        limits.sendTimeout = .seconds(1)
        let bench = try ArrivalBench(limits, answered: { _, response in log.withLock { $0.append(response.logEntry) } })
        {
            ($0.decodeTimeout, $0.sourceDeadline) = (3, isInTime ? 60 : 5)
        }
        let picture = ArrivalBench.picture(100_000)
        let gate = bench.route(picture)
        let client = try await bench.connect()
        try await onThread { try beginning(of: client) }
        if isInTime {
            try await Task.sleep(for: .seconds(4.5))
            gate.open()
            #expect(try await onThread { try client.rest() } == picture)
        } else {
            try await onThread { _ = #expect(throws: RawClient.Failure.self) { try client.rest() } }
            gate.open()
        }
        #expect(await eventually { log.withLock { $0.map(\.reason) } == [isInTime ? nil : "cut"] })
        #expect(await eventually { bench.isIdle })
        try await bench.stop()
    }

    /// One permit of the host is enough for a fetch with all its readers, and it is held until the fetch ends.
    @Test func readersOfOneFetchShareItsPermit() async throws {
        let bench = try ArrivalBench(configure: { $0.queuePerHost = 1 })
        let picture = ArrivalBench.picture(100_000)
        let gate = bench.route(picture, headers: ["Cache-Control": "no-store"])
        bench.origin.route("/other.png", .body(picture, headers: ["Cache-Control": "no-store"]))
        let limiter = bench.service.provider.limiter
        var readers: [RawClient] = []
        for _ in 0..<3 {
            let client = try await bench.connect()
            try await onThread { try beginning(of: client) }
            readers.append(client)
        }
        #expect(limiter.workCount == 1)
        readers.removeFirst().resetsWhenClosed()
        #expect(await eventually { bench.server.statistics.openConnections == 2 })
        #expect(limiter.workCount == 1)
        let other = try await bench.connect(path: "/other.png")
        #expect(try await onThread { try other.answer().status } == 503)
        gate.open()
        for client in readers { #expect(try await onThread { try client.rest() } == picture) }
        #expect(await eventually { bench.isIdle })
        #expect(try await onThread { try other.get(bench.target("/other.png")).status } == 200)
        try await bench.stop()
    }

    /// A source that is stored arrives whole for the next part. Another one ends with its last part.
    @Test(arguments: [false, true])
    func partKeepsTheFetchOnlyForTheCache(isStored: Bool) async throws {
        let bench = try ArrivalBench()
        let picture = ArrivalBench.picture(4_000_000)
        let gate = bench.route(picture, headers: isStored ? [:] : ["Cache-Control": "no-store"])
        let client = try await bench.connect("HTTP/1.1\r\nHost: a\r\nRange: bytes=0-99\r\n\r\n")
        #expect(try await onThread { try client.answer().body } == picture.prefix(100))
        if isStored {
            gate.open()
            #expect(await eventually { bench.isIdle })
            let part = try await onThread { try client.get(bench.target, further: "Range: bytes=3999990-\r\n") }
            #expect(part.status == 206 && part.body == picture.suffix(10))
            #expect(bench.origin.requestCount(ArrivalBench.path) == 1)
        } else {
            #expect(await eventually { bench.origin.concurrentRequests == 0 && bench.isIdle })
            gate.open()
        }
        try await bench.stop()
    }

    /// A source below 256 bytes is sent when it is complete, and an empty one is refused.
    @Test(arguments: [0, 1, 255, 256, 257], [false, true])
    func sourceOfFewBytesIsSentWhole(count: Int, isChunked: Bool) async throws {
        let bench = try ArrivalBench()
        let picture = ArrivalBench.picture(count)
        bench.route(picture, isChunked: isChunked, headers: ["Cache-Control": "no-store"]) { $0.piece = 100 }.open()
        let client = try await bench.connect()
        try await onThread {
            let answer = try client.answer()
            #expect(answer.status == (count == 0 ? 415 : 200) && (answer.body == picture) == (count > 0))
            // The connection is still usable.
            #expect(try client.get(bench.target).body == answer.body)
        }
        try await bench.stop()
    }

    /// The redirect is known before the first byte. A request with newer settings joins no fetch from another host.
    @Test func redirectIsCheckedForEveryReader() async throws {
        let bench = try ArrivalBench(configure: { $0.allowedAddresses.append("::1/128") })
        let picture = ArrivalBench.picture(100_000)
        let gate = bench.route(picture, headers: ["Cache-Control": "no-store"])
        let other = bench.origin.url(ArrivalBench.path).absoluteString.replacing("127.0.0.1", with: "localhost")
        bench.origin.route("/moved.png", .redirect(to: other))
        let readers = [try await bench.connect(path: "/moved.png"), try await bench.connect(path: "/moved.png")]
        for client in readers { try await onThread { try beginning(of: client) } }
        var configuration = bench.configuration
        configuration.allowedSources = ["http://127.0.0.1:*/"]
        try bench.service.reload(configuration)
        let refused = try await bench.connect(path: "/moved.png")
        let direct = try await bench.connect()
        try await onThread {
            #expect(try refused.answer().status == 403)
            try beginning(of: direct)
        }
        gate.open()
        for client in readers { #expect(try await onThread { try client.rest() } == picture) }
        #expect(bench.origin.requestCount("/moved.png") == 1)
        #expect(await eventually { bench.isIdle })
        try await bench.stop()
    }

    /// A connection can end when its answer is made and not yet sent.
    @Test func answerThatCannotBeSentIsReportedAndEndsItsFetch() async throws {
        let log = Locked<[String]>([])
        let bench = try ArrivalBench(answered: { _, response in
            log.withLock { $0.append("\(response.status) \(response.body.count) \(response.logEntry.reason ?? "")") }
        })
        let gate = bench.route(ArrivalBench.picture(100_000), headers: ["Cache-Control": "no-store"])
        var request = ServiceRequest(target: bench.target)
        request.arrivingBodies = .all
        let response = await bench.service.respond(to: request)
        let reactor = try #require(HTTPReactor(HeadLimits(head: 4_096, target: 4_096)))
        #expect(reactor.post(.stop))
        bench.server.send(response, to: PendingRequest(request, connection: 1, reactor: reactor))
        #expect(log.withLock { $0 } == ["200 0 cut"])
        #expect(await eventually { bench.origin.concurrentRequests == 0 && bench.isIdle })
        gate.open()
        try await bench.stop()
    }

    @Test func conditionsAndRangesHoldWhileTheSourceArrives() async throws {
        let bench = try ArrivalBench()
        let picture = ArrivalBench.picture(100_000)
        for isChunked in [false, true] {
            let gate = bench.route(
                picture, isChunked: isChunked, headers: ["Cache-Control": "no-store", "ETag": "\"v1\""])
            func connect(_ field: String, method: String = "GET") async throws -> RawClient {
                try await bench.connect("HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n", method: method)
            }
            let part = try await connect("Range: bytes=100-199")
            let end = try await connect("Range: bytes=-50")
            let beyond = try await connect("Range: bytes=100000-")
            let other = try await connect("Range: bytes=0-9\r\nIf-Range: \"v0\"")
            let known = try await connect("If-None-Match: \"v1\"")
            let unknown = try await connect("If-None-Match: \"v0\"")
            let head = try await connect("Accept: *", method: "HEAD")
            let old = try await bench.connect("HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            if !isChunked {
                // These answers do not wait for the last byte.
                try await onThread {
                    let answer = try part.answer()
                    #expect(answer.status == 206 && answer.fields["content-range"] == "bytes 100-199/100000")
                    #expect(answer.body == picture[100..<200])
                    #expect(try beyond.answer().status == 416)
                    let head = try old.head()
                    #expect(head.fields["content-length"] == "100000" && head.fields["connection"] == "keep-alive")
                    #expect(try !old.body(atLeast: 10_000).isEmpty)
                }
            }
            try await onThread {
                let head = try unknown.head()
                #expect(try head.status == 200 && !unknown.body(atLeast: 10_000).isEmpty)
            }
            gate.open()
            try await onThread {
                #expect(try end.answer().body == picture.suffix(50))
                if isChunked {
                    #expect(try part.answer().body == picture[100..<200])
                    #expect(try beyond.answer().status == 416)
                    let answer = try old.answer()
                    #expect(answer.body == picture && answer.fields["transfer-encoding"] == nil)
                } else {
                    #expect(try old.rest() == picture)
                }
                #expect(try other.answer().body == picture)
                #expect(try unknown.rest() == picture)
                #expect(try known.answer().status == 304)
                let length = try head.answer(isHead: true)
                #expect(length.status == 200 && length.fields["content-length"] == "100000")
                #expect(try old.get(bench.target, further: "Range: bytes=0-1\r\n").body == picture.prefix(2))
            }
            #expect(await eventually { bench.isIdle })
        }
        try await bench.stop()
    }

    /// A request after a purge does not read a source whose fetch began before.
    @Test func purgeWhileASourceArrivesHoldsForLaterRequests() async throws {
        let bench = try ArrivalBench()
        let (old, new) = (ArrivalBench.picture(100_000), ArrivalBench.picture(100_000, seed: 2))
        for (purge, number) in [("source", 1), ("tag", 2)] {
            let gate = bench.route(old, headers: ["Cache-Tag": "shop", "Cache-Control": "no-store"])
            let before = bench.origin.requestCount(ArrivalBench.path)
            let first = try await bench.connect()
            try await onThread { _ = try first.head() }
            let headers = ["Cache-Tag": "shop", "Cache-Control": "no-store", "ETag": "\"v\(number + 1)\""]
            bench.route(new, headers: headers).open()
            let value = purge == "tag" ? "shop" : bench.origin.url(ArrivalBench.path).absoluteString
            let response = await bench.service.respondToOperator(
                ServiceRequest(
                    method: "POST", target: "/purge?\(purge)=\(value)", headers: ["Authorization": "Bearer word"]))
            #expect(response.status == 200)
            let second = try await bench.connect()
            // A request after a purge by tag waits for the running fetch, because the tags are those of its answer.
            if purge == "source" { #expect(try await onThread { try second.answer().body } == new) }
            gate.open()
            if purge == "tag" { #expect(try await onThread { try second.answer().body } == new) }
            #expect(try await onThread { try first.rest() } == old)
            #expect(bench.origin.requestCount(ArrivalBench.path) == before + 2)
        }
        try await bench.stop()
    }

    @Test func stopWaitsForArrivingAnswersUntilItsDeadline() async throws {
        for isInTime in [true, false] {
            let bench = try ArrivalBench()
            let picture = ArrivalBench.picture(100_000)
            let gate = bench.route(picture)
            let client = try await bench.connect()
            try await onThread { try beginning(of: client) }
            let stop = Task {
                let start = ContinuousClock.now
                await bench.server.stop(within: isInTime ? .seconds(30) : .milliseconds(100))
                return ContinuousClock.now - start
            }
            if isInTime {
                try await Task.sleep(for: .milliseconds(300))
                gate.open()
                #expect(try await onThread { try client.rest() } == picture)
            } else {
                try await onThread { _ = #expect(throws: RawClient.Failure.self) { try client.rest() } }
                gate.open()
            }
            #expect(await stop.value < Sanitizer.time(.seconds(10)))
            #expect(await eventually { bench.isIdle })
            try await bench.stop()
        }
    }

    /// A client that does not read its answer keeps the source in memory.
    @Test func arrivingAnswersUseTheMemoryForAnswers() async throws {
        let bench = try ArrivalBench(configure: { $0.maxResultMemory = 64 << 20 })
        let gate = bench.route(ArrivalBench.picture(5 << 20), headers: ["Cache-Control": "no-store"])
        var request = ServiceRequest(target: bench.target)
        request.arrivingBodies = .all
        let sending = bench.service.sending
        var answers = [await bench.service.respond(to: request), await bench.service.respond(to: request)]
        #expect(answers.map(\.status) == [200, 200])
        #expect(sending.byteCount == 5 << 20 + 2 * SendBudget.pieceBytes)
        var other: SendBudget.Hold? = try sending.hold(
            ArrivingSource(seen: 0) {}, count: 11 << 20, limit: .max, client: nil)
        #expect(await bench.service.respond(to: request).status == 503)
        #expect(other != nil)
        other = nil
        answers.removeFirst()
        #expect(sending.byteCount == 5 << 20 + SendBudget.pieceBytes && bench.origin.concurrentRequests == 1)
        answers = []
        #expect(sending.byteCount == 0)
        #expect(await eventually { bench.origin.concurrentRequests == 0 && bench.isIdle })
        gate.open()
        try await bench.stop()
    }

    /// A program without this server takes the pieces as a sequence.
    @Test func arrivingBodyIsASequence() async throws {
        let bench = try ArrivalBench()
        let picture = ArrivalBench.picture(100_000)
        let gate = bench.route(picture, headers: ["Cache-Control": "no-store"])
        func body() async throws -> ArrivingBody {
            var request = ServiceRequest(target: bench.target)
            request.arrivingBodies = .all
            let response = await bench.service.respond(to: request)
            guard case .arriving(let body) = response.body else { throw RawClient.Failure(description: "whole") }
            return body
        }
        // Without the transport's consent, an answer waits for the whole source.
        let whole = Task { await bench.service.respond(to: ServiceRequest(target: bench.target)).body.count }
        let first = try await body()
        #expect(first.byteCount == 100_000)
        var pieces = first.makeAsyncIterator()
        var bytes = try await pieces.next() ?? Data()
        #expect(!bytes.isEmpty && bytes.count < picture.count)
        let cancelled = try await body()
        let task = Task { for try await _ in cancelled {} }
        #expect(await eventually { cancelled.takenCount > 80_000 })
        task.cancel()
        await #expect(throws: WebImageError.self) { try await task.value }
        let (closed, isEnded) = (try await body(), Locked(false))
        let waiting = Task {
            defer { isEnded.withLock { $0 = true } }
            for try await _ in closed {}
        }
        #expect(await eventually { closed.takenCount > 80_000 })
        closed.close()
        #expect(await eventually { isEnded.withLock { $0 } })
        waiting.cancel()
        gate.open()
        while let piece = try await pieces.next() { bytes += piece }
        #expect(bytes == picture && first.takenCount == picture.count)
        #expect(await whole.value == picture.count)
        // An answer that is released without being sent ends its fetch.
        let unused = bench.route(picture, headers: ["Cache-Control": "no-store"])
        _ = try await body()
        #expect(await eventually { bench.origin.concurrentRequests == 0 && bench.isIdle })
        unused.open()
        try await bench.stop()
    }
}
