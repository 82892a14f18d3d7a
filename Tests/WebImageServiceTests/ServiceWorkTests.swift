import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests shared work, stale results, failures and the limits under load.
@Suite(.timeLimit(minutes: 2))
struct ServiceWorkTests {
    private static let refused = WebImageError(
        .transport, stage: .download, underlying: .curl(code: 7, message: "connection refused"))

    @Test func manyRequestsForFewResultsProcessEachOnce() async throws {
        let bench = try ServiceBench { ($0.maxRequests, $0.queue, $0.queuePerHost) = (100_000, 200, 200) }
        // Every source has different bytes, because equal sources would share their decode.
        for index in 0..<100 {
            let picture = try PictureFixtures.png(20 + index, 8) { _, _ in PictureFixtures.red }
            bench.server.answer("http://example.com/\(index).png", picture)
        }
        bench.server.close()
        let responses = await bench.many(10_000, results: 100) {
            "/_/w:9/f:png/plain/http://example.com/\($0 % 100).png"
        }
        #expect(responses.count == 10_000 && responses.allSatisfy { $0.status == 200 })
        let outcomes = Dictionary(grouping: responses, by: \.logEntry.outcome).mapValues(\.count)
        #expect(responses.count { $0.logEntry.stages[.decode] != nil } == 100, "\(outcomes)")
        #expect(responses.count { $0.logEntry.stages[.encode] != nil } == 100)
        #expect(bench.server.fetchCount == 100)
        #expect(bench.service.provider.limiter.requestCount == 0 && bench.service.provider.limiter.workCount == 0)
    }

    /// Concurrent requests share one fetch and one decode even if the source's `Cache-Control` forbids storing.
    @Test(arguments: ["max-age=600", "no-store", "private", "max-age=0"])
    func sizesOfOneSourceAtOnceShareItsFetchAndItsDecode(cacheControl: String) async throws {
        let bench = try ServiceBench { ($0.maxRequests, $0.sourceCacheBytes) = (100_000, 0) }
        bench.server.answer(
            ServiceBench.url, try PictureFixtures.quadrants(), ["cache-control": cacheControl])
        bench.server.close()
        let responses = await bench.many(1000, results: 10) { "/_/w:\($0 % 10 + 1)/f:png/plain/\(ServiceBench.url)" }
        #expect(responses.count == 1000 && responses.allSatisfy { $0.status == 200 })
        #expect(responses.count { $0.logEntry.stages[.decode] != nil } == 1)
        #expect(bench.server.fetchCount == 1)
        // The shared bytes are released when the requests end. A later request must fetch again unless the source is
        // fresh.
        bench.server.answer(ServiceBench.url, try PictureFixtures.png(8, 8) { _, _ in PictureFixtures.red })
        _ = await bench.picture("w:3/f:png")
        #expect(bench.server.fetchCount == (cacheControl == "max-age=600" ? 1 : 2))
    }

    @Test func fetchStartedBeforeAPurgeIsNotStored() async throws {
        let bench = try ServiceBench { $0.purgeTokens = ["t"] }
        bench.server.close()
        let old = Task { await bench.picture("w:8/f:png") }
        #expect(await eventually { bench.server.fetchCount == 1 })
        let purge = ServiceRequest(
            method: "POST", target: "/purge?source=http:%2F%2Fexample.com%2Fphoto.png",
            headers: ["Authorization": "Bearer t"])
        #expect(await bench.service.respondToOperator(purge).status == 200)
        let new = Task { await bench.picture("w:8/f:png") }
        #expect(await eventually { bench.server.fetchCount == 2 })
        bench.server.open()
        #expect(await old.value.status == 200)
        #expect(await new.value.status == 200)
    }

    @Test func valuesAreKeptForTheRequestsOfTheirTimeAlone() async throws {
        let order = RequestOrder()
        let runs = Locked(0)
        let works = CoalescedWork<String, Int>(order: order, budget: 10) { $0 }
        @Sendable func value(_ key: String, _ request: UInt64, _ cost: Int = 4) async throws -> Int {
            try await works.value(for: key, of: request) { _ throws(WebImageError) in
                runs.withLock { $0 += 1 }
                return cost
            }
        }
        var first: RequestOrder.Ticket? = order.begin()
        var second: RequestOrder.Ticket? = order.begin()
        let (one, two) = (first!.number, second!.number)
        _ = try await value("a", one)
        _ = try await value("a", two)
        #expect(runs.withLock { $0 } == 1)
        // A request that is accepted after the end of the work starts new work. A request that was accepted before the
        // end of the work can use the value.
        let late = order.begin()
        _ = try await value("a", late.number)
        _ = try await value("a", one)
        #expect(runs.withLock { $0 } == 2 && works.keptCount == 1)
        // If the values exceed the budget, the oldest value is evicted. The newest value stays, even if its cost is
        // larger than the budget.
        _ = try await value("b", one)
        _ = try await value("c", one)
        #expect(works.keptCount == 2)
        _ = try await value("d", one, 100)
        #expect(works.keptCount == 1)
        first = nil
        second = nil
        #expect(works.keptCount == 1)
        withExtendedLifetime(late) {}
        _ = consume late
        #expect(works.keptCount == 0)
    }

    @Test func rememberedFailureAnswersRequestsUntilItExpires() async throws {
        let bench = try ServiceBench { $0.maxRequests = 100_000 }
        bench.server.fail(ServiceBench.url, Self.refused)
        bench.server.close()
        let responses = await bench.many(500, results: 1) { _ in "/_/w:9/plain/\(ServiceBench.url)" }
        #expect(responses.allSatisfy { $0.status == 502 })
        #expect(bench.server.fetchCount == 1)
    }

    @Test func staleResultIsReturnedWhileItIsRenewed() async throws {
        let bench = try ServiceBench { ($0.ttl, $0.staleWhileRevalidate) = (10, 60) }
        let first = await bench.picture("f:png/w:8")
        bench.server.answer(ServiceBench.url, try PictureFixtures.png(8, 8) { _, _ in PictureFixtures.red })
        bench.clock.advance(by: .seconds(20))
        let stale = await bench.picture("f:png/w:8")
        #expect(stale.logEntry.outcome == .stale && stale.data == first.data && stale.headers["Age"] == "20")
        #expect(stale.headers["Cache-Control"]?.contains("no-cache") == true)
        await bench.service.provider.background.finish()
        let renewed = await bench.picture("f:png/w:8")
        #expect(renewed.logEntry.outcome == .memory && renewed.data != first.data && renewed.headers["Age"] == "0")
        #expect(bench.server.fetchCount == 2)
    }

    @Test func anUnchangedSourceIsNotDecodedAgain() async throws {
        let bench = try ServiceBench { ($0.ttl, $0.staleWhileRevalidate) = (10, 0) }
        let first = await bench.picture()
        #expect(first.logEntry.stages[.decode] != nil)
        bench.clock.advance(by: .seconds(20))
        let second = await bench.picture()
        #expect(second.logEntry.stages[.decode] == nil && second.logEntry.stages[.fetch] != nil)
        #expect(second.headers["ETag"] == first.headers["ETag"] && second.headers["Age"] == "0")
        #expect(bench.server.fetchCount == 2)
    }

    @Test func staleResultIsReturnedWhenTheSourceFails() async throws {
        let bench = try ServiceBench {
            ($0.ttl, $0.staleWhileRevalidate, $0.staleIfError) = (10, 0, 100)
        }
        let first = await bench.picture()
        bench.server.fail(ServiceBench.url, Self.refused)
        bench.clock.advance(by: .seconds(50))
        let stale = await bench.picture()
        #expect(stale.status == 200 && stale.logEntry.outcome == .stale && stale.data == first.data)
        bench.clock.advance(by: .seconds(100))
        #expect(await bench.picture().status == 502)
        // If the source no longer exists, or its server refuses it, the response is an error and not a stale result.
        for (status, answer) in [(404, 404), (410, 404), (401, 502), (403, 502), (451, 502), (429, 200), (503, 200)] {
            let gone = try ServiceBench { ($0.ttl, $0.staleWhileRevalidate) = (10, 0) }
            _ = await gone.picture()
            gone.server.fail(
                ServiceBench.url,
                WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: status)))
            gone.clock.advance(by: .seconds(50))
            #expect(await gone.picture().status == answer, "\(status)")
            // Also when the failure is remembered.
            #expect(await gone.picture().status == answer, "\(status)")
        }
    }

    static let failures: [(error: WebImageError, status: Int, reason: String)] = [
        (
            WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 404)), 404,
            "upstreamStatus"
        ),
        (
            WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 410)), 404,
            "upstreamStatus"
        ),
        (
            WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 403)), 502,
            "upstreamStatus"
        ),
        (
            WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 503)), 502,
            "upstreamStatus"
        ),
        (refused, 502, "upstream"),
        (
            WebImageError(.transport, stage: .download, underlying: .curl(code: 28, message: "late")), 504,
            "upstreamTimeout"
        ),
        (WebImageError(.invalidDownloadOperation, stage: .download), 403, "source"),
        (WebImageError(.invalidDownloadContentType, stage: .download), 415, "notPicture"),
        (WebImageError.limit(.bodyBytes, actual: 9, allowed: 1), 413, "limit"),
        (WebImageError(.outOfMemory, stage: .decode), 503, "queue"),
    ]

    @Test(arguments: failures) func failuresHaveTheirStatusAndAreRememberedForAWhile(
        row: (error: WebImageError, status: Int, reason: String)
    ) async throws {
        let bench = try ServiceBench { $0.negativeTTL = 10 }
        bench.server.fail(ServiceBench.url, row.error)
        let first = await bench.picture()
        #expect(first.status == row.status && first.logEntry.reason == row.reason && first.logEntry.outcome == .refused)
        let isRemembered = row.status != 503
        #expect(first.headers["Cache-Control"] == (isRemembered ? "public, max-age=10" : "no-store"))
        bench.clock.advance(by: .seconds(5))
        let second = await bench.picture()
        #expect(second.status == row.status && second.logEntry.outcome == (isRemembered ? .negative : .refused))
        #expect(bench.server.fetchCount == (isRemembered ? 1 : 2))
        bench.clock.advance(by: .seconds(6))
        bench.server.answer(ServiceBench.url, try PictureFixtures.quadrants())
        #expect(await bench.picture().status == 200)
    }

    @Test func undecodableSourceIs415AndOversizedSourceIs413() async throws {
        let bench = try ServiceBench { ($0.maxSourceBytes, $0.maxSourceMegapixels) = (2000, 1) }
        bench.server.answer("http://a/text", Data("<html>".utf8))
        #expect(await bench.get("/_/w:1/plain/http://a/text").status == 415)
        bench.server.answer("http://a/long", Data(count: 3000))
        #expect(await bench.get("/_/w:1/plain/http://a/long").status == 413)
        bench.server.answer("http://a/cut", try PictureFixtures.quadrants().prefix(40))
        #expect(await bench.get("/_/w:1/plain/http://a/cut").status == 415)
        // Change the image header, so that it declares 50,000 × 50,000 px.
        var bomb = Array(try PictureFixtures.quadrants())
        bomb.replaceSubrange(16..<24, with: [0, 0, 0xC3, 0x50, 0, 0, 0xC3, 0x50])
        bench.server.answer("http://a/bomb", Data(bomb))
        let status = await bench.get("/_/w:1/plain/http://a/bomb").status
        #expect(status == 413 || status == 415)
        #expect(await bench.picture("mrd:2/f:png").status == 200)
        #expect(await bench.picture("msr:2").status == 400)
        #expect(await bench.picture("el:1/rs:force:8000:8000/f:png").status == 413)
    }

    @Test func fullQueueRefusesAtOnceAndCoalescedRequestsUseNoSlot() async throws {
        let bench = try ServiceBench { $0.queue = 1 }
        bench.server.close()
        let first = Task { await bench.picture("w:10") }
        #expect(await eventually { bench.service.provider.limiter.workCount == 1 })
        let joiner = Task { await bench.picture("w:10") }
        #expect(await eventually { bench.service.provider.limiter.requestCount == 2 })
        let refused = await bench.picture("w:11")
        #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
        #expect(refused.headers["Cache-Control"] == "no-store" && refused.logEntry.reason == "queue")
        bench.server.open()
        #expect(await first.value.status == 200)
        #expect(await joiner.value.status == 200)
        // The service does not cache the refusal.
        #expect(await bench.picture("w:11").status == 200)
    }

    /// All requests of a short burst are admitted and wait. If jobs are waiting for 100 ms without interruption, the
    /// service is overloaded. It then admits a request only while fewer than eight results are in progress.
    @Test func onlyAQueueThatStandsRefuses() {
        var (limits, queue) = (WorkLimiter.Limits(), StandingQueue())
        (limits.queueWait, limits.worksUnderOverload) = (.milliseconds(100), 8)
        func admits(_ works: Int, waiting: Int = 1, at milliseconds: Int) -> Bool {
            queue.admits(waitingJobs: waiting, works: works, at: .milliseconds(milliseconds), limits)
        }
        #expect(admits(60, at: 0) && admits(60, at: 99))
        #expect(!admits(60, at: 100) && !admits(8, at: 9_000))
        #expect(admits(7, at: 9_000) && !admits(8, at: 9_000))
        // A request that finds no waiting job shows that the overload is over.
        #expect(admits(60, waiting: 0, at: 10_000) && admits(60, at: 10_000))
        #expect(!admits(60, at: 11_000))
        // 30 results a second: 60 of them are made within two seconds of the eight that a request has.
        (limits.deadline, queue.ended) = (.seconds(8), 30)
        #expect(admits(60, at: 11_000) && admits(119, at: 11_000) && !admits(120, at: 11_000))
        // Later results were made more slowly.
        #expect(admits(23, at: 15_000) && !admits(60, at: 15_000))
    }

    /// The pictures of most pages have one origin, and a browser does not ask again for a picture that was refused.
    @Test(arguments: [40, 200]) func pageOfNewPicturesFromOneOriginIsAnswered(count: Int) async throws {
        let origin = try FaultServer()
        defer { origin.stop() }
        let folder = try ScratchFolder()
        let photo = try PictureFixtures.encoded(
            try Image.generated(width: 600, height: 400) { x, y in (UInt8(x % 256), UInt8(y % 256), 90, 255) }, .jpeg)
        origin.routeOthers(.body(photo, headers: ["Cache-Control": "max-age=600"]))
        let service = try ImageService(
            configuration: .with {
                ($0.cacheFolder, $0.allowedAddresses) = (folder.url.path, ["127.0.0.0/8"])
                // A busy machine needs longer; the deadline is not what is tested.
                ($0.decodeTimeout, $0.queueWait) = (120, 1_500)
            })
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask {
                    let url = origin.url("/\(number).jpg").absoluteString
                    return await service.respond(
                        to: ServiceRequest(
                            target: "/_/w:100/plain/\(url)", headers: ["Accept": "image/webp"], client: "192.0.2.1")
                    ).status
                }
            }
            return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: count])
        await service.shutdown()
    }

    @Test func overloadRefusesNewResultsAndStartsNoAVIF() async throws {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [ImageAVIFCoder.shared])
        let bench = try ServiceBench(coders: coders) { $0.offersAVIF = true }
        _ = await bench.picture("w:9/f:png")
        let (pool, gate) = (DecodePool.shared, DispatchSemaphore(value: 0))
        // The job of the first picture may still run; the last gate would then be counted as a waiting job.
        #expect(await eventually { pool.runningCount == 0 })
        defer { for _ in 0..<pool.width { gate.signal() } }
        for _ in 0..<pool.width { pool.submit { gate.wait() } }
        #expect(await eventually { pool.runningCount == pool.width })
        // Jobs of low priority do not count as waiting jobs, because they do not delay a request.
        for _ in 0..<(8 * pool.width) { pool.submit(priority: .low) {} }
        let first = Task { await bench.picture("w:10/f:png") }
        #expect(await eventually { pool.waitingCountWithoutLow == 1 })
        let second = Task { await bench.picture("w:11/f:png") }
        #expect(await eventually { pool.waitingCountWithoutLow == 2 })
        // When jobs have waited for 150 ms, the service is overloaded. The requests are no longer a short burst.
        bench.clock.advance(by: .milliseconds(150))
        let others = (2..<(5 * pool.width)).map { side in Task { await bench.picture("w:\(20 + side)/f:png") } }
        #expect(await eventually { bench.service.provider.limiter.workCount == 5 * pool.width })
        // An admitted request has fetched its source when its job waits.
        #expect(await eventually { pool.waitingCountWithoutLow == 5 * pool.width })
        let fetches = bench.server.fetchCount
        let refused = await bench.picture("w:12", ["Accept": "image/avif,image/webp"])
        #expect(refused.status == 503 && refused.logEntry.reason == "queue" && refused.headers["Retry-After"] == "1")
        #expect(bench.server.fetchCount == fetches && bench.service.provider.limiter.workCount == 5 * pool.width)
        // The service still responds to requests that start no decode. Such requests are for a result in memory, for a
        // result that is already in progress, or for the unchanged source.
        #expect(await bench.picture("w:9/f:png").logEntry.outcome == .memory)
        let joiner = Task { await bench.picture("w:10/f:png") }
        #expect(await eventually { bench.service.provider.subscriberCount == 5 * pool.width + 1 })
        #expect(await bench.picture("raw:1").status == 200)
        for _ in 0..<pool.width { gate.signal() }
        #expect(await first.value.status == 200)
        #expect(await second.value.status == 200)
        #expect(await joiner.value.logEntry.outcome == .joined)
        for other in others { #expect(await other.value.status == 200) }
        #expect(await eventually { pool.waitingCount == 0 })
        #expect(await bench.picture("w:12/f:png").status == 200)
    }

    @Test func fetchesWaitWhileTooManySourcesAreInMemory() async throws {
        let bench = try ServiceBench()
        // Decoders ignore the bytes after the picture.
        let source = try PictureFixtures.quadrants() + Data(count: 4 << 20)
        for index in 0..<9 { bench.server.answer("http://example.com/\(index)", source) }
        let (pool, gate) = (DecodePool.shared, DispatchSemaphore(value: 0))
        for _ in 0..<pool.width { pool.submit { gate.wait() } }
        #expect(await eventually { pool.runningCount == pool.width })
        let most = 2 * pool.width
        let provider = bench.service.provider
        var tasks: [Task<ServiceResponse, Never>] = []
        for index in 0..<(most + 4) {
            tasks.append(Task { await bench.get("/_/w:\(index + 1)/f:png/plain/http://example.com/\(index % 9)") })
            guard index < most else { continue }
            #expect(await eventually { provider.sources.byteCount == (index + 1) * source.count })
        }
        #expect(await eventually { provider.sources.waitingCount == 4 })
        #expect(bench.server.fetchCount == min(most, 9))
        tasks[most].cancel()
        #expect(await eventually { provider.sources.waitingCount == 3 })
        for _ in 0..<pool.width { gate.signal() }
        for (index, task) in tasks.enumerated() { #expect(await task.value.status == (index == most ? 499 : 200)) }
        #expect(await eventually { provider.sources.byteCount == 0 })
    }

    /// When a place is released, at most two waiting fetches begin, so that the number of bytes stays near the limit.
    /// The same is true if the fetch with this place failed and has no bytes.
    @Test func freedSlotAdmitsTwoFetches() async throws {
        let budget = SourceBudget(limit: 10)
        var first: SourceBudget.Reservation? = try await budget.reserve()
        first?.count(10)
        let reservations = Locked<[SourceBudget.Reservation]>([])
        var tasks: [Task<Void, any Error>] = []
        for number in 1...5 {
            tasks.append(
                Task {
                    let reservation = try await budget.reserve()
                    reservations.withLock { $0.append(reservation) }
                })
            #expect(await eventually { budget.waitingCount == number })
        }
        tasks[0].cancel()
        await #expect(throws: WebImageError.self) { try await tasks[0].value }
        first = nil
        #expect(await eventually { reservations.withLock { $0.count } == 2 })
        #expect(budget.waitingCount == 2 && budget.byteCount == 0)
        // Release a reservation without bytes. A fetch that failed has such a reservation.
        _ = reservations.withLock { $0.removeFirst() }
        for task in tasks.dropFirst() { try await task.value }
        #expect(reservations.withLock { $0.count } == 3 && budget.waitingCount == 0)
        withExtendedLifetime(first) {}
    }

    @Test func clientsAndHostsHaveSeparateLimits() async throws {
        let bench = try ServiceBench { ($0.maxRequestsPerClient, $0.queuePerHost) = (1, 1) }
        bench.server.close()
        let target = "/_/w:10/plain/\(ServiceBench.url)"
        let first = Task { await bench.get(target, client: "2001:db8:1:2::1") }
        #expect(await eventually { bench.service.provider.limiter.workCount == 1 })
        let other = await bench.get("/_/w:9/plain/\(ServiceBench.url)", client: "2001:db8:1:2:ffff::9")
        #expect(other.status == 429 && other.headers["Retry-After"] != nil)
        #expect(await bench.get("/_/w:9/plain/\(ServiceBench.url)", client: "2001:db8:1:3::1").status == 503)
        let elsewhere = Task { await bench.get("/_/w:9/plain/http://other.example/a", client: "192.0.2.1") }
        #expect(await eventually { bench.service.provider.limiter.workCount == 2 })
        bench.server.open()
        #expect(await first.value.status == 200)
        #expect(await elsewhere.value.status == 404)
        #expect(WorkLimiter.clientKey("::ffff:192.0.2.1") == WorkLimiter.clientKey("192.0.2.1"))
        #expect(WorkLimiter.clientKey("2001:db8::1") != WorkLimiter.clientKey("2001:db8:0:1::1"))
    }

    @Test func disconnectedClientCancelsWorkWithoutOtherSubscribers() async throws {
        let bench = try ServiceBench()
        bench.server.close()
        let alone = Task { await bench.picture("w:10") }
        #expect(await eventually { bench.server.fetchCount == 1 })
        alone.cancel()
        let gone = await alone.value
        #expect(gone.status == 499)
        #expect(await eventually { bench.server.cancelCount == 1 })
        let first = Task { await bench.picture("w:11") }
        #expect(await eventually { bench.server.fetchCount == 2 })
        let second = Task { await bench.picture("w:11") }
        #expect(await eventually { bench.service.provider.subscriberCount == 2 })
        first.cancel()
        #expect(await first.value.status == 499)
        bench.server.open()
        #expect(await second.value.status == 200)
        #expect(bench.server.cancelCount == 1)
    }

    @Test func fallbackImageIsReturnedForFailedSources() async throws {
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("fallback.png")
        try PictureFixtures.png(30, 30) { _, _ in PictureFixtures.blue }.write(to: path)
        let bench = try ServiceBench { ($0.fallback, $0.fallbackStatus) = (path.path, 0) }
        bench.server.fail(ServiceBench.url, Self.refused)
        let response = await bench.picture("w:10/f:png")
        #expect(response.status == 502 && response.logEntry.reason == "upstream")
        #expect(response.headers["Content-Type"] == "image/png")
        #expect(await bench.get("/_/w:x/plain/\(ServiceBench.url)").status == 400)
    }

    @Test func aPurgeReachesAllSizesOrOneTarget() async throws {
        let bench = try ServiceBench { $0.purgeTokens = ["secret-token"] }
        for width in [10, 20] { _ = await bench.picture("w:\(width)") }
        func purge(_ query: String, _ token: String = "Bearer secret-token") async -> Int {
            await bench.service.respondToOperator(
                ServiceRequest(method: "POST", target: "/purge?\(query)", headers: ["Authorization": token])
            ).status
        }
        #expect(await purge("source=x", "Bearer wrong") == 401)
        #expect(await purge("source=x", "") == 401)
        #expect(await purge("nothing=1") == 400)
        #expect(await bench.picture("w:10").logEntry.outcome == .memory)
        #expect(await purge("target=%2F_%2Fw:10%2Fplain%2Fhttp:%2F%2Fexample.com%2Fphoto.png") == 200)
        #expect(await bench.picture("w:10").logEntry.outcome == .made)
        #expect(await bench.picture("w:20").logEntry.outcome == .memory)
        #expect(await purge("source=http:%2F%2Fexample.com%2Fphoto.png") == 200)
        #expect(await bench.picture("w:10").logEntry.outcome == .made)
        #expect(await bench.picture("w:20").logEntry.outcome == .made)
    }
}
