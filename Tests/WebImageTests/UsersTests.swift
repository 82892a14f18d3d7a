import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// Loads one URL with the real downloader, first for two users and then with a load that is cancelled.
@Suite(.timeLimit(minutes: 1))
struct UsersTests {
    let journey: Journey
    let url: URL

    init() throws {
        journey = try Journey()
        url = journey.server.url("/mine.png")
    }

    private func downloader(_ token: String) -> WebImageDownloader {
        let downloader = WebImageDownloader(config: .default)
        downloader.setValue(token, forHTTPHeaderField: "Authorization")
        return downloader
    }

    /// Makes the server respond with an image whose width in pixels is the length of the request's token.
    private func routeByToken(_ gate: FaultGate) throws {
        let files = try Dictionary(
            uniqueKeysWithValues: ["Bearer lin", "Bearer grace"].map { ($0, try Journey.file(width: $0.count)) })
        journey.server.route(
            "/mine.png",
            .gated(
                gate,
                .dynamic { request in
                    files[request.headers["authorization"] ?? ""].map { .body($0) } ?? .status(401)
                }))
    }

    @Test func twoUsersOfOneURLHaveTwoDownloadsAndTwoEntries() async throws {
        let gate = FaultGate()
        try routeByToken(gate)
        let users = ["Bearer lin", "Bearer grace"].map { (token: $0, loader: downloader($0)) }
        defer { users.forEach { $0.loader.cancelAllDownloads() } }
        let manager = journey.manager
        let loads = users.map { user in
            Task { try await manager.image(for: url, context: [.imageLoader: user.loader]).pixelSize.width }
        }
        #expect(await eventually { journey.server.requestCount("/mine.png") == 2 })
        gate.open()
        for (user, load) in zip(users, loads) { #expect(try await load.value == user.token.count) }
        journey.cache.config.shouldUseWeakMemoryCache = false
        for origin in [ImageCacheType.memory, .disk] {
            for user in users {
                let result = try await manager.result(for: url, context: [.imageLoader: user.loader])
                #expect(result.image.pixelSize.width == user.token.count && result.cacheType == origin)
            }
            await journey.cache.flush()
            journey.cache.clearMemory()
        }
        let keys = users.map { manager.cacheKey(for: url, context: [.imageLoader: $0.loader]) }
        #expect(Set(keys + [url.absoluteString]).count == 3)
        #expect(!keys.contains { $0?.contains("lin") ?? true }, "a key holds no secret")
        #expect(journey.cache.diskImageDataSync(forKey: url.absoluteString) == nil)
        #expect(journey.server.requestCount("/mine.png") == 2)
        // A load without credentials receives neither image.
        await #expect(throws: WebImageError.self) { try await manager.image(for: url) }
    }

    @Test func modifierThatSetsTheUserSharesNoDownloadOrEntry() async throws {
        let gate = FaultGate()
        try routeByToken(gate)
        gate.open()
        for token in ["Bearer lin", "Bearer grace", "Bearer lin"] {
            let modifier = WebImageDownloaderRequestModifier(
                headers: ["Authorization": token], cacheScope: .scoped(token.count.description))
            let image = try await journey.manager.image(for: url, context: [.downloadRequestModifier: modifier])
            #expect(image.pixelSize.width == token.count)
        }
        #expect(journey.server.requestCount("/mine.png") == 2)
    }

    @Test func nearlyCompleteDownloadIsStoredAfterItsCancel() async throws {
        // The time for the rest of a download does not pass.
        let (journey, gate) = (try Journey(clock: VirtualClock()), FaultGate())
        let url = journey.server.url("/mine.png")
        // Noise does not compress, so the file arrives in pieces.
        let file = try ImageCodersManager.shared.encode(
            TestImages.noise(width: 200, height: 200), format: .png, options: EncodingOptions())
        var response = FaultResponse(.data(file), headers: ["Content-Type": "image/png"])
        (response.firstPiece, response.lastPiece) = (file.count * 95 / 100, gate)
        journey.server.route("/mine.png", .respond(response))
        let ends = Calls<WebImageError.Code?>()
        let received = Locked(0)
        let operation = journey.manager.loadImage(
            with: url, context: [.callbackQueue: CallbackQueue.invoking],
            progress: { count, _, _ in received.withLock { $0 = count } },
            completed: { _, _, error, _, _, _ in ends.append(error?.code) })
        #expect(await eventually { received.withLock { $0 } == response.firstPiece })
        operation.cancel()
        #expect(ends.all == [.cancelled])
        gate.open()
        #expect(await eventually { journey.cache.diskImageDataSync(forKey: url.absoluteString) == file })
        #expect(ends.all.count == 1)
        #expect(try await journey.manager.result(for: url).cacheType == .disk)
        #expect(journey.server.requestCount("/mine.png") == 1)
    }
}
