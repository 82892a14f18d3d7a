import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageHTTP

/// Tests the method and the body of the request after a redirect (RFC 9110 §15.4). The downloader must not send a
/// body to another origin.
@Suite(.timeLimit(minutes: 1))
struct RedirectMethodTests {
    /// A request with `method` receives a redirect with `status`. If the target has the same origin, `near` is the
    /// method of the next request. If the target has another origin, `far` is the method. If the method is nil, the
    /// downloader must refuse the redirect.
    struct Case: Sendable, CustomStringConvertible {
        let method: String
        let status: Int
        let near: String?
        let far: String?
        var description: String { "\(method) \(status)" }
    }

    /// A `Location` field and the path that is requested next.
    static let locations = [
        ("/a%20[1].png", "/a%20%5B1%5D.png"), ("b c%20d|e.png?x[]=1&n=a%20b", "/b%20c%20d%7Ce.png?x%5B%5D=1&n=a%20b"),
        ("фото%201.png", "/%D1%84%D0%BE%D1%82%D0%BE%201.png"), ("/caf%E9.png", "/caf%E9.png"), ("\\c\\..\\d", "/d"),
        ("/100%.png", "/100%25.png"), ("to?q=['a b%20c']", "/to?q=%5B%27a%20b%20c%27%5D"),
    ]

    @Test(arguments: locations) func locationIsReadAsByBrowsers(_ location: String, _ path: String) async throws {
        try await withDownloader { server, downloader in
            server.route("/from", .redirect(to: location, status: 302))
            server.routeOthers(.body(Data("b".utf8)))
            _ = try await downloader.fetch(server.url("/from"))
            let last = try #require(server.requests.last)
            #expect(last.path + (last.query.map { "?" + $0 } ?? "") == path)
        }
    }

    @Test func bytesOfALocationThatAreNotTextAreEscaped() throws {
        var fields = ReceivedFields()
        for line in [Array("Location: /caf".utf8) + [0xE9] + Array(" 1.png".utf8), Array("Location: /café.png".utf8)] {
            fields = ReceivedFields()
            _ = line.withUnsafeBytes { fields.add($0) }
            let url = try #require(URL(string: "http://host/a"))
            let response = WebImageResponse(url: url, statusCode: 302, received: fields, httpVersion: nil)
            let wanted = line.contains(0xE9) ? "http://host/caf%E9%201.png" : "http://host/caf%C3%A9.png"
            #expect(Redirect(response, from: url)?.target.absoluteString == wanted)
        }
    }

    static let cases: [Case] = [
        Case(method: "GET", status: 301, near: "GET", far: "GET"),
        Case(method: "GET", status: 303, near: "GET", far: "GET"),
        Case(method: "GET", status: 307, near: "GET", far: "GET"),
        Case(method: "GET", status: 308, near: "GET", far: "GET"),
        Case(method: "POST", status: 301, near: "GET", far: "GET"),
        Case(method: "POST", status: 302, near: "GET", far: "GET"),
        Case(method: "POST", status: 303, near: "GET", far: "GET"),
        Case(method: "POST", status: 307, near: "POST", far: nil),
        Case(method: "POST", status: 308, near: "POST", far: nil),
        Case(method: "PUT", status: 302, near: "PUT", far: nil),
        Case(method: "PUT", status: 303, near: "GET", far: "GET"),
        Case(method: "PUT", status: 307, near: "PUT", far: nil),
        Case(method: "DELETE", status: 303, near: "GET", far: "GET"),
        Case(method: "DELETE", status: 308, near: "DELETE", far: nil),
    ]

    private func load(_ url: URL, _ method: String) -> ImageDataLoad {
        let body = method == "GET" || method == "DELETE" ? nil : Data("body".utf8)
        let modifier = WebImageDownloaderRequestModifier(
            method: method, headers: body == nil ? nil : ["Content-Type": "text/x-secret"], body: body)
        return ImageDataLoad(url: url, context: [.downloadRequestModifier: modifier])
    }

    private func follow(
        _ test: Case, from server: FaultServer, to target: FaultServer, _ downloader: WebImageDownloader
    )
        async throws -> FaultRequest?
    {
        server.route("/from", .redirect(to: target.url("/to").absoluteString, status: test.status))
        target.route("/to", .body(Data("a".utf8)))
        do throws(WebImageError) {
            _ = try await downloader.loadData(for: load(server.url("/from"), test.method), progress: nil)
        } catch {
            #expect(error.code == .invalidDownloadOperation, "\(error)")
            #expect(target.requestCount("/to") == 0)
            return nil
        }
        return target.requests.last { $0.path == "/to" }
    }

    private func expect(_ request: FaultRequest?, _ method: String?, of test: Case) {
        #expect(request?.method == method)
        let keepsBody = method != nil && method != "GET" && test.method != "DELETE"
        #expect(request?.body == method.map { _ in keepsBody ? Data("body".utf8) : Data() })
        #expect(request?.headers["content-type"] == (keepsBody ? "text/x-secret" : nil))
    }

    @Test(arguments: cases) func redirectUnderAPolicyKeepsAllowedFields(_ test: Case) async throws {
        var config = WebImageDownloaderConfig.default
        config.policy = DownloadPolicy()
        try await withDownloader(config) { server, downloader in
            expect(try await follow(test, from: server, to: server, downloader), test.near, of: test)
            let other = try FaultServer()
            defer { other.stop() }
            expect(try await follow(test, from: server, to: other, downloader), test.far, of: test)
        }
    }

    @Test(arguments: cases) func redirectWithinAnOriginIsTheSameWithoutAPolicy(_ test: Case) async throws {
        try await withDownloader { server, downloader in
            let request = try await follow(test, from: server, to: server, downloader)
            #expect(request?.method == test.near)
            #expect(request?.body.isEmpty == (test.near == "GET" || test.method == "DELETE"))
        }
    }

    @Test func headRequestStaysAHeadRequest() async throws {
        for policy in [DownloadPolicy(), nil] {
            var config = WebImageDownloaderConfig.default
            config.policy = policy
            try await withDownloader(config) { server, downloader in
                server.route("/from", .redirect(to: "/to", status: 303))
                server.route("/to", .body(Data("a".utf8)))
                let load = load(server.url("/from"), "HEAD")
                // A response to HEAD has no body, so the load fails. The test checks only the methods of the
                // requests.
                _ = try? await downloader.loadData(for: load, progress: nil)
                #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
            }
        }
    }

    @Test func severalRedirectsDropTheBodyOnce() async throws {
        var config = WebImageDownloaderConfig.default
        config.policy = DownloadPolicy()
        try await withDownloader(config) { server, downloader in
            let other = try FaultServer()
            defer { other.stop() }
            server.route("/one", .redirect(to: "/two", status: 307))
            server.route("/two", .redirect(to: other.url("/three").absoluteString, status: 303))
            other.route("/three", .redirect(to: server.url("/four").absoluteString, status: 307))
            server.route("/four", .body(Data("four".utf8)))
            let result = try await downloader.loadData(for: load(server.url("/one"), "POST"), progress: nil)
            #expect(result.data == Data("four".utf8))
            #expect(
                (server.requests + other.requests).map { "\($0.method) \($0.path) \($0.body.count)" } == [
                    "POST /one 4", "POST /two 4", "GET /four 0", "GET /three 0",
                ])
        }
    }
}
