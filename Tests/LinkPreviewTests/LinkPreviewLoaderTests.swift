import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageHTTP
@testable import WebImageLinkPreview
@testable import WebImageLoading

private actor MemoryTier: CacheTier {
    private var entries: [CacheTierKey: CacheTierEntry] = [:]

    func entry(for key: CacheTierKey, within budget: Duration) -> CacheTierEntry? { entries[key] }
    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) -> Bool {
        entries[key] = entry
        return true
    }
    func remove(_ keys: [CacheTierKey], within budget: Duration) -> Bool {
        for key in keys { entries[key] = nil }
        return true
    }
}

/// Loads pages and their pictures from real servers: the page's at 127.0.0.1, others at other addresses of this machine.
@Suite(.timeLimit(minutes: 2))
struct LinkPreviewLoaderTests {
    private static func picture(_ red: UInt8 = 120) throws -> Data {
        try ImageCodersManager.shared.encode(
            TestImages.solid(red: red), format: .png, options: EncodingOptions())
    }

    private static func html(_ text: String, headers: [String: String] = [:]) -> FaultBehaviour {
        .body(Data(text.utf8), type: "text/html; charset=utf-8", headers: headers)
    }

    private static func og(_ address: String, title: String = "T") -> FaultBehaviour {
        html("<!doctype html><title>\(title)</title><meta property=og:image content='\(address)'>")
    }

    /// Calls the closure with a server and a downloader, and stops both.
    private func withServer(
        _ config: WebImageDownloaderConfig = WebImageDownloaderConfig(),
        _ body: (FaultServer, WebImageDownloader) async throws -> Void
    ) async throws {
        let server = try FaultServer()
        let downloader = WebImageDownloader(config: config)
        defer {
            downloader.shutdown()
            server.stop()
        }
        server.route("/p.png", .body(try Self.picture()))
        try await body(server, downloader)
    }

    private func load(
        _ url: URL, _ downloader: WebImageDownloader, cached: EncodedResource? = nil, usesIcons: Bool = true
    ) async throws(WebImageError) -> ImageDataResult {
        var load = ImageDataLoad(url: url)
        load.cached = cached
        return try await LinkPreviewImageLoader(downloader, usesIcons: usesIcons).loadData(for: load, progress: nil)
    }

    private func failure(_ url: URL, _ downloader: WebImageDownloader, usesIcons: Bool = true) async -> WebImageError? {
        do throws(WebImageError) {
            _ = try await load(url, downloader, usesIcons: usesIcons)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Pages and pictures

    @Test func pictureOfAPageIsLoaded() async throws {
        try await withServer { server, downloader in
            server.route("/a/page", Self.og("../p.png"))
            let result = try await load(server.url("/a/page"), downloader)
            #expect(try result.data == Self.picture())
            #expect(result.linkPreview?.title == "T" && result.linkPreview?.chosenURL == server.url("/p.png"))
            #expect(result.response.mimeType == "image/png")
            // The page is asked for as a page, the picture as a picture.
            #expect(server.requests.first?.headers["accept"]?.hasPrefix("text/html") == true)
            #expect(server.requests.last?.headers["accept"]?.hasPrefix("image/*") == true)
        }
    }

    @Test func addressOfAPictureLoadsThePicture() async throws {
        try await withServer { server, downloader in
            server.route("/typed-as-page", .body(try Self.picture(), type: "text/html"))
            for path in ["/p.png", "/typed-as-page"] {
                let received = Locked(Data())
                var load = ImageDataLoad(url: server.url(path))
                load.receivedData = { bytes, _ in received.withLock { $0.append(bytes) } }
                let result = try await LinkPreviewImageLoader(downloader).loadData(for: load, progress: nil)
                #expect(try result.data == Self.picture() && result.linkPreview == nil)
                #expect(received.withLock { $0 } == result.data)
            }
            await #expect(throws: WebImageError.self) {
                try await LinkPreviewImageLoader(downloader).preview(of: server.url("/p.png"))
            }
        }
    }

    /// An answer of 304 has the type of the page, and confirms the picture that is stored, whatever its format is.
    @Test func aConfirmedPictureIsNoPage() async throws {
        try await withServer { server, downloader in
            let fields = ["ETag": "\"a\"", "Cache-Control": "no-cache"]
            server.route(
                "/page",
                .dynamic { request in
                    request.headers["if-none-match"] == nil
                        ? Self.html("<meta property=og:image content=/p.png>", headers: fields)
                        : .body(Data(), type: "text/html", status: 304, headers: fields)
                })
            let first = try await load(server.url("/page"), downloader)
            let kept = EncodedResource(data: Data("a format of the program".utf8), metadata: first.metadata)
            let second = try await load(server.url("/page"), downloader, cached: kept)
            #expect(second.isNotModified && second.data == kept.data)
            #expect(server.requestCount("/page") == 2 && server.requestCount("/p.png") == 1)
        }
    }

    @Test func bytesOfAPageAreNotDeliveredAsPicture() async throws {
        try await withServer { server, downloader in
            server.route("/page", Self.og("/p.png"))
            let received = Locked(Data())
            let progress = Locked<Set<String>>([])
            var load = ImageDataLoad(url: server.url("/page"))
            load.receivedData = { bytes, _ in received.withLock { $0.append(bytes) } }
            let result = try await LinkPreviewImageLoader(downloader).loadData(for: load) { received, _, url in
                guard received > 0 else { return }
                _ = progress.withLock { $0.insert(url?.path ?? "") }
            }
            #expect(received.withLock { $0 } == result.data && !result.data.isEmpty)
            #expect(progress.withLock { $0 } == ["/p.png"])
        }
    }

    @Test func pictureThatDoesNotLoadGivesWayToTheNext() async throws {
        try await withServer { server, downloader in
            server.route("/text", .body(Data("no picture".utf8), type: "image/png"))
            server.route("/cut", .body(try Self.picture().prefix(20)))
            server.route(
                "/page",
                Self.html(
                    "<meta property=og:image content=/404><meta property=og:image content=/text>"
                        + "<meta name=twitter:image content=/cut><link rel=image_src href=/p.png>"))
            let result = try await load(server.url("/page"), downloader)
            #expect(result.linkPreview?.chosenURL?.path == "/p.png")
            #expect(server.requests.map(\.path) == ["/page", "/404", "/text", "/cut", "/p.png"])
        }
    }

    @Test func pageWithoutPictureShowsItsIcon() async throws {
        try await withServer { server, downloader in
            server.route("/page", Self.html("<title>t</title>"))
            server.route("/favicon.ico", .body(try Self.picture(9)))
            #expect(try await load(server.url("/page"), downloader).data == Self.picture(9))
            let error = await failure(server.url("/page"), downloader, usesIcons: false)
            #expect(error?.code == .noPreview && error?.description.contains("the page names no picture") == true)
        }
    }

    @Test func failuresAreTyped() async throws {
        try await withServer { server, downloader in
            server.route("/page", Self.og("/404"))
            let loader = LinkPreviewImageLoader(downloader)
            let none = try #require(await failure(server.url("/page"), downloader))
            #expect(none.code == .noPreview && none.earlierFailures.map(\.url?.path) == ["/404", "/favicon.ico"])
            #expect(loader.shouldBlock(ImageDataLoad(url: server.url("/page")), after: none))
            // A server that is down may be up later.
            server.routeOthers(.status(503))
            let later = try #require(await failure(server.url("/page"), downloader))
            #expect(later.code == .noPreview)
            #expect(!loader.shouldBlock(ImageDataLoad(url: server.url("/page")), after: later))
            #expect(await failure(server.url("/gone"), downloader)?.code == .invalidDownloadStatusCode)
            // The texts are there without a picture.
            #expect(try await loader.preview(of: server.url("/page")).title == "T")
        }
    }

    @Test func atMostSixPicturesAreTried() async throws {
        try await withServer { server, downloader in
            server.route("/page", Self.html((0..<100).map { "<meta property=og:image content=/\($0)>" }.joined()))
            _ = await failure(server.url("/page"), downloader)
            #expect(server.requests.count == 7)
        }
    }

    /// The page that the server sends may end anywhere: its picture, its icon, or an error that says that there is none.
    @Test func cutPagesHaveTheirPictureOrATypedError() async throws {
        try await withServer { server, downloader in
            let page =
                "<!doctype html><title>T</title><link rel=icon href=/icon.png><meta property=og:image content='/p.png'>"
            server.route("/icon.png", .body(try Self.picture(9)))
            let named = try #require(page.range(of: "<meta")?.lowerBound.utf16Offset(in: page))
            let (picture, icon) = (try Self.picture(), try Self.picture(9))
            for count in 0...page.utf8.count {
                server.route("/page\(count)", Self.html(String(page.prefix(count))))
                do throws(WebImageError) {
                    let result = try await load(server.url("/page\(count)"), downloader)
                    let isWhole = result.linkPreview?.chosenURL?.path == "/p.png"
                    #expect(isWhole == (count == page.utf8.count), "\(count) bytes")
                    #expect(result.data == (isWhole ? picture : icon))
                    #expect(result.linkPreview?.title == "T")
                } catch {
                    // An empty body is no page and no picture.
                    let isEmpty = count == 0 && error.code == .badImageData
                    #expect(error.code == .noPreview || isEmpty, "\(count): \(error)")
                    #expect(count < named)
                }
            }
            // The connection ends within the page.
            for count in stride(from: 0, to: page.utf8.count, by: 17) {
                var response = FaultResponse(.data(Data(page.utf8)), headers: ["Content-Type": "text/html"])
                response.closeAfter = count
                server.route("/broken\(count)", .respond(response))
                let error = await failure(server.url("/broken\(count)"), downloader)
                #expect(error.map { String(describing: $0.code) } == "transport", "\(count)")
            }
        }
    }

    // MARK: Long pages

    @Test func endlessPageEndsAfterHalfAMegabyte() async throws {
        // A download that does not end before exceeds the limit.
        var config = WebImageDownloaderConfig()
        config.maxBodyBytes = 4 << 20
        try await withServer(config) { server, downloader in
            // The picture is named where most of the page has been read.
            let start =
                Data("<title>T</title>".utf8) + Data(repeating: 0x20, count: 500 << 10)
                + Data("<meta property=og:image content=/p.png>".utf8)
            var page = FaultResponse(
                .data(start + Data(repeating: 0x20, count: 8 << 20)),
                headers: ["Content-Type": "text/html", "Cache-Control": "max-age=600", "ETag": "\"a\""])
            page.framing = .chunked
            page.piece = 16 << 10
            page.interval = .milliseconds(2)
            server.route("/page", .respond(page))
            let result = try await load(server.url("/page"), downloader)
            #expect(try result.data == Self.picture() && result.mayBeStored)
            // It is stored with the freshness of its page.
            let kept = EncodedResource(data: result.data, metadata: result.metadata)
            #expect(try await load(server.url("/page"), downloader, cached: kept).isNotModified)
            #expect(server.requestCount("/page") == 1)
        }
    }

    @Test func pictureLongerThanAPageIsLoadedWhole() async throws {
        try await withServer { server, downloader in
            let noise = try ImageCodersManager.shared.encode(
                TestImages.noise(width: 600, height: 600), format: .png, options: EncodingOptions())
            #expect(noise.count > 600 << 10)
            server.route("/big", .body(noise))
            server.route("/page", Self.og("/big"))
            for path in ["/big", "/page"] {
                #expect(try await load(server.url(path), downloader).data == noise)
            }
        }
    }

    @Test func cancelEndsBothDownloads() async throws {
        try await withServer { server, downloader in
            server.route("/hanging", .hang)
            server.route("/page", Self.og("/hanging"))
            for path in ["/hanging", "/page"] {
                let task = Task { await failure(server.url(path), downloader) }
                #expect(await eventually { server.requestCount("/hanging") > 0 && server.concurrentRequests > 0 })
                task.cancel()
                #expect(await task.value?.code == .cancelled)
            }
            #expect(await eventually { downloader.currentDownloadCount == 0 })
        }
    }

    // MARK: Hops and policies

    @Test func redirectsAndRefreshesAreFollowed() async throws {
        try await withServer { server, downloader in
            server.route("/short", .redirect(to: "/deep/page"))
            server.route("/deep/page", Self.html("<meta http-equiv=refresh content='0; url=last'>"))
            server.route("/deep/last", Self.og("../p.png", title: "Last"))
            let result = try await load(server.url("/short"), downloader)
            #expect(result.linkPreview?.url == server.url("/deep/last") && result.linkPreview?.title == "Last")
            // A page that leads its reader on later is a page of its own.
            server.route(
                "/slow", Self.html("<title>Slow</title><meta http-equiv=refresh content='60; url=/deep/last'>"))
            #expect(try await LinkPreviewImageLoader(downloader).preview(of: server.url("/slow")).title == "Slow")
            // A circle ends.
            server.route("/a", Self.html("<meta http-equiv=refresh content='0; url=/b'>"))
            server.route("/b", Self.html("<meta http-equiv=refresh content='0; url=/a'>"))
            #expect(await failure(server.url("/a"), downloader)?.code == .noPreview)
            #expect(server.requestCount("/a") + server.requestCount("/b") <= 4)
        }
    }

    enum Way: CaseIterable, Sendable { case picture, redirectOfPicture, refresh, redirectOfPage }

    /// The policy refuses every address but that of the page's own server.
    @Test(arguments: Way.allCases) func everyHopIsChecked(way: Way) async throws {
        let inner = try FaultServer(host: "127.0.0.66")
        defer { inner.stop() }
        inner.routeOthers(.body(try Self.picture()))
        var config = WebImageDownloaderConfig()
        config.policy = .server
        config.policy?.allowedAddresses = [try #require(AddressRange("127.0.0.1"))]
        try await withServer(config) { server, downloader in
            let secret = inner.url("/secret").absoluteString
            server.route("/away", .redirect(to: secret))
            switch way {
            case .picture: server.route("/page", Self.og(secret))
            case .redirectOfPicture: server.route("/page", Self.og("/away"))
            case .refresh: server.route("/page", Self.html("<meta http-equiv=refresh content='0; url=\(secret)'>"))
            case .redirectOfPage: server.route("/page", .redirect(to: secret))
            }
            let error = try #require(await failure(server.url("/page"), downloader))
            let causes = [error] + error.earlierFailures
            #expect(causes.contains { $0.code == .invalidDownloadOperation && $0.description.contains("not public") })
            #expect(inner.connectionCount == 0)
        }
    }

    @Test func otherOriginsReceiveNoCredentials() async throws {
        let other = try FaultServer(host: "127.0.0.66")
        defer { other.stop() }
        other.route("/p.png", .body(try Self.picture()))
        var config = WebImageDownloaderConfig()
        (config.username, config.password) = ("user", "secret")
        try await withServer(config) { server, downloader in
            downloader.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            downloader.setValue("secret", forHTTPHeaderField: "X-Key")
            server.route("/page", Self.og(other.url("/p.png").absoluteString))
            _ = try await load(server.url("/page"), downloader)
            #expect(server.requests.first?.headers["authorization"] != nil)
            let foreign = try #require(other.requests.first)
            #expect(
                !foreign.headers.values.contains { $0.contains("secret") } && foreign.headers["authorization"] == nil)
            // The own server receives them for the picture too.
            server.route("/own", Self.og("/p.png"))
            _ = try await load(server.url("/own"), downloader)
            #expect(server.requests.last?.path == "/p.png" && server.requests.last?.headers["x-key"] == "secret")
        }
    }

    @Test func securePageNamesNoInsecurePictureUnderAPolicy() throws {
        let downloader = WebImageDownloader()
        defer { downloader.shutdown() }
        downloader.config.policy = DownloadPolicy()
        let page = try #require(URL(string: "https://a.example/page"))
        for (address, isAllowed) in [
            ("http://a.example/p", false), ("https://b.example/p", true), ("ftp://a.example/p", false),
        ] {
            var load = ImageDataLoad(url: try #require(URL(string: address)))
            load.terms = FetchTerms(page: page)
            #expect(((try? downloader.parameters(for: load)) != nil) == isAllowed, "\(address)")
        }
    }

    @Test func refusedTypesOfPicturesStayRefused() async throws {
        var config = WebImageDownloaderConfig()
        config.acceptableContentTypes = ["image/png"]
        try await withServer(config) { server, downloader in
            server.route("/p.jpg", .body(try Self.picture(), type: "image/jpeg"))
            server.route(
                "/page",
                Self.html(
                    "<meta property=og:image content=/p.jpg><meta property=og:image content=/p.png>"))
            #expect(try await load(server.url("/page"), downloader).linkPreview?.chosenURL?.path == "/p.png")
        }
    }

    // MARK: Caches

    @Test func picturesAreCachedAsLongAsTheirPage() async throws {
        try await withServer { server, downloader in
            let folder = try ScratchFolder()
            let cache = ImageCache(namespace: "links", diskCacheDirectory: folder.path)
            let manager = WebImageManager(
                cache: cache, loader: ImageLoadersManager(loaders: [downloader, LinkPreviewImageLoader(downloader)]))
            let title = Locked("One")
            server.route(
                "/page",
                .dynamic { request in
                    let name = title.withLock { $0 }
                    if request.headers["if-none-match"] == "\"\(name)\"" {
                        return .respond(FaultResponse(.data(Data()), status: 304, headers: ["ETag": "\"\(name)\""]))
                    }
                    return Self.html(
                        "<title>\(name)</title><meta property=og:image content=/p.png>",
                        headers: ["ETag": "\"\(name)\"", "Cache-Control": "no-cache"])
                })
            let url = server.url("/page")
            let first = try await manager.image(for: url, options: .waitStoreCache)
            #expect(first.linkPreview?.title == "One")
            // From memory, and from disk.
            #expect(try await manager.image(for: url).linkPreview?.title == "One")
            cache.clearMemory()
            #expect(try await manager.image(for: url).linkPreview?.title == "One")
            #expect(server.requestCount("/page") == 1 && server.requestCount("/p.png") == 1)
            // The page has not changed: the picture is not fetched.
            cache.clearMemory()
            #expect(try await manager.image(for: url, options: .refreshCached).linkPreview?.title == "One")
            #expect(server.requestCount("/page") == 2 && server.requestCount("/p.png") == 1)
            // The page has another title and the same picture.
            title.withLock { $0 = "Two" }
            cache.clearMemory()
            let fresh = try await manager.image(for: url, options: [.refreshCached, .waitStoreCache])
            #expect(fresh.linkPreview?.title == "Two")
            cache.clearMemory()
            #expect(try await manager.image(for: url).linkPreview?.title == "Two")
            #expect(server.requestCount("/page") == 3)
        }
    }

    @Test func forbiddenStorageOfPageOrPictureIsKept() async throws {
        try await withServer { server, downloader in
            let secret = ["Cache-Control": "no-store"]
            server.route("/secret.png", .body(try Self.picture(), headers: secret))
            server.route("/own.png", .body(try Self.picture(), headers: ["Cache-Control": "private"]))
            server.route("/page", Self.og("/secret.png"))
            server.route("/secret", Self.html("<meta property=og:image content=/p.png>", headers: secret))
            server.route(
                "/own", Self.html("<meta property=og:image content=/own.png>", headers: ["Cache-Control": "max-age=9"]))
            #expect(try await !load(server.url("/page"), downloader).mayBeStored)
            #expect(try await !load(server.url("/secret"), downloader).mayBeStored)
            // A page of one user that leads to a page for all.
            server.route(
                "/leading",
                Self.html(
                    "<meta http-equiv=refresh content='0; url=/leaf'>", headers: ["Cache-Control": "private, max-age=9"]
                )
            )
            server.route(
                "/leaf", Self.html("<meta property=og:image content=/p.png>", headers: ["Cache-Control": "max-age=9"]))
            let led = try await load(server.url("/leading"), downloader)
            #expect(led.mayBeStored)
            #expect(!HTTPCachePolicy.mayShare(led.response, to: WebImageRequest(url: server.url("/leading"))))
            let own = try await load(server.url("/own"), downloader)
            #expect(own.mayBeStored)
            #expect(!HTTPCachePolicy.mayShare(own.response, to: WebImageRequest(url: server.url("/own"))))
        }
    }

    @Test func pageAndPictureOfOneAddressShareNoDownload() async throws {
        try await withServer { server, downloader in
            let load = ImageDataLoad(url: server.url("/x"))
            let page = LinkPreviewImageLoader(downloader).identity(of: load)
            #expect(
                page != downloader.identity(of: load) && page == LinkPreviewImageLoader(downloader).identity(of: load))
            #expect(page != LinkPreviewImageLoader(downloader, usesIcons: false).identity(of: load))
            let urlPart = try #require(page.urlPart)
            let text = String(decoding: Array((page.sharing ?? "").utf8)[urlPart], as: UTF8.self)
            #expect(text.contains(server.url("/x").absoluteString))
        }
    }

    @Test func tiersKeepThePreview() async throws {
        try await withServer { server, downloader in
            server.route("/p.png", .body(try Self.picture(), headers: ["Cache-Control": "max-age=600"]))
            server.route(
                "/page",
                Self.html(
                    "<title>T</title><meta property=og:image content=/p.png>",
                    headers: ["Cache-Control": "max-age=600"]))
            let tier = MemoryTier()
            for _ in 0..<2 {
                let loader = TieredImageLoader(LinkPreviewImageLoader(downloader), tiers: [tier])
                let load = ImageDataLoad(url: server.url("/page"))
                #expect(try await loader.loadData(for: load, progress: nil).linkPreview?.title == "T")
                await loader.flush(within: .seconds(60))
            }
            #expect(server.requestCount("/page") == 1)
        }
    }

    @Test func twentyLoadsShareOneDownload() async throws {
        try await withServer { server, downloader in
            let gate = FaultGate()
            server.route("/page", .gated(gate, Self.og("/p.png")))
            let folder = try ScratchFolder()
            let manager = WebImageManager(
                cache: ImageCache(namespace: "shared", diskCacheDirectory: folder.path),
                loader: LinkPreviewImageLoader(downloader))
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await manager.image(for: server.url("/page")).linkPreview?.title }
                }
                #expect(await eventually { server.requestCount("/page") == 1 })
                gate.open()
                for try await title in group { #expect(title == "T") }
            }
            #expect(server.requests.count == 2)
        }
    }
}
