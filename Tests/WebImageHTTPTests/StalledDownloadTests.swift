import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests downloads from servers that stop sending or send very slowly: when they fail, and that cancelled downloads do
/// not block others.
@Suite(.timeLimit(minutes: 1))
struct StalledDownloadTests {
    /// Sends 9,500 of 10,000 bytes at once, then one byte after each interval.
    private func slow(_ interval: Duration = .milliseconds(50)) -> FaultResponse {
        var response = FaultResponse(.zeros(10_000))
        (response.piece, response.interval, response.firstPiece) = (1, interval, 9_500)
        return response
    }

    /// Starts a load that wants the body even after a cancel, and cancels it after `count` bytes.
    private func cancelledLoad(
        _ url: URL, after count: Int, _ downloader: WebImageDownloader, finished: Collected<Int> = Collected()
    ) async {
        var load = ImageDataLoad(url: url)
        load.finishedAfterCancel = { finished.append($0.data.count) }
        let hasArrived = Locked(false)
        let task = Task { [load] in
            try? await downloader.loadData(for: load) { received, _, _ in
                if received >= count { hasArrived.withLock { $0 = true } }
            }
        }
        try? await eventually("bytes have arrived") { hasArrived.withLock { $0 } }
        task.cancel()
        _ = await task.value
    }

    @Test(arguments: [false, true]) func cancelledDownloadsYieldTheirSlots(drips: Bool) async throws {
        var config = WebImageDownloaderConfig.default
        (config.maxConcurrentDownloads, config.downloadTimeout) = (2, 30)
        // The time of this clock stands still, so the grace of the cancelled downloads does not end.
        try await withDownloader(config, clock: VirtualClock()) { server, downloader in
            for path in ["/1", "/2"] {
                server.route(path, .respond(slow(drips ? .milliseconds(50) : .seconds(60))))
                await cancelledLoad(server.url(path), after: 9_500, downloader)
            }
            server.route("/next", .body(Data("next".utf8)))
            let start = ContinuousClock.now
            try await #expect(downloader.fetch(server.url("/next")).data == Data("next".utf8))
            // The cancelled downloads would end by their timeout after 30 s.
            #expect(ContinuousClock.now - start < .seconds(25))
        }
    }

    @Test func cancelledDownloadEndsAfterAShortTime() async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            server.route("/slow", .respond(slow()))
            await cancelledLoad(server.url("/slow"), after: 9_500, downloader)
            #expect(downloader.currentDownloadCount == 1)
            clock.advance(by: .seconds(3))
            #expect(downloader.currentDownloadCount == 0)
            try await eventually("the connection is closed") { server.concurrentRequests == 0 }
        }
    }

    @Test func manyMissingBytesAreNotFinished() async throws {
        try await withDownloader { server, downloader in
            let total = 20 << 20
            var response = FaultResponse(.zeros(total))
            (response.firstPiece, response.piece, response.interval) = (total / 100 * 95, 1, .seconds(60))
            server.route("/large", .respond(response))
            await cancelledLoad(server.url("/large"), after: total / 100 * 95, downloader)
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    @Test func finishedRestIsDelivered() async throws {
        try await withDownloader(clock: VirtualClock()) { server, downloader in
            let gate = FaultGate()
            var response = FaultResponse(.zeros(10_000))
            (response.firstPiece, response.lastPiece) = (9_500, gate)
            server.route("/a", .respond(response))
            let finished = Collected<Int>()
            await cancelledLoad(server.url("/a"), after: 9_500, downloader, finished: finished)
            gate.open()
            try await eventually("the rest has arrived") { finished.values == [10_000] }
        }
    }

    @Test func joinedDownloadContinuesAfterTheGrace() async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            let gate = FaultGate()
            var response = FaultResponse(.zeros(10_000))
            (response.firstPiece, response.lastPiece) = (9_500, gate)
            server.route("/a", .respond(response))
            await cancelledLoad(server.url("/a"), after: 9_500, downloader)
            async let joined = downloader.fetch(server.url("/a"))
            try await eventually("joined") { clock.waitingCount == 0 }
            clock.advance(by: .seconds(10))
            gate.open()
            try await #expect(joined.data.count == 10_000)
            #expect(server.requests.count == 1)
        }
    }

    /// The timeout counts from the last byte, for a plain and for a compressed body.
    @Test(arguments: [false, true]) func stalledBodyFailsAfterTheTimeout(isCompressed: Bool) async throws {
        var config = WebImageDownloaderConfig.default
        config.downloadTimeout = 2
        try await withDownloader(config) { server, downloader in
            let bomb = try #require(Data(base64Encoded: gzippedTwoMegabytesOfZeros))
            var response = FaultResponse(isCompressed ? .data(bomb) : .zeros(10_000))
            (response.piece, response.interval) = (isCompressed ? bomb.count / 2 : 5_000, .seconds(60))
            if isCompressed { response.headers["Content-Encoding"] = "gzip" }
            server.route("/a", .respond(response))
            let start = ContinuousClock.now
            try await #expect(downloader.failure(server.url("/a")).curlCode == 28)
            let duration = ContinuousClock.now - start
            // The server would send the next bytes after 60 s.
            #expect(duration > .seconds(1.9) && duration < .seconds(45), "\(duration)")
        }
    }

    /// A refused response ends at once, although its short body never ends.
    @Test func refusedResponseWithAStalledBodyFailsSoon() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.zeros(100), status: 404)
            (response.piece, response.interval) = (1, .seconds(60))
            server.route("/a", .respond(response))
            let start = ContinuousClock.now
            try await #expect(downloader.failure(server.url("/a")).underlying == .http(status: 404))
            #expect(ContinuousClock.now - start < .seconds(45))
        }
    }
}
