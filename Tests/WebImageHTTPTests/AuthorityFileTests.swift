import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageHTTP

/// A given file of authorities replaces those of the system: in downloads, in exchanges (S3), and in dialled connections
/// (Valkey). Here the system trusts the server, so that only the file decides.
@Suite(
    .enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"),
    .enabled(if: SystemAuthorities.refusal == nil, Comment(rawValue: SystemAuthorities.refusal ?? "")),
    .timeLimit(minutes: 1))
struct AuthorityFileTests {
    private final class Ignoring: WebImageDownloaderSink {
        func transferDidReceive(head: WebImageResponse) -> WebImageError? { nil }
        func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? { nil }
        func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {}
    }

    private let nginx: NginxServer
    /// The certificate of an authority that has not signed the server's.
    private let other: URL
    private let body = Data("picture".utf8)

    init() throws {
        nginx = try NginxServer()
        other = try SystemAuthorities.makeOther(beside: nginx.certificateFile)
        try body.write(to: nginx.root.appendingPathComponent("a.png"))
    }

    /// The files: none, so that the system decides; one without the server's authority; one with it.
    private var files: [(path: String?, isTrusted: Bool)] {
        [(nil, true), (other.path, false), (nginx.certificateFile.path, true)]
    }

    /// An engine whose thread sees the server's certificate among the authorities of the system.
    private func engine() throws -> CurlEngine {
        let engine = CurlEngine()
        let url = nginx.url("/a.png")
        // The first transfer starts the thread.
        try SystemAuthorities.replaced(by: nginx.certificateFile) {
            engine.start(CurlTransfer(WebImageDownloaderJob(WebImageRequest(url: url)), sink: Ignoring()))
        }
        return engine
    }

    @Test func downloadsTrustOnlyTheFile() async throws {
        defer { nginx.stop() }
        for (path, isTrusted) in files {
            var config = WebImageDownloaderConfig.default
            config.certificateAuthorityFile = path
            let downloader = WebImageDownloader(config: config, engine: try engine(), clock: SystemClock())
            defer { downloader.shutdown() }
            if isTrusted {
                try await #expect(downloader.fetch(nginx.secureURL("/a.png")).data == body)
            } else {
                try await #expect(downloader.failure(nginx.secureURL("/a.png")).curlCode == 60)
            }
        }
    }

    @Test func exchangesTrustOnlyTheFile() async throws {
        defer { nginx.stop() }
        let engine = try engine()
        defer { engine.shutdown() }
        for (path, isTrusted) in files {
            var exchange = HTTPExchange(WebImageRequest(url: nginx.secureURL("/a.png")))
            exchange.certificateAuthorityFile = path
            do throws(WebImageError) {
                let answer = try await exchange.perform(on: engine, within: Sanitizer.time(.seconds(10)))
                #expect(isTrusted && answer.body == body)
            } catch {
                #expect(!isTrusted && error.curlCode == 60, "\(error)")
            }
        }
    }

    @Test func dialledConnectionsTrustOnlyTheFile() throws {
        defer { nginx.stop() }
        for (path, isTrusted) in files {
            var destination = DialledConnection.Destination(.host("127.0.0.1", port: nginx.httpsPort))
            destination.encryption = .init()
            destination.encryption?.certificateAuthorityFile = path
            let (place, certificate) = (destination, nginx.certificateFile)
            let error = try SystemAuthorities.replaced(by: certificate) { () -> WebImageError? in
                do throws(WebImageError) {
                    _ = try DialledConnection(place)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(isTrusted ? error == nil : error?.curlCode == 60, "\(String(describing: error))")
        }
    }
}
