import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// A failed refresh does not mark a URL as failed while a valid image is cached. A load with undeclared credentials
/// never marks its URL as failed.
@Suite(.timeLimit(minutes: 1))
struct FailedRefreshTests {
    private let journey: Journey
    private var manager: WebImageManager { journey.manager }

    init() throws { journey = try Journey() }

    static let failures: [(String, FaultBehaviour)] = [
        ("404", .status(404)), ("410", .status(410)), ("no picture", .body(Data("nothing".utf8))),
        ("empty", .body(Data())),
    ]

    @Test(arguments: failures.indices) func failedRefreshKeepsTheCachedImage(index: Int) async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .body(try Journey.file(width: 40), headers: ["ETag": "\"1\""]))
        _ = try await manager.image(for: url)
        await journey.cache.flush()
        journey.server.route("/a.png", Self.failures[index].1)
        for clears in [false, true] {
            if clears { journey.cache.clearMemory() }
            let refreshed = try await manager.image(for: url, options: .refreshCached)
            #expect(refreshed.pixelSize.width == 40)
            #expect(manager.failure(of: url) == nil)
            if clears { journey.cache.clearMemory() }
            try await #expect(manager.image(for: url).pixelSize.width == 40)
        }
        // A failed refresh of a thumbnail does not mark the URL as failed.
        let context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)]
        _ = try? await manager.image(for: url, options: .refreshCached, context: context)
        try await #expect(manager.image(for: url, context: context).pixelSize.width == 20)
    }

    @Test(arguments: [200, 404]) func notModifiedUnderAModifierKeepsTheImage(status: Int) async throws {
        let url = journey.server.url("/a.png")
        let file = try Journey.file(width: 40)
        journey.server.route(
            "/a.png",
            .dynamic { request in
                request.headers["if-none-match"] == "\"1\""
                    ? .respond(FaultResponse(.data(Data()), status: 304)) : .body(file, headers: ["ETag": "\"1\""])
            })
        _ = try await manager.image(for: url)
        await journey.cache.flush()
        let context: WebImageContext = [
            .downloadResponseModifier: WebImageDownloaderResponseModifier(statusCode: status),
            .callbackQueue: CallbackQueue.invoking,
        ]
        let heard = Locked<[WebImageError?]>([])
        let operation: WebImageCombinedOperation = manager.loadImage(
            with: url, options: .refreshCached, context: context
        ) { _, _, error, _, _, _ in heard.withLock { $0.append(error) } }
        #expect(await eventually { !manager.isRunning })
        #expect(!operation.isCancelled)
        #expect(heard.withLock { $0.count } == 1 && heard.withLock { $0.allSatisfy { $0 == nil } })
        #expect(manager.failure(of: url) == nil)
        journey.cache.clearMemory()
        try await #expect(manager.image(for: url).pixelSize.width == 40)
    }

    @Test func failureUnderUndeclaredCredentialsCondemnsForNobodyElse() async throws {
        let url = journey.server.url("/a.png")
        let file = try Journey.file(width: 40)
        journey.server.route(
            "/a.png", .dynamic { $0.headers["authorization"] == "alice" ? .body(file) : .status(404) })
        func load(_ user: String) async throws -> Int {
            let modifier = WebImageDownloaderRequestModifier(headers: ["Authorization": user])
            return try await manager.image(for: url, context: [.downloadRequestModifier: modifier]).pixelSize.width
        }
        await #expect { try await load("bob") } throws: { ($0 as? WebImageError)?.code == .invalidDownloadStatusCode }
        try await #expect(load("alice") == 40)
        // The failure is remembered for these credentials alone.
        await #expect { try await load("bob") } throws: { ($0 as? WebImageError)?.code == .blackListed }
        try await #expect(load("alice") == 40)
    }

    @Test func failureWithoutCredentialsIsRememberedAsBefore() async throws {
        let url = journey.server.url("/missing.png")
        await #expect { try await manager.image(for: url) } throws: {
            ($0 as? WebImageError)?.underlying == .http(status: 404)
        }
        await #expect { try await manager.image(for: url) } throws: { ($0 as? WebImageError)?.code == .blackListed }
        #expect(journey.server.requests.count == 1)
    }
}
