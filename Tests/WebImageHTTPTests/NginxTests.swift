import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests TLS and HTTP/2 with nginx.
@Suite(.enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"), .timeLimit(minutes: 1))
struct NginxTests {
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private func withNginx(
        _ config: WebImageDownloaderConfig = .default, trusting: Bool = false,
        _ test: (NginxServer, WebImageDownloader) async throws -> Void
    ) async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try body.write(to: nginx.root.appendingPathComponent("a.png"))
        var config = config
        if trusting { config.certificateAuthorityFile = nginx.certificateFile.path }
        try await withDownloader(config) { _, downloader in try await test(nginx, downloader) }
    }

    @Test func selfSignedCertificateIsCurl60WithAdvice() async throws {
        try await withNginx { nginx, downloader in
            let error = try await downloader.failure(nginx.secureURL("/a.png"))
            #expect(error.code == .transport)
            #expect(error.curlCode == 60)
            #expect(error.hint?.contains("not trusted") == true)
            #expect(!downloader.shouldBlock(ImageDataLoad(url: nginx.secureURL("/a.png")), after: error))
        }
    }

    /// The file of its authority does not make the certificate of another host or of another time valid.
    @Test func certificateOfAnotherHostIsCurl60WithAdvice() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        var config = WebImageDownloaderConfig.default
        config.certificateAuthorityFile = nginx.certificateFile.path
        config.resolvedHosts = ["other.example:\(nginx.httpsPort):127.0.0.1"]
        try await withDownloader(config) { _, downloader in
            let error = try await downloader.failure(URL(string: "https://other.example:\(nginx.httpsPort)/a.png")!)
            #expect(error.curlCode == 60)
            #expect(error.hint?.contains("another host") == true)
        }
    }

    @Test func proxyThatDoesNotSpeakSOCKSIsCurl97WithAdvice() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        var config = WebImageDownloaderConfig.default
        config.proxy = "socks5://127.0.0.1:\(nginx.httpPort)"
        try await withDownloader(config) { server, downloader in
            let error = try await downloader.failure(server.url("/a.png"))
            #expect(error.curlCode == 97)
            #expect(error.hint?.contains("proxy") == true)
        }
    }

    @Test func invalidCertificateIsAcceptedOnlyOnRequest() async throws {
        try await withNginx { nginx, downloader in
            let url = nginx.secureURL("/a.png")
            try await #expect(downloader.fetch(url, options: .allowInvalidSSLCertificates).data == body)
            // This load checks certificates. It must not reuse the connection of a load that did not check them.
            try await #expect(downloader.failure(url).curlCode == 60)
        }
    }

    @Test func authorityFileMakesTheServerTrusted() async throws {
        try await withNginx(trusting: true) { nginx, downloader in
            let result = try await downloader.fetch(nginx.secureURL("/a.png"))
            #expect(result.data == body)
            #expect(result.response.mimeType == "image/png")
            #expect(result.response.expectedContentLength == body.count)
            #expect(result.response.value(forHTTPHeaderField: "ETag") != nil)
        }
    }

    /// A server whose certificate was renewed together with the file of authorities is trusted without a new downloader.
    @Test func renewedAuthorityFileIsReadForTheNextConnection() async throws {
        try await withNginx(trusting: true) { nginx, downloader in
            for round in 0..<3 {
                if round > 0 { try nginx.renewCertificate() }
                try await #expect(downloader.fetch(nginx.secureURL("/a.png?\(round)")).data == body)
            }
        }
    }

    @Test func loadsShareOneHTTP2Connection() async throws {
        try await withNginx(trusting: true) { nginx, downloader in
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
            let done = Collected<Int>()
            let tokens = (0..<30).map { number in
                downloader.downloadImage(with: nginx.secureURL("/a.png?\(number)"), context: context) {
                    _, data, error, _ in
                    // The download succeeds, but decoding fails because the body is not an image.
                    #expect(error?.code == .badImageData)
                    done.append(number)
                }
            }
            try await eventually("all 30 downloads completed") { done.values.count == 30 }
            let metrics = tokens.compactMap { $0?.metrics }
            #expect(metrics.count == 30)
            #expect(metrics.allSatisfy { $0.networkProtocol == "HTTP/2" })
            #expect(metrics.count { !$0.isReusedConnection } == 1)
            let first = try #require(metrics.first { !$0.isReusedConnection })
            #expect(first.secureConnect > .zero)
            #expect(first.total >= first.firstByte)
            #expect(first.bodyBytesReceived == body.count)
        }
    }

    @Test func confirmedBodyIsNotSentAgain() async throws {
        try await withNginx(trusting: true) { nginx, downloader in
            var load = ImageDataLoad(url: nginx.secureURL("/a.png"), options: .refreshCached)
            let first = try await downloader.loadData(for: load, progress: nil)
            load.cached = EncodedResource(data: first.data, metadata: first.metadata)
            let second = try await downloader.loadData(for: load, progress: nil)
            #expect(second.response.statusCode == 304)
            #expect(second.isNotModified)
            #expect(second.data == body)
        }
    }

    @Test(arguments: [8 << 20, 10_000]) func brokenDownloadIsResumed(inMemory: Int) async throws {
        let scratch = try ScratchFolder()
        var config = WebImageDownloaderConfig.default
        config.resumeFolder = scratch.url.appendingPathComponent("parts")
        config.bodyFolder = scratch.url.appendingPathComponent("bodies").path
        config.maxBodyBytesInMemory = inMemory
        try await withNginx(config, trusting: true) { nginx, downloader in
            let large = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
            try large.write(to: nginx.root.appendingPathComponent("large.png"))
            let url = nginx.secureURL("/slow/large.png")
            let seen = Collected<Int>()
            let task = Task { try await downloader.fetch(url) { received, _, _ in seen.append(received) } }
            try await eventually("more than 300,000 bytes arrived") { seen.values.last ?? 0 > 300_000 }
            task.cancel()
            _ = await task.result
            let bytes = Collected<Data?>()
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
            let token = downloader.downloadImage(with: url, context: context) { _, data, _, _ in bytes.append(data) }
            try await eventually("the rest arrived") { bytes.values.count == 1 }
            let rest = try #require(token?.metrics?.bodyBytesReceived)
            #expect(rest < large.count - 300_000)
            #expect(token?.response?.expectedContentLength == large.count)
            try await #expect(downloader.fetch(nginx.secureURL("/large.png")).data == large)
        }
    }

    @Test func missingFileFailsWithItsStatus() async throws {
        try await withNginx(trusting: true) { nginx, downloader in
            try await #expect(downloader.failure(nginx.secureURL("/b.png")).underlying == .http(status: 404))
            try await #expect(downloader.fetch(nginx.url("/a.png")).data == body)
        }
    }
}
