import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Loads of URLs that differ only in a signature, which a key filter removes from the cache key.
@Suite(.timeLimit(minutes: 2))
struct SignedURLTests {
    private let journey: Journey
    private var manager: WebImageManager { journey.manager }

    init() throws {
        journey = try Journey()
        journey.manager.cacheKeyFilter = WebImageCacheKeyFilter { url in
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            parts?.query = nil
            return parts?.string
        }
    }

    private func url(_ signature: Int) throws -> URL {
        try #require(URL(string: journey.server.url("/a.png").absoluteString + "?s=\(signature)"))
    }

    private func serve(where isValid: @escaping @Sendable (Int) -> Bool = { _ in true }, status: Int = 403) throws {
        let file = try Journey.file(width: 40)
        journey.server.route(
            "/a.png",
            .dynamic { request in
                let signature = request.query.flatMap { Int($0.dropFirst(2)) } ?? -1
                return isValid(signature) ? .body(file) : .status(status)
            })
    }

    private func code(_ url: URL, _ context: WebImageContext = [:]) async -> WebImageError.Code? {
        do throws(WebImageError) {
            _ = try await manager.image(for: url, context: context)
            return nil
        } catch { return error.code }
    }

    /// The error codes of concurrent loads of these signatures; nil for success.
    private func codes(
        _ signatures: Range<Int>, context: @escaping @Sendable (Int) -> WebImageContext = { _ in [:] }
    ) async throws -> [WebImageError.Code?] {
        try await withThrowingTaskGroup(of: (Int, WebImageError.Code?).self) { group in
            for signature in signatures {
                let url = try url(signature)
                group.addTask { (signature, await code(url, context(signature))) }
            }
            var codes = [WebImageError.Code?](repeating: nil, count: signatures.count)
            for try await (signature, code) in group { codes[signature - signatures.lowerBound] = code }
            return codes
        }
    }

    private static var small: WebImageContext { [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)] }

    @Test func twentySignaturesCauseOneDownload() async throws {
        try serve()
        try await #expect(codes(0..<20).allSatisfy { $0 == nil })
        #expect(journey.server.requests.count == 1)
    }

    /// A stream of events, which uses the bytes while they arrive, shares the download of a load that does not.
    @Test(arguments: [false, true]) func eventsShareTheDownloadOfAnotherSignature(eventsAreFirst: Bool) async throws {
        let gate = FaultGate()
        journey.server.route("/a.png", .gated(gate, .body(try Journey.file(width: 40))))
        let urls = try [url(1), url(2)]
        @Sendable func load(_ url: URL, byEvents: Bool) async throws -> Int? {
            guard byEvents else { return try await manager.image(for: url).pixelSize.width }
            var width: Int?
            for try await event in manager.events(for: ImageRequest(url: url)) {
                if case .finished(let result) = event { width = result.image.pixelSize.width }
            }
            return width
        }
        let first = Task { try await load(urls[0], byEvents: eventsAreFirst) }
        #expect(await eventually { journey.server.requests.count == 1 })
        let second = Task { try await load(urls[1], byEvents: !eventsAreFirst) }
        try await Task.sleep(for: .milliseconds(30))
        gate.open()
        #expect(try await first.value == 40)
        #expect(try await second.value == 40)
        #expect(journey.server.requests.count == 1)
    }

    /// Two sizes need two decodes, but one download.
    @Test func sizesOfSignaturesShareTheDownload() async throws {
        try serve()
        try await #expect(codes(0..<20) { $0 % 2 == 0 ? Self.small : [:] }.allSatisfy { $0 == nil })
        #expect(journey.server.requests.count == 1)
    }

    @Test(arguments: [403, 404, 200]) func refusedSignatureLetsTheNextOneTry(status: Int) async throws {
        let file = try Journey.file(width: 40)
        journey.server.route(
            "/a.png",
            .dynamic { request in
                guard let query = request.query, query.hasPrefix("s=1") else {
                    return status == 200 ? .body(Data("no picture".utf8)) : .status(status)
                }
                return .body(file)
            })
        // The signatures 10 to 19 are valid.
        let codes = try await codes(5..<20) { $0 % 3 == 0 ? Self.small : [:] }
        #expect(codes[5...].allSatisfy { $0 == nil }, "\(codes)")
        #expect(journey.server.requests.count <= 15)
        for signature in 10..<20 { #expect(manager.failure(of: try url(signature)) == nil) }
    }

    /// A failure is remembered for the URL that was fetched, whichever load has started the work.
    @Test func onlyTheRefusedURLIsRemembered() async throws {
        try serve(where: { $0 != 0 }, status: 404)
        #expect(await code(try url(0)) == .invalidDownloadStatusCode)
        #expect(manager.failure(of: try url(0)) != nil)
        #expect(await code(try url(0)) == .blackListed)
        try await #expect(codes(0..<6)[1...].allSatisfy { $0 == nil })
        #expect(manager.failure(of: try url(1)) == nil)
    }

    @Test func otherCredentialsAreNotJoined() async throws {
        let file = try Journey.file(width: 40)
        journey.server.route("/a.png", .dynamic { $0.headers["authorization"] == nil ? .status(401) : .body(file) })
        let codes = try await codes(0..<8) { signature in
            guard signature % 2 == 0 else { return [:] }
            let modifier = WebImageDownloaderRequestModifier(
                method: nil, headers: ["Authorization": "ada"], body: nil, cacheScope: .scoped("ada"))
            return [.downloadRequestModifier: modifier]
        }
        for (signature, code) in codes.enumerated() {
            #expect(code == (signature % 2 == 0 ? nil : .invalidDownloadStatusCode))
        }
    }

    /// A row whose URL is signed anew again and again cancels each load before it starts the next one. The picture takes
    /// longer than any of these loads.
    @Test func rowThatIsSignedAnewShowsItsPicture() async throws {
        let file = try Journey.file(width: 40)
        let gate = FaultGate()
        journey.server.route("/a.png", .gated(gate, .body(file)))
        let ends = Calls<WebImageError.Code?>()
        let rounds = 30
        var last: WebImageCombinedOperation?
        for signature in 0..<rounds {
            last?.cancel()
            last = manager.loadImage(
                with: try url(signature), context: [.callbackQueue: CallbackQueue.invoking]
            ) { _, _, error, _, _, _ in ends.append(error?.code) }
            // Wait until the load has joined the work, or has sent a request.
            _ = await eventually { journey.server.requests.count > 0 }
            for _ in 0..<50 { await Task.yield() }
        }
        gate.open()
        try await eventually("the last load has ended") { ends.all.count == rounds }
        #expect(ends.all.last == .some(nil))
        // On a slow machine the work may end once before the next load has joined it.
        #expect(journey.server.requests.count < rounds / 2, "\(journey.server.requests.count) requests")
    }
}
