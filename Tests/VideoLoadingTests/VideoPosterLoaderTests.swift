import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageVideo
import WebImageVideoLoading

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageSandbox

/// Decodes videos in decoder processes, which have no network.
private final class WorkerCoder: ImageCoder {
    private let pool = SandboxPool()

    func canDecode(from data: Data) -> Bool { ImageVideoCoder.shared.canDecode(from: data) }
    func canEncode(to format: ImageFormat) -> Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("worker", "the test needs no facts")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try SandboxAnimation.decode(data, pool: pool, coder: ImageVideoCoder.workerCoder, options: options).image
    }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        throw .cannotEncode("worker", "videos are only read")
    }
}

/// Loads posters from servers that know ranges, and from servers that do with them as they please.
@Suite(.timeLimit(minutes: 10), .enabled(if: VideoSample.isThere))
struct VideoPosterLoaderTests {
    private static let noise = "testsrc2=size=480x360:rate=25:duration=2.5,noise=alls=80:allf=t"
    /// About 20 MB, with the header at the end.
    private static let large = VideoSample("mp4", "-c:v libx264 -preset ultrafast -qp 6 -g 25", source: noise)
    private static let small = VideoSample("mp4", "-c:v libx264 -preset ultrafast -g 10")
    /// Three megabytes of which no part decodes without the header at the end.
    private static let medium = VideoSample(
        "mp4", "-c:v libx264 -preset ultrafast -qp 6 -g 25",
        source: "testsrc2=size=320x240:rate=25:duration=1.5,noise=alls=80:allf=t")

    private static func options(_ time: Double? = nil) -> DecodingOptions {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        options.video.time = time
        return options
    }

    private static func context(_ time: Double?) -> WebImageContext {
        time.map { [.imageDecodeOptions: [.decodeVideoTime: $0] as ImageCoderOptions] } ?? [:]
    }

    private func load(
        _ url: URL, time: Double? = nil, coder: any ImageCoder = ImageVideoCoder.shared,
        limits: (bytes: Int, requests: Int) = (16 << 20, 48), encodedBytes: Int? = nil, readsUnnamed: Bool = false,
        resumeFolder: URL? = nil, _ change: (inout ImageDataLoad) -> Void = { _ in }
    ) async throws -> ImageDataResult {
        var config = WebImageDownloaderConfig()
        if readsUnnamed {
            // The addresses of servers are known only if they are checked.
            config.policy = .server
            config.policy?.allowedAddresses = [try #require(AddressRange("127.0.0.0/8"))]
        }
        config.resumeFolder = resumeFolder
        let downloader = WebImageDownloader(config: config)
        defer { downloader.shutdown() }
        var request = ImageRequest(url: url, context: Self.context(time))
        request.coder = coder
        if let encodedBytes {
            var limits = DecodingLimits()
            limits.maxEncodedBytes = encodedBytes
            request.limits = limits
        }
        let loader = VideoPosterLoader(
            downloader, readsUnnamed: readsUnnamed, maxBytes: limits.bytes, maxRequests: limits.requests)
        var load = ImageDataLoad(request)
        change(&load)
        return try await loader.loadData(for: load, progress: nil)
    }

    private func rows(_ image: Image) -> Data {
        image.pixels.withUnsafeBytes { bytes in
            (0..<image.pixels.height).reduce(into: Data()) { rows, y in
                rows += bytes[y * image.pixels.bytesPerRow..<y * image.pixels.bytesPerRow + image.pixels.width * 4]
            }
        }
    }

    /// Compares the posters without handing pixels to the test's message.
    private func areEqual(_ data: Data, _ whole: Data, _ options: DecodingOptions = options()) throws -> Bool {
        let coder = ImageVideoCoder.shared
        return try rows(coder.decode(data, options: options)) == rows(coder.decode(whole, options: options))
    }

    // MARK: Parts

    /// The header at the end, at the start and between, a container with its index at the end, and one without an index.
    @Test(arguments: [
        large, VideoSample("mp4", "-c:v libx264 -preset ultrafast -qp 6 -g 25 -movflags +faststart", source: noise),
        .init("mkv", "-c:v libx264 -preset ultrafast -qp 6 -g 25", source: noise),
        .init("ts", "-c:v libx264 -preset ultrafast -qp 6 -g 25", source: noise),
    ])
    func onlyPartsOfALargeVideoAreFetched(sample: VideoSample) async throws {
        let whole = try sample.data
        try #require(whole.count > 16 << 20)
        let server = try RangeServer(whole)
        defer { server.stop() }
        for time in [nil, 2] as [Double?] {
            let before = server.requestCount
            let result = try await load(server.url, time: time)
            let requests = server.requestCount - before
            print(
                "\(sample.container) at \(time ?? -1): \(result.data.count) of \(whole.count) bytes, \(requests) requests"
            )
            #expect(result.data.count < 6 << 20 && requests <= 12)
            #expect(!result.mayBeStored)
            #expect(try areEqual(result.data, whole, Self.options(time)))
        }
    }

    /// The decoder process names the bytes that it needs, and receives them from here.
    @Test(.needsRealDecoderProcesses, arguments: [nil, 1] as [Double?])
    func aDecoderProcessReceivesTheParts(time: Double?) async throws {
        let whole = try Self.medium.data
        let server = try RangeServer(whole)
        defer { server.stop() }
        let coder = WorkerCoder()
        let result = try await load(server.url, time: time, coder: coder)
        #expect(result.data.count < whole.count && server.requestCount > 1)
        let options = Self.options(time)
        let poster = try coder.decode(result.data, options: options)
        #expect(try rows(poster) == rows(ImageVideoCoder.shared.decode(whole, options: options)))
    }

    @Test(.enabled(if: NginxServer.isAvailable)) func nginxSendsThePartsOrTheWholeVideo() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let whole = try Self.large.data
        try whole.write(to: nginx.root.appendingPathComponent("film.mp4"))
        let parts = try await load(nginx.url("/film.mp4"))
        #expect(parts.data.count < 4 << 20 && !parts.mayBeStored)
        #expect(try areEqual(parts.data, whole))
        let result = try await load(nginx.url("/whole/film.mp4"))
        #expect(result.data == whole && result.mayBeStored)
    }

    @Test func aSmallVideoIsFetchedWithOneRequest() async throws {
        let whole = try Self.small.data
        let server = try RangeServer(whole)
        defer { server.stop() }
        let result = try await load(server.url)
        #expect(result.data == whole && result.mayBeStored && server.requestCount == 1)
    }

    /// A server may send less than it was asked for.
    @Test func halvesOfPartsAreEnough() async throws {
        let whole = try Self.medium.data
        let server = try RangeServer(whole, .halves)
        defer { server.stop() }
        #expect(try areEqual(try await load(server.url).data, whole))
    }

    // MARK: Servers without ranges

    @Test func partsNeedNotRepeatTheTimeOfTheVideo() async throws {
        let whole = try Self.large.data
        let server = try RangeServer(whole, .undated)
        defer { server.stop() }
        let result = try await load(server.url)
        #expect(server.requestCount > 1 && result.data.count < whole.count)
        #expect(try areEqual(result.data, whole))
    }

    @Test(arguments: [RangeBehaviour.ignored, .refused]) func theWholeVideoIsLoadedWithoutRanges(
        behaviour: RangeBehaviour
    ) async throws {
        let whole = try Self.medium.data
        let server = try RangeServer(whole, behaviour)
        defer { server.stop() }
        if case .refused = behaviour {
            // Every request with a range is refused, and the one without is answered.
            #expect(try await load(server.url).data == whole && server.requestCount == 2)
        } else {
            #expect(try await load(server.url).data == whole && server.requestCount == 1)
        }
        let error = await #expect(throws: WebImageError.self) {
            try await load(server.url, encodedBytes: whole.count - 1)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func whatIsNoVideoIsLoadedWhole() async throws {
        let picture = try ImageCodersManager.shared.encode(
            TestImages.solid(red: 3), format: .png, options: EncodingOptions())
        let server = try RangeServer(picture)
        defer { server.stop() }
        let result = try await load(server.url)
        #expect(result.data == picture && result.mayBeStored)
    }

    // MARK: Wrong answers

    @Test(arguments: [
        RangeBehaviour.otherStart, .tooLong, .noField, .otherTotal, .fewerBytes, .coded, .changed(isStrong: false),
    ])
    func wrongPartsAreErrors(behaviour: RangeBehaviour) async throws {
        let server = try RangeServer(try Self.medium.data, behaviour)
        defer { server.stop() }
        let error = await #expect(throws: WebImageError.self) { try await load(server.url) }
        #expect(error?.code == .invalidDownloadResponse && error?.url == server.url, "\(behaviour): \(error as Any)")
    }

    /// With a strong `ETag`, the server sends the new video instead of a part of it.
    @Test func aVideoThatChangesIsLoadedWhole() async throws {
        let whole = try Self.medium.data
        let server = try RangeServer(whole, .changed(isStrong: true))
        defer { server.stop() }
        let result = try await load(server.url)
        #expect(result.data == whole && server.requestCount == 2)
        #expect(result.response.value(forHTTPHeaderField: "etag") == "\"two\"")
    }

    @Test(arguments: [404, 416, 503]) func failureOfALaterPartIsThatOfTheLoad(status: Int) async throws {
        let server = try RangeServer(try Self.medium.data, .failing(status))
        defer { server.stop() }
        let error = await #expect(throws: WebImageError.self) { try await load(server.url) }
        #expect(error?.code == .invalidDownloadStatusCode)
    }

    // MARK: Limits

    @Test func bytesAndRequestsAreLimited() async throws {
        let whole = try Self.large.data
        let server = try RangeServer(whole)
        defer { server.stop() }
        // The header is not reached.
        let error = await #expect(throws: WebImageError.self) {
            try await load(server.url, limits: (bytes: 0, requests: 48))
        }
        #expect(error?.code == .limitExceeded && server.requestCount == 1)
        await #expect(throws: WebImageError.self) { try await load(server.url, limits: (bytes: 16 << 20, requests: 1)) }
        #expect(server.requestCount == 2)
        // The limit of the decode counts what is fetched.
        let other = await #expect(throws: WebImageError.self) { try await load(server.url, encodedBytes: 300_000) }
        #expect(other?.code == .limitExceeded)
    }

    /// A video that is black for longer than the limit has a black poster.
    @Test func theBestFrameOfThePartsIsThePoster() async throws {
        let sample = VideoSample(
            "mp4", "-c:v libx264 -preset ultrafast -qp 4 -g 10 -movflags +faststart",
            source: "testsrc2=size=320x240:rate=25:duration=8,noise=alls=80:allf=t,lutyuv=y=16+val/255,format=yuv420p")
        let whole = try sample.data
        let server = try RangeServer(whole)
        defer { server.stop() }
        let result = try await load(server.url, limits: (bytes: 1 << 18, requests: 48))
        #expect(result.data.count < 300_000 && whole.count > 600_000)
        let poster = try ImageVideoCoder.shared.decode(result.data, options: Self.options())
        #expect(poster.pixelSize == PixelSize(width: 320, height: 240))
    }

    // MARK: URLs without the extension of a video

    /// The normal answer is broken off, and its bytes are the first part. The server would send the rest only when the gate is
    /// open.
    @Test(arguments: [("/media/123", "video/mp4"), ("/film.php", "application/octet-stream"), ("/film", "image/jpeg")])
    func aVideoWithoutANameIsReadInParts(name: String, type: String) async throws {
        let whole = try Self.large.data
        for time in [nil, 2] as [Double?] {
            let gate = FaultGate()
            let server = try RangeServer(whole, .gated(gate), name: name, type: type)
            defer {
                gate.open()
                server.stop()
            }
            let received = Locked(0)
            let result = try await load(server.url, time: time, readsUnnamed: true) { load in
                load.receivedData = { data, _ in received.withLock { $0 += data.count } }
                load.receivedBody = { body, _ in received.withLock { $0 += body.count() + 1 } }
            }
            let requests = server.server.requests
            print("\(name) at \(time ?? -1): \(result.data.count) of \(whole.count) bytes, \(requests.count) requests")
            #expect(server.sentBytes < 6 << 20 && (2...12).contains(requests.count))
            #expect(requests[0].headers["range"] == nil)
            #expect(
                requests.dropFirst().allSatisfy { $0.headers["range"] != nil && $0.headers["if-range"] == "\"one\"" })
            #expect(!result.mayBeStored && received.withLock { $0 } == result.data.count)
            // The address of the server whose answer was broken off is known like that of any other.
            let stored = try #require(result.metadata.flatMap(StoredResponse.init(serialized:)))
            #expect(stored.hops.count == 1)
            #expect(try areEqual(result.data, whole, Self.options(time)))
        }
    }

    /// The answer is broken off on purpose, so that no later download would continue its part.
    @Test func theBrokenOffAnswerIsNotKept() async throws {
        let scratch = try ScratchFolder()
        let server = try RangeServer(try Self.large.data, name: "/film")
        defer { server.stop() }
        _ = try await load(server.url, readsUnnamed: true, resumeFolder: scratch.url)
        #expect(server.requestCount > 1)
        let kept =
            FileManager.default.enumerator(atPath: scratch.url.path)?.allObjects.compactMap { $0 as? String } ?? []
        #expect(!kept.contains { $0.hasSuffix(".part") }, "\(kept)")
    }

    /// A redirect leads to the video: the servers on the way are known, too.
    @Test func aRedirectLeadsToAVideo() async throws {
        let server = try RangeServer(try Self.large.data, name: "/files/film")
        defer { server.stop() }
        server.server.route("/media/123", .redirect(to: "/files/film"))
        let result = try await load(server.server.url("/media/123"), readsUnnamed: true)
        let stored = try #require(result.metadata.flatMap(StoredResponse.init(serialized:)))
        #expect(!result.mayBeStored && stored.redirects.count == 1 && !stored.hops.isEmpty)
    }

    /// A picture costs one request without a range, and each listener receives its bytes as they arrive.
    @Test(arguments: [300, 5000, 2_000_000])
    func aPictureWithoutANameCostsOneRequest(count: Int) async throws {
        var picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        picture += (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 ^ $0 >> 8) }
        let server = try RangeServer(picture, name: "/media/123", type: "image/png")
        defer { server.stop() }
        let (received, bodies) = (Locked(Data()), Locked(0))
        let result = try await load(server.url, readsUnnamed: true) { load in
            load.receivedData = { data, _ in received.withLock { $0 += data } }
            load.receivedBody = { _, _ in bodies.withLock { $0 += 1 } }
        }
        #expect(result.data == picture && result.mayBeStored && result.response.statusCode == 200)
        #expect(received.withLock { $0 } == picture && bodies.withLock { $0 } == 1)
        #expect(server.requestCount == 1 && server.server.requests[0].headers["range"] == nil)
    }

    /// Breaking an answer off would not pay, or the server would not continue.
    @Test func aSmallVideoAndAServerWithoutRangesNeedOneRequest() async throws {
        for (sample, behaviour) in [(Self.small, RangeBehaviour.right), (Self.large, .silent), (Self.large, .ignored)] {
            let whole = try sample.data
            let server = try RangeServer(whole, behaviour, name: "/media/123")
            defer { server.stop() }
            let received = Locked(0)
            let result = try await load(server.url, readsUnnamed: true) { load in
                load.receivedData = { data, _ in received.withLock { $0 += data.count } }
            }
            #expect(result.data == whole && result.mayBeStored && server.requestCount == 1)
            #expect(received.withLock { $0 } == whole.count)
        }
    }

    /// The limit counts what is fetched of a video, and every byte of a picture.
    @Test func theLimitOfAVideoWithoutANameCountsItsParts() async throws {
        let whole = try Self.large.data
        let server = try RangeServer(whole, name: "/media/123")
        let picture = try RangeServer(
            Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 4 << 20), name: "/media/124")
        defer {
            server.stop()
            picture.stop()
        }
        let result = try await load(server.url, encodedBytes: 2 << 20, readsUnnamed: true)
        #expect(result.data.count <= 2 << 20)
        #expect(try areEqual(result.data, whole))
        await #expect { try await load(picture.url, encodedBytes: 2 << 20, readsUnnamed: true) } throws: {
            ($0 as? WebImageError)?.code == .limitExceeded
        }
    }

    /// A cancel ends the load, whether the answer was broken off or not.
    @Test func aCancelIsNoStartOfAVideo() async throws {
        let gate = FaultGate()
        let server = try RangeServer(
            Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 4 << 20), .gated(gate), name: "/a")
        defer {
            gate.open()
            server.stop()
        }
        let (hasStarted, url) = (Locked(false), server.url)
        let task = Task {
            try await load(url, readsUnnamed: true) { load in
                load.receivedBody = { _, _ in hasStarted.withLock { $0 = true } }
            }
        }
        #expect(await eventually { hasStarted.withLock { $0 } })
        task.cancel()
        await #expect { try await task.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
    }

    // MARK: Loads

    @Test func urlsOfVideosAreAccepted() {
        func accepts(_ text: String) -> Bool {
            VideoPosterLoader.shared.canLoad(ImageDataLoad(url: URL(string: text)!))
        }
        #expect(accepts("https://example.org/a.mp4?x=1") && accepts("http://example.org/A.MKV"))
        #expect(
            !accepts("https://example.org/a.png") && !accepts("file:///a.mp4") && !accepts("https://example.org/mp4"))
        let all = VideoPosterLoader(.shared, readsUnnamed: true)
        func readsUnnamed(_ text: String) -> Bool { all.canLoad(ImageDataLoad(url: URL(string: text)!)) }
        #expect(readsUnnamed("https://example.org/media/123?x=a.png") && readsUnnamed("https://example.org/a.php"))
        #expect(readsUnnamed("https://example.org/a.mp4") && !readsUnnamed("https://example.org/a.webp"))
        #expect(!readsUnnamed("s3://bucket/a") && !readsUnnamed("file:///a"))
    }

    /// Each frame is in other parts of the video.
    @Test func loadsOfOtherFramesAreOtherLoads() {
        func identity(_ time: Double?) -> LoadIdentity {
            let load = ImageDataLoad(
                url: URL(string: "https://example.org/a.mp4")!, context: Self.context(time))
            return VideoPosterLoader.shared.identity(of: load)
        }
        #expect(identity(1) == identity(1) && identity(1) != identity(2) && identity(nil) != identity(0))
        let plain = WebImageDownloader.shared.identity(
            of: ImageDataLoad(url: URL(string: "https://example.org/a.mp4")!))
        #expect(identity(nil).sharing != plain.sharing)
    }

    /// The manager shows the poster and no animation, stores no part, and has the picture in memory.
    @Test func theManagerShowsThePoster() async throws {
        let whole = try Self.medium.data
        let server = try RangeServer(whole)
        let downloader = WebImageDownloader(config: WebImageDownloaderConfig())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("posters-\(UUID())")
        defer {
            downloader.shutdown()
            server.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        var configuration = WebImageConfiguration(name: "posters")
        configuration.folder = folder
        configuration.coders = ImageCodersManager(coders: [ImageVideoCoder.shared])
        configuration.loaders = [VideoPosterLoader(downloader)]
        let manager = WebImageManager(configuration)
        let image = try await manager.image(for: server.url)
        #expect(!image.isAnimated && image.pixelSize == PixelSize(width: 320, height: 240))
        let count = server.requestCount
        #expect(count > 1)
        _ = try await manager.image(for: server.url)
        #expect(server.requestCount == count)
        #expect(await !manager.diskImageExists(for: server.url))
    }
}
