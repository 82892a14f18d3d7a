import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests hosts that are reachable only by IPv6, and hosts that are given as numeric addresses.
@Suite(.timeLimit(minutes: 1))
struct EnvironmentTests {
    private func withIPv6(
        _ change: (inout WebImageDownloaderConfig, Int) throws -> Void = { _, _ in },
        _ body: (FaultServer, WebImageDownloader) async throws -> Void
    ) async throws {
        let server = try FaultServer(host: "::1")
        defer { server.stop() }
        server.route("/a", .body(Data("a".utf8), headers: ["ETag": "\"1\""]))
        var config = WebImageDownloaderConfig.default
        try change(&config, server.port)
        try await withDownloader(config) { _, downloader in try await body(server, downloader) }
    }

    @Test(
        .enabled(if: FaultServer.hasIPv6), arguments: ["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "only6.example"])
    func hostOfIPv6AloneIsFetchedFrom(_ host: String) async throws {
        try await withIPv6({ $0.resolvedHosts = ["only6.example:\($1):[::1]"] }) { server, downloader in
            let url = try #require(URL(string: "http://\(host):\(server.port)/a"))
            let result = try await downloader.fetch(url)
            #expect(result.data == Data("a".utf8))
            #expect(server.requests.last?.headers["host"] == (host.hasPrefix("[") ? "[::1]" : host) + ":\(server.port)")
            var load = ImageDataLoad(url: url, options: .refreshCached)
            load.cached = EncodedResource(data: result.data, metadata: result.metadata)
            try await #expect(downloader.loadData(for: load, progress: nil).isNotModified)
        }
    }

    @Test(.enabled(if: FaultServer.hasIPv6)) func policyHoldsOverIPv6() async throws {
        let outer = try FaultServer()
        defer { outer.stop() }
        try await withIPv6({ config, port in
            config.policy = .server
            config.resolvedHosts = ["only6.example:\(port):[::1]"]
        }) { server, downloader in
            let named = try #require(URL(string: "http://only6.example:\(server.port)/a"))
            for url in [server.url("/a"), named] {
                try await #expect(downloader.failure(url).code == .invalidDownloadOperation)
            }
            #expect(server.connectionCount == 0)
            downloader.config.policy?.allowedAddresses = [try #require(AddressRange("::1"))]
            for url in [server.url("/a"), named] { try await #expect(downloader.fetch(url).data == Data("a".utf8)) }
            downloader.config.policy?.deniedHosts = ["[0:0::1]"]
            try await #expect(downloader.failure(server.url("/a")).code == .invalidDownloadOperation)
            // `outer` listens on an IPv4 address and redirects to the IPv6 server, so the policy must allow
            // both addresses.
            downloader.config.policy?.allowedAddresses.append(try #require(AddressRange("127.0.0.0/8")))
            outer.route("/away", .redirect(to: server.url("/a").absoluteString))
            try await #expect(downloader.failure(outer.url("/away")).code == .invalidDownloadOperation)
            downloader.config.policy?.deniedHosts = []
            try await #expect(downloader.fetch(outer.url("/away")).data == Data("a".utf8))
        }
    }

    @Test(arguments: ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1"])
    func numericHostIsFetchedFrom(_ host: String) async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            let url = try #require(URL(string: "http://\(host):\(server.port)/a"))
            try await #expect(downloader.fetch(url).data == Data("a".utf8))
            #expect(server.requests.last?.headers["host"] == "127.0.0.1:\(server.port)")
        }
    }
}

/// Sets each number of the public API to zero, negative, NaN, infinite and huge values. No value may trap or
/// let a download hang.
@Suite(.timeLimit(minutes: 1))
struct ExtremeNumberTests {
    typealias Change = @Sendable (inout WebImageDownloaderConfig) -> Void

    static let times: [TimeInterval] = [
        0, -0.0, -1, .nan, -.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .leastNonzeroMagnitude, 1e19,
    ]
    static let counts = [0, -1, Int.min, Int.max, Int.max - 1, 1 << 40, 1]

    /// Checks that three downloads end with the changed configuration, without a trap or a hang.
    private func expectEnd(_ name: String, _ change: Change) async throws {
        var config = WebImageDownloaderConfig.default
        change(&config)
        try await withDownloader(config) { server, downloader in
            server.route("/a", .redirect(to: "/b"))
            server.route("/b", .body(Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })))
            let ended = Collected<Result<Int, WebImageError>>()
            for path in ["/a", "/b", "/b?2"] {
                Task {
                    do throws(WebImageError) {
                        ended.append(.success(try await downloader.fetch(server.url(path)) { _, _, _ in }.data.count))
                    } catch {
                        ended.append(.failure(error))
                    }
                }
            }
            try await eventually("\(name): all ended") { ended.values.count == 3 }
            for end in ended.values {
                switch end {
                case .success(let count): #expect(count == 100_000, "\(name)")
                case .failure(let error):
                    #expect([.limitExceeded, .transport].contains(error.code), "\(name): \(error)")
                }
            }
        }
    }

    @Test(arguments: times) func everyTimeEndsADownload(_ time: TimeInterval) async throws {
        try await expectEnd("downloadTimeout \(time)") { $0.downloadTimeout = time }
        try await expectEnd("downloadDeadline \(time)") { $0.downloadDeadline = time }
        try await expectEnd("minimumProgressInterval \(time)") { $0.minimumProgressInterval = time }
    }

    @Test(arguments: counts) func everyRetryCountEndsADownload(_ count: Int) async throws {
        try await expectEnd("maxConcurrentDownloads \(count)") { $0.maxConcurrentDownloads = count }
        try await expectEnd("maxConcurrentDownloadsPerHost \(count)") { $0.maxConcurrentDownloadsPerHost = count }
        try await expectEnd("maxBodyBytes \(count)") { $0.maxBodyBytes = count }
        try await expectEnd("maxBodyBytesInMemory \(count)") { $0.maxBodyBytesInMemory = count }
        try await expectEnd("maxBodyBytes, in memory \(count)") {
            ($0.maxBodyBytes, $0.maxBodyBytesInMemory) = (count, count)
        }
        try await expectEnd("maxRedirects \(count)") { $0.maxRedirects = count }
        try await expectEnd("maxRedirects \(count) under a policy") {
            ($0.maxRedirects, $0.policy) = (count, DownloadPolicy())
        }
    }

    @Test(arguments: ["9223372036854775807", "9223372036854771712", "4611686018427387904", "-1", "0x10"])
    func declaredLengthAllocatesNothing(_ length: String) async throws {
        var config = WebImageDownloaderConfig.default
        (config.maxBodyBytes, config.maxBodyBytesInMemory) = (.max, .max)
        try await withDownloader(config) { server, downloader in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(length)\r\n\r\nabc"
            server.route("/a", .raw(Data(head.utf8)))
            // With every wrong length, the load must end with an error. Either the transfer fails, or the data is
            // not an image.
            let error = await #expect(throws: WebImageError.self) { try await downloader.fetch(server.url("/a")) }
            #expect(error?.code == .transport || error?.code == .badImageData)
        }
    }

    static let waits: [Duration] = [
        .zero, .seconds(-1), .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .milliseconds(500),
    ]

    @Test(arguments: waits, waits) func backoffOfAnyNumbersIsAValidWait(_ base: Duration, _ maxDelay: Duration) throws {
        let error = WebImageError(.transport, stage: .download, underlying: .curl(code: 7, message: ""))
        for random in [0, 1, -1, .nan, .infinity, 1e300] {
            for jitter in Self.times {
                var backoff = ExponentialBackoff(maxAttempts: .max) { random }
                (backoff.base, backoff.maxDelay, backoff.jitter) = (base, maxDelay, jitter)
                for attempts in [Int.min, -1, 0, 1, 2, 40, 1 << 40] {
                    let failure = DownloadFailure(error: error, attempts: attempts)
                    let wait = try #require(backoff.delay(after: failure))
                    #expect(wait >= .zero && wait <= max(maxDelay, .zero))
                }
            }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1]) func attemptsBelowOneAreOne(_ attempts: Int) {
        let error = WebImageError(.transport, stage: .download, underlying: .curl(code: 7, message: ""))
        #expect(
            ExponentialBackoff(maxAttempts: attempts).delay(after: DownloadFailure(error: error, attempts: 1)) == nil)
    }

    @Test(arguments: ["0", "-1", "99999999999999999999", "2147483648", "nan", "1e5", ""])
    func retryAfterOfAnyTextEndsTheDownload(_ text: String) async throws {
        var config = WebImageDownloaderConfig.default
        config.retryStrategy = ExponentialBackoff(maxAttempts: 2) { 0.5 }
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", .body(Data("no".utf8), status: 503, headers: ["Retry-After": text]))
            let ended = Collected<WebImageError>()
            Task { ended.append(try await downloader.failure(server.url("/a"))) }
            try await eventually("ended") {
                clock.advance(by: .seconds(30))
                return ended.values.count == 1
            }
            #expect(ended.values[0].underlying == .http(status: 503))
        }
    }
}
