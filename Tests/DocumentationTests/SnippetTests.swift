import Foundation
import Testing
import WebImage
import WebImageServer
import WebImageService
import WebImageTestTraits
import WebImageTesting

/// Runs the snippets that need no network and checks the effect that the documents describe.
@Suite(.timeLimit(minutes: 1)) struct SnippetTests {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("snippets-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The snippets use the shared manager, which would otherwise use the user's cache folder.
        ImageCache.defaultDiskCacheDirectory = Self.sharedFolder
    }

    private static let sharedFolder = NSTemporaryDirectory() + "/snippets-shared/webimage"

    private func picture(_ name: String, width: Int = 640, height: Int = 480) throws -> URL {
        let image = try TestImages.solid(width: width, height: height)
        let file = folder.appendingPathComponent(name)
        try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions()).write(to: file)
        return file
    }

    private func privately<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body()
    }

    @Test func previewIsAWebPThatFits() async throws {
        try await privately {
            let image = try await preview(of: picture("wide.png"))
            let info = try ImageCodersManager.shared.imageInfo(of: image.data, limits: .default)
            #expect(image.contentType == "image/webp")
            #expect(info.format == .webP)
            #expect(info.pixelSize == PixelSize(width: 320, height: 240))
        }
    }

    @Test func uploadsBecomePicturesThroughBothFrameworks() async throws {
        try await privately {
            let uploads = AvatarUploads(folder: folder)
            let file = [UInt8](try Data(contentsOf: picture("upload.png", width: 700, height: 600)))
            let hummingbird =
                avatarRoute(uploads)
                as @Sendable (Hummingbird.Request, SessionContext) async throws -> Hummingbird.Response
            let vapor = avatarRoute(uploads) as @Sendable (Vapor.Request) async throws -> Vapor.Response
            func request(_ bytes: [UInt8]) -> Hummingbird.Request {
                let parts = [
                    ByteBuffer(bytes: Array(bytes.prefix(100))), ByteBuffer(bytes: Array(bytes.dropFirst(100))),
                ]
                return .init(body: .init(chunks: parts))
            }
            let context = SessionContext(userID: "someone")
            #expect(try await hummingbird(request(file), context).status.code == 201)
            #expect(try await vapor(.init(body: .init(data: ByteBuffer(bytes: file)))).status.statusCode == 201)
            for user in ["someone", "user"] {
                for (name, side) in [("large.png", 512), ("small.webp", 64)] {
                    let data = try Data(contentsOf: folder.appendingPathComponent(user + "/" + name))
                    let info = try ImageCodersManager.shared.imageInfo(of: data, limits: .default)
                    #expect(info.pixelSize == PixelSize(width: side, height: side))
                }
            }
            let text = Array("<html>no picture</html>".utf8)
            let refused = try await hummingbird(request(text), context)
            #expect(refused.status.code == 415 && !refused.body.byteBuffer.bytes.isEmpty)
            #expect(try await vapor(.init(body: .init(data: ByteBuffer(bytes: text)))).status.statusCode == 415)
            #expect(try await vapor(.init(body: .init(data: nil))).status.statusCode == 400)
            await #expect(throws: Hummingbird.TooLarge.self) {
                try await hummingbird(request([UInt8](repeating: 0, count: uploads.maxBytes + 1)), context)
            }
            #expect(await uploads.store(Data(count: uploads.maxBytes + 1), user: "someone").status == 413)
        }
    }

    @Test func previewOfTooManyBytesIsRefused() async throws {
        try await privately {
            let file = folder.appendingPathComponent("large.png")
            try Data(count: 20_000_001).write(to: file)
            let error = await #expect(throws: WebImageError.self) { try await preview(of: file) }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test func callbackReceivesTheImageAtItsSize() async throws {
        try await privately {
            let file = try picture("callback.png", width: 1024, height: 256)
            let size = await withCheckedContinuation { continuation in
                _ = load(file) { continuation.resume(returning: $0.pixelSize) }
            }
            #expect(size == PixelSize(width: 512, height: 128))
        }
    }

    @Test func farbfeldIsReadWithinLimits() throws {
        let header = Array("farbfeld".utf8) + [0, 0, 0, 2, 0, 0, 0, 1]
        let file = Data(header + [255, 255, 128, 0, 0, 0, 255, 255] + [UInt8](repeating: 7, count: 8))
        let coders = ImageCodersManager(coders: [FarbfeldCoder()])
        let image = try coders.decode(file, options: DecodingOptions())
        #expect(image.pixelSize == PixelSize(width: 2, height: 1))
        #expect(image.pixels.withUnsafeBytes { Array($0[0..<8]) } == [255, 128, 0, 255, 7, 7, 7, 7])
        for count in 0..<file.count {
            #expect(throws: WebImageError.self) { try coders.decode(file.prefix(count), options: DecodingOptions()) }
        }
        let lie = Data(Array("farbfeld".utf8) + [UInt8](repeating: 255, count: 16))
        var options = DecodingOptions()
        options.limits = .unlimited
        #expect(throws: WebImageError.self) { try FarbfeldCoder().decode(lie, options: options) }
    }

    @Test func tierOfTheGuideConforms() async {
        #expect(await CacheTierConformance(MemoryTier()).faults().isEmpty)
    }

    /// Two managers with caches of their own stand for two machines.
    @Test func secondMachineLoadsFromTheTierOfTheGuide() async throws {
        let origin = try FaultServer()
        let data = try ImageCodersManager.shared.encode(
            TestImages.solid(width: 40, height: 30), format: .png, options: EncodingOptions())
        origin.route("/a.png", .body(data, headers: ["Cache-Control": "max-age=600"]))
        origin.route("/own.png", .body(data, headers: ["Cache-Control": "private, max-age=600"]))
        let tier = MemoryTier()
        func load(_ path: String) async throws -> PixelSize {
            let cache = ImageCache(
                namespace: "machine", diskCacheDirectory: folder.appendingPathComponent(UUID().uuidString).path)
            let loader = TieredImageLoader(WebImageDownloader(), tiers: [tier])
            let manager = WebImageManager(cache: cache, loader: loader)
            let image = try await manager.image(for: origin.url(path))
            // The tier is written in the background.
            await loader.flush(within: .seconds(30))
            return image.pixelSize
        }
        for (path, fetches) in [("/a.png", 1), ("/own.png", 2)] {
            let before = origin.requests.count
            for _ in 0..<2 { #expect(try await load(path) == PixelSize(width: 40, height: 30)) }
            #expect(origin.requests.count == before + fetches, "\(path)")
        }
    }

    @Test func bundleLoaderReadsOnlyItsFolder() async throws {
        try await privately {
            _ = try picture("icon.png", width: 3, height: 3)
            let loaders = ImageLoadersManager(loaders: [BundleImageLoader(folder: folder)])
            let manager = WebImageManager(
                cache: ImageCache(namespace: "bundle", diskCacheDirectory: folder.path + "/cache"), loader: loaders)
            let url = try #require(URL(string: "bundle:icon.png"))
            #expect(try await manager.image(for: url).pixelSize == PixelSize(width: 3, height: 3))
            let outside = try #require(URL(string: "bundle:../../../../etc/hostname"))
            await #expect(throws: WebImageError.self) { try await manager.image(for: outside) }
        }
    }

    @Test func separateManagerStoresImagesOnDiskOnly() async throws {
        try await privately {
            let manager = makeManager(cacheFolder: folder.path + "/cache")
            let server = try FaultServer()
            defer { server.stop() }
            server.route("/kept.png", .body(try Data(contentsOf: try picture("kept.png", width: 5, height: 5))))
            let url = server.url("/kept.png")
            _ = try await manager.image(for: url, options: .waitStoreCache)
            #expect(try await manager.result(for: url).cacheType == .disk)
        }
    }

    @Test func guardedDownloaderFetchesOnlyFromItsServers() async throws {
        try await privately {
            let own = try #require(AddressRange("127.0.0.1"))
            let manager = WebImageManager(
                cache: ImageCache(namespace: "guarded", diskCacheDirectory: folder.path + "/cache"),
                loader: makeGuardedDownloader(ownServers: own))
            let data = try Data(contentsOf: try picture("small.png", width: 5, height: 5))
            let (server, hidden) = (try FaultServer(), try FaultServer(host: "127.0.0.2"))
            defer {
                server.stop()
                hidden.stop()
            }
            server.route("/small.png", .body(data))
            hidden.route("/small.png", .body(data))
            #expect(try await manager.image(for: server.url("/small.png")).pixelSize == PixelSize(width: 5, height: 5))
            server.route("/away.png", .redirect(to: hidden.url("/small.png").absoluteString))
            for url in [hidden.url("/small.png"), server.url("/away.png")] {
                let error = await #expect(throws: WebImageError.self) { try await manager.image(for: url) }
                #expect(error?.code == .invalidDownloadOperation)
            }
            #expect(hidden.connectionCount == 0)

            server.route("/large.png", .respond(FaultResponse(.zeros(10_000_001))))
            let error = await #expect(throws: WebImageError.self) {
                try await manager.image(for: server.url("/large.png"))
            }
            #expect(error?.code == .limitExceeded)
            for step in 0..<4 { server.route("/step\(step)", .redirect(to: "/step\(step + 1)")) }
            server.route("/step4", .body(data))
            await #expect(throws: WebImageError.self) { try await manager.image(for: server.url("/step0")) }
            #expect(try await manager.image(for: server.url("/step1")).pixelSize == PixelSize(width: 5, height: 5))
        }
    }

    @Test func handlerRefusesFilesAndDataURLs() async throws {
        try await privately {
            let file = try picture("secret.png")
            let handler = PreviewHandler(cacheFolder: folder.path + "/cache")
            let pixel = "data:image/png;base64," + (try Data(contentsOf: file).base64EncodedString())
            for url in [file.absoluteString, pixel] {
                let answer = await handler.answer(ServiceRequest(target: "/?width=10&url=\(url)"))
                #expect(answer.status == 400, "\(url): \(answer)")
            }
            for loaders in [[DataURLImageLoader()], [DataURLImageLoader(), FileImageLoader()]] as [[any ImageLoader]] {
                let several = PreviewHandler(
                    cacheFolder: folder.path + "/\(UUID().uuidString)",
                    loader: ImageLoadersManager(loaders: loaders + [PreviewHandler.downloader()]))
                for (url, status) in [(file.absoluteString, 400), (pixel, 200)] {
                    let answer = await several.answer(ServiceRequest(target: "/?width=10&url=\(url)"))
                    #expect(answer.status == status, "\(url): \(answer)")
                }
            }
        }
    }

    @Test func handlerIsServedByAnHTTPServer() async throws {
        try await privately {
            let loader = FakeDataLoader()
            let url = try #require(URL(string: "https://example.org/a.png"))
            loader.answer(url, with: .success(try Data(contentsOf: picture("a.png"))))
            let server = try serve(
                PreviewHandler(cacheFolder: folder.path + "/cache", loader: loader), on: "127.0.0.1:0")
            let client = WebImageManager(
                cache: ImageCache(namespace: "client", diskCacheDirectory: folder.path + "/client"),
                loader: ImageLoadersManager.shared)
            let base = "http://\(server.addresses[0])"
            let preview = try #require(URL(string: "\(base)/preview?width=64&url=\(url.absoluteString)"))
            #expect(try await client.image(for: preview).pixelSize == PixelSize(width: 64, height: 48))
            let health = try #require(URL(string: base + "/healthz"))
            let answer = try await ImageLoadersManager.shared.loadData(for: ImageDataLoad(url: health), progress: nil)
            #expect(answer.data == Data("ok\n".utf8))
            await server.stop(within: .seconds(5))
        }
    }

    /// The table of the guide shows the texts and statuses that the handler answers.
    @Test func errorsOfTheGuideAreTheErrorsOfTheHandler() async throws {
        try await privately {
            let guide = try #require(Document.all.first { $0.path.hasSuffix("/Server.md") })
            let rows = guide.text.matches(of: /\n\| (\d{3}) \| `([^`]+)` \|/).map { (Int($0.1), String($0.2)) }
            #expect(rows.count == 5)
            let server = try FaultServer()
            defer { server.stop() }
            server.route("/text.png", .body(Data("no picture".utf8)))
            let own = WebImageDownloader(config: WebImageDownloaderConfig())
            var found: [(Int, String)] = []
            for (url, loader) in [
                ("http://10.0.0.1/a.png", nil), ("file:///etc/hostname", nil),
                (server.url("/text.png").absoluteString, own), (server.url("/gone.png").absoluteString, own),
                ("https://example.org/large.png", FakeDataLoader()),
            ] as [(String, (any ImageLoader)?)] {
                if let fake = loader as? FakeDataLoader, let url = URL(string: url) {
                    fake.answer(url, with: .success(Data(count: 20_000_001)))
                }
                let handler = PreviewHandler(
                    cacheFolder: folder.path + "/\(UUID().uuidString)", loader: loader ?? PreviewHandler.downloader())
                let answer = await handler.answer(ServiceRequest(target: "/?width=10&url=\(url)"))
                guard case .bytes(let data) = answer.body else { continue }
                let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
                found.append(
                    (
                        answer.status,
                        text.replacingOccurrences(of: server.url("/").absoluteString, with: "https://example.org/")
                    ))
            }
            #expect(found.map(\.0) == rows.map(\.0))
            for (row, answer) in zip(rows, found) { #expect(row.1 == answer.1) }
        }
    }

    @Test func hostPolicyRefusesEveryOtherHost() throws {
        let policy = makeHostPolicy()
        for allowed in ["https://example.org/a.png", "http://images.example.org/a.png"] {
            #expect(policy.refusal(of: try #require(URL(string: allowed))) == nil, "\(allowed)")
        }
        for refused in [
            "https://example.com/a.png", "https://notexample.org/a.png", "http://127.0.0.1/", "file:///a.png",
        ] {
            #expect(policy.refusal(of: try #require(URL(string: refused))) != nil, "\(refused)")
        }
        let address = try #require(IPAddress("10.0.0.1"))
        #expect(policy.refusal(of: address, url: try #require(URL(string: "http://images.example.org/"))) != nil)
    }
}
