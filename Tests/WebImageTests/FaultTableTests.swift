import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Each server fault ends a load in time with a specific error. No part of the response is stored.
@Suite(.timeLimit(minutes: 1))
struct FaultTableTests {
    /// The expected error of a load.
    enum Verdict: Sendable {
        case curl(Int, hint: String)
        case code(WebImageError.Code)
        case status(Int)

        func matches(_ error: WebImageError) -> Bool {
            switch (self, error.underlying) {
            case (.curl(let wanted, let hint), .curl(let code, _)):
                error.code == .transport && code == wanted && error.hint?.contains(hint) == true
            case (.code(let code), _): error.code == code
            case (.status(let wanted), .http(let status)):
                error.code == .invalidDownloadStatusCode && status == wanted
            default: false
            }
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let behaviour: FaultBehaviour
        let verdict: Verdict
        var testDescription: String { name }

        init(_ name: String, _ behaviour: FaultBehaviour, _ verdict: Verdict) {
            (self.name, self.behaviour, self.verdict) = (name, behaviour, verdict)
        }

        /// Creates a fault from a response of 50,000 bytes that are not an image. `change` adds the fault to the
        /// response.
        init(_ name: String, _ verdict: Verdict, _ change: (inout FaultResponse) -> Void) {
            var response = FaultResponse(.zeros(50_000), headers: ["Content-Type": "image/png"])
            change(&response)
            self.init(name, .respond(response), verdict)
        }
    }

    private static func raw(_ text: String) -> FaultBehaviour { .raw(Data(text.utf8)) }

    static let faults = [
        Fault("slow drip", .curl(28, hint: "downloadDeadline")) { ($0.piece, $0.interval) = (1, .milliseconds(20)) },
        Fault("early close", .curl(18, hint: "closed before")) { $0.closeAfter = 20_000 },
        Fault("early close of chunks", .curl(18, hint: "closed before")) {
            ($0.framing, $0.closeAfter) = (.chunked, 20_000)
        },
        Fault("length too long", .curl(18, hint: "closed before")) { $0.framing = .claimedLength(60_000) },
        Fault("length too short", .code(.badImageData)) { $0.framing = .claimedLength(20_000) },
        Fault("length over the limit", .code(.limitExceeded)) { $0.framing = .claimedLength(200_000) },
        Fault("endless body", .code(.limitExceeded)) { ($0.body, $0.framing) = (.endless, .chunked) },
        Fault("endless body until close", .code(.limitExceeded)) { ($0.body, $0.framing) = (.endless, .untilClose) },
        Fault(
            "senseless length", raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nbytes"),
            .curl(8, hint: "does not speak HTTP")),
        Fault(
            "two lengths", raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nbytes"),
            .curl(18, hint: "closed before")),
        Fault(
            "broken chunks", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nbytes"),
            .curl(56, hint: "connection broke")),
        Fault(
            "broken compression",
            .body(Data("no gzip at all, but long enough".utf8), headers: ["Content-Encoding": "gzip"]),
            .code(.invalidDownloadResponse)),
        Fault("part that was not asked for", .code(.invalidDownloadResponse)) {
            ($0.status, $0.headers["Content-Range"]) = (206, "bytes 100-50099/60000")
        },
        Fault("304 without a body", .respond(FaultResponse(.data(Data()), status: 304)), .status(304)),
        Fault("204 without a body", .respond(FaultResponse(.data(Data()), status: 204)), .code(.badImageData)),
        Fault("200 without a body", .body(Data()), .code(.badImageData)),
        Fault("no picture", .body(Data("<html>not found</html>".utf8)), .code(.badImageData)),
        Fault("404", .status(404), .status(404)), Fault("500", .status(500), .status(500)),
        Fault("redirect to itself", .redirect(to: "/fault"), .curl(47, hint: "loop")),
        Fault("redirect to a file", .redirect(to: "file:///etc/hostname"), .curl(1, hint: "redirected")),
        Fault("redirect to nowhere", .redirect(to: "http://"), .status(302)),
        Fault("stall before the head", .hang, .curl(28, hint: "too slow")),
        Fault("stall in the body", .curl(28, hint: "too slow")) { ($0.piece, $0.interval) = (1000, .seconds(60)) },
        Fault("reset before the head", .reset, .curl(56, hint: "connection broke")),
        Fault("reset in the body", .curl(56, hint: "connection broke")) { ($0.closeAfter, $0.resets) = (20_000, true) },
        Fault("close without an answer", .close, .curl(52, hint: "without an answer")),
        Fault("garbage", raw("\u{1}\u{2}\u{3} nothing like it\r\n\r\n"), .curl(1, hint: "does not speak HTTP")),
        Fault("garbage status", raw("HTTP/1.1 abc nonsense\r\n\r\n"), .curl(1, hint: "does not speak HTTP")),
        Fault("unknown version", raw("HTTP/7.3 200 OK\r\n\r\nbytes"), .curl(1, hint: "does not speak HTTP")),
        Fault("half a head", raw("HTTP/1.1 200 OK\r\nContent-Ty"), .curl(52, hint: "without an answer")),
        Fault(
            "many header fields",
            raw(
                "HTTP/1.1 200 OK\r\n"
                    + String(repeating: "X-Field: \(String(repeating: "x", count: 8000))\r\n", count: 99)),
            .code(.invalidDownloadResponse)),
        Fault(
            "one oversized header field",
            raw("HTTP/1.1 200 OK\r\nX-Field: " + String(repeating: "x", count: 400_000) + "\r\n\r\n"),
            .code(.invalidDownloadResponse)),
    ]

    /// - Parameter verdict: The expected error. The times are short only if they are what ends the load.
    private func config(bodiesIn folder: URL, for verdict: Verdict? = nil) -> WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        (config.downloadTimeout, config.downloadDeadline) = (30, 50)
        if case .curl(28, let hint)? = verdict {
            if hint == "downloadDeadline" { config.downloadDeadline = 1.5 } else { config.downloadTimeout = 0.5 }
        }
        // Bodies larger than this number of bytes are written to a file while they arrive.
        config.maxBodyBytesInMemory = 4000
        config.maxBodyBytes = 100_000
        config.bodyFolder = folder.path
        return config
    }

    @Test(arguments: faults) func everyFaultHasItsErrorAndStoresNothing(_ fault: Fault) async throws {
        let journey = try Journey()
        let bodies = journey.folder.appendingPathComponent("bodies")
        journey.downloader.config = config(bodiesIn: bodies, for: fault.verdict)
        journey.server.route("/fault", fault.behaviour)
        try await expect(fault.verdict, at: journey.server.url("/fault"), journey, bodies: bodies)
        journey.downloader.config = config(bodiesIn: bodies)
        // After the fault, the server can still be used, over the same connection or over a new connection. If a body
        // is longer than declared, one request may fail: the excess bytes make the next response on that connection
        // invalid.
        journey.server.route("/good.png", .body(try Journey.file()))
        let good = journey.server.url("/good.png")
        if fault.name == "length too short" { _ = try? await journey.manager.image(for: good) }
        #expect(try await journey.manager.image(for: good).pixelSize.width == 40)
    }

    @Test(.enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"))
    func badCertificatesHaveTheirErrorAndStoreNothing() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        try Journey.file().write(to: nginx.root.appendingPathComponent("a.png"))
        let journey = try Journey()
        let bodies = journey.folder.appendingPathComponent("bodies")
        var config = config(bodiesIn: bodies)
        journey.downloader.config = config
        let untrusted = Verdict.curl(60, hint: "not trusted")
        try await expect(untrusted, at: nginx.secureURL("/a.png"), journey, bodies: bodies)
        // The certificate is trusted but belongs to another host.
        config.certificateAuthorityFile = nginx.certificateFile.path
        config.resolvedHosts = ["other.example:\(nginx.httpsPort):127.0.0.1"]
        journey.downloader.config = config
        let other = try #require(URL(string: "https://other.example:\(nginx.httpsPort)/a.png"))
        try await expect(.curl(60, hint: "another host"), at: other, journey, bodies: bodies)
        let plain = try #require(URL(string: "https://localhost:\(nginx.httpPort)/a.png"))
        try await expect(.curl(35, hint: "TLS"), at: plain, journey, bodies: bodies)
        #expect(try await journey.manager.image(for: nginx.secureURL("/a.png")).pixelSize.width == 40)
    }

    private func expect(_ verdict: Verdict, at url: URL, _ journey: Journey, bodies: URL) async throws {
        do throws(WebImageError) {
            _ = try await journey.manager.image(for: url)
            Issue.record("an image was delivered instead of an error")
        } catch {
            #expect(verdict.matches(error), "\(error)")
            #expect(error.url == url)
        }
        await journey.cache.flush()
        #expect(await journey.cache.diskUsage().count == 0)
        #expect(journey.cache.imageFromMemoryCache(forKey: url.absoluteString) == nil)
        #expect((try? FileManager.default.contentsOfDirectory(atPath: bodies.path)) ?? [] == [])
        #expect(await eventually { LiveHandles.current["unnamed file"] == nil })
        #expect(journey.downloader.currentDownloadCount == 0)
    }
}
