import Foundation
import Testing
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests the refresh of a URL that redirects (RFC 9111). Each redirect has its own lifetime, and a validator belongs to
/// the URL that sent it.
@Suite(.timeLimit(minutes: 1))
struct RedirectFreshnessTests {
    private func refresh(_ url: URL, _ result: ImageDataResult) -> ImageDataLoad {
        var load = ImageDataLoad(url: url, options: .refreshCached)
        load.cached = EncodedResource(data: result.data, metadata: result.metadata)
        return load
    }

    /// A picture that confirms its tag.
    private func picture(_ text: String, tag: String, control: String = "max-age=1000") -> FaultBehaviour {
        .dynamic { request in
            let fields = ["ETag": tag, "Cache-Control": control]
            if request.headers["if-none-match"] == tag {
                return .respond(FaultResponse(.data(Data()), status: 304, headers: fields))
            }
            return .body(Data(text.utf8), headers: fields)
        }
    }

    private func redirect(_ status: Int, to path: String, _ fields: [String: String] = [:]) -> FaultBehaviour {
        .respond(
            FaultResponse(
                .data(Data()), status: status, headers: fields.merging(["Location": path]) { own, _ in own }))
    }

    /// A redirect with a status and fields, and the number of requests that a refresh of a fresh target sends.
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        var fields: [String: String] = [:]
        let requests: Int
        var testDescription: String { "\(status) \(fields)" }
    }

    static let cases = [
        Case(status: 302, requests: 2), Case(status: 303, requests: 2), Case(status: 307, requests: 2),
        Case(status: 301, requests: 0), Case(status: 308, requests: 0),
        Case(status: 302, fields: ["Cache-Control": "max-age=100"], requests: 0),
        Case(status: 302, fields: ["Cache-Control": "max-age=5"], requests: 2),
        Case(status: 302, fields: ["Cache-Control": "no-store, max-age=100"], requests: 2),
        Case(status: 301, fields: ["Cache-Control": "max-age=5"], requests: 2),
        Case(status: 301, fields: ["Cache-Control": "no-cache"], requests: 2),
        Case(status: 301, fields: ["Cache-Control": "no-store"], requests: 2),
        Case(status: 308, fields: ["Pragma": "no-cache"], requests: 2),
        Case(status: 308, fields: ["Expires": "0"], requests: 2),
        Case(status: 302, fields: ["Cache-Control": "max-age=100", "Vary": "*"], requests: 2),
        Case(status: 302, fields: ["Cache-Control": "max-age=100", "Age": "99"], requests: 2),
    ]

    @Test(arguments: cases) func redirectIsAskedAgainUnlessItIsFresh(_ test: Case) async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            server.route("/avatar", redirect(test.status, to: "/one", test.fields))
            server.route("/one", picture("one", tag: "\"1\""))
            let first = try await downloader.fetch(server.url("/avatar"))
            #expect(server.requests.count == 2)
            clock.advance(by: .seconds(10))
            let second = try await downloader.loadData(for: refresh(server.url("/avatar"), first), progress: nil)
            #expect(second.isNotModified && second.data == first.data)
            #expect(server.requests.count == 2 + test.requests)
            // The metadata of a confirmation describes the redirects as well.
            clock.advance(by: .seconds(10))
            let third = try await downloader.loadData(for: refresh(server.url("/avatar"), second), progress: nil)
            #expect(third.isNotModified)
            #expect(server.requests.count == 2 + 2 * test.requests)
        }
    }

    @Test func movedAvatarIsFoundAlthoughTheOldTargetIsFresh() async throws {
        try await withDownloader { server, downloader in
            server.route("/avatar", redirect(302, to: "/one"))
            server.route("/one", picture("one", tag: "\"1\""))
            server.route("/two", picture("two", tag: "\"2\""))
            let first = try await downloader.fetch(server.url("/avatar"))
            server.route("/avatar", redirect(302, to: "/two"))
            let second = try await downloader.loadData(for: refresh(server.url("/avatar"), first), progress: nil)
            #expect(!second.isNotModified)
            #expect(second.data == Data("two".utf8))
        }
    }

    /// Two targets with an equal tag, as servers with counters or `ETag: "1"` for every picture have.
    @Test func validatorIsSentOnlyToTheURLThatSentIt() async throws {
        try await withDownloader { server, downloader in
            for path in ["/one", "/two", "/three"] {
                server.route(path, picture(path, tag: "\"1\"", control: "no-cache"))
            }
            server.route("/avatar", redirect(302, to: "/one"))
            let first = try await downloader.fetch(server.url("/avatar"))
            for path in ["/two", "/three"] {
                server.route("/avatar", redirect(302, to: path))
                let moved = try await downloader.loadData(for: refresh(server.url("/avatar"), first), progress: nil)
                #expect(!moved.isNotModified)
                #expect(moved.data == Data(path.utf8))
            }
            // The redirecting URL itself never receives the tag of the target.
            #expect(server.requests.filter { $0.path == "/avatar" }.allSatisfy { $0.headers["if-none-match"] == nil })
            server.route("/avatar", redirect(302, to: "/one"))
            let back = try await downloader.loadData(for: refresh(server.url("/avatar"), first), progress: nil)
            #expect(back.isNotModified)
            #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
        }
    }

    @Test func pictureThatBecomesARedirectSendsItsTagToNoTarget() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", picture("old", tag: "\"1\"", control: "no-cache"))
            let first = try await downloader.fetch(server.url("/a"))
            server.route("/a", redirect(301, to: "/b"))
            server.route("/b", picture("new", tag: "\"1\""))
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.data == Data("new".utf8))
            #expect(server.requests.filter { $0.path == "/b" }.map { $0.headers["if-none-match"] } == [nil])
        }
    }

    @Test func redirectThatBecomesAPictureIsFetched() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", redirect(302, to: "/b"))
            server.route("/b", picture("old", tag: "\"1\""))
            let first = try await downloader.fetch(server.url("/a"))
            server.route("/a", picture("new", tag: "\"1\""))
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(!second.isNotModified && second.data == Data("new".utf8))
        }
    }

    /// Metadata of an older version does not name the URL that sent the tag. It confirms nothing.
    @Test func olderMetadataIsFetchedWithoutATag() async throws {
        try await withDownloader { server, downloader in
            server.route("/avatar", redirect(302, to: "/two"))
            server.route("/two", picture("two", tag: "\"1\""))
            let now = Date().timeIntervalSince1970
            let old = "webimage-http 1\n\(now) \(now)\ncache-control: max-age=1000\netag: \"1\""
            var load = ImageDataLoad(url: server.url("/avatar"), options: .refreshCached)
            load.cached = EncodedResource(data: Data("one".utf8), metadata: Data(old.utf8))
            let result = try await downloader.loadData(for: load, progress: nil)
            #expect(result.data == Data("two".utf8))
            #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
        }
    }

    /// A broken download continues only from the URL that sent its first part.
    @Test func partialBodyIsContinuedOnlyFromItsOwnTarget() async throws {
        let folder = try ScratchFolder()
        var config = WebImageDownloaderConfig.default
        config.resumeFolder = folder.url
        try await withDownloader(config) { server, downloader in
            let (one, two) = (Data(repeating: 1, count: 100_000), Data(repeating: 2, count: 100_000))
            var broken = FaultResponse(.data(one), headers: ["ETag": "\"1\""])
            broken.closeAfter = 50_000
            server.route("/avatar", redirect(302, to: "/one"))
            server.route("/one", .respond(broken))
            _ = try await downloader.failure(server.url("/avatar"))
            server.route("/avatar", redirect(302, to: "/two"))
            server.route(
                "/two",
                .dynamic { request in
                    guard request.headers["if-range"] == "\"1\"" else { return .body(two, headers: ["ETag": "\"1\""]) }
                    return .body(
                        two.suffix(50_000), status: 206,
                        headers: ["ETag": "\"1\"", "Content-Range": "bytes 50000-99999/100000"])
                })
            let result = try await downloader.fetch(server.url("/avatar"))
            #expect(result.data == two)
        }
    }

    @Test func metadataContainsNoURLOfATarget() async throws {
        try await withDownloader { server, downloader in
            server.route("/avatar", redirect(302, to: "/one?token=secret"))
            server.route("/one", picture("one", tag: "\"1\""))
            let metadata = try #require(try await downloader.fetch(server.url("/avatar")).metadata)
            #expect(!String(decoding: metadata, as: UTF8.self).contains("secret"))
        }
    }
}
