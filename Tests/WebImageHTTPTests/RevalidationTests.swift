import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests requests that check whether a cached resource is still current.
@Suite(.timeLimit(minutes: 1))
struct RevalidationTests {
    private func refresh(_ url: URL, _ result: ImageDataResult) -> ImageDataLoad {
        var load = ImageDataLoad(url: url, options: .refreshCached)
        load.cached = EncodedResource(data: result.data, metadata: result.metadata)
        return load
    }

    private func answer(_ headers: [String: String], tag: String = "\"1\"") -> FaultBehaviour {
        .dynamic { request in
            if request.headers["if-none-match"] == tag {
                return .respond(FaultResponse(.data(Data()), status: 304, headers: headers))
            }
            return .body(Data("body".utf8), headers: headers.merging(["ETag": tag]) { own, _ in own })
        }
    }

    @Test func unchangedResourceIsConfirmedWithoutABody() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", answer([:]))
            let first = try await downloader.fetch(server.url("/a"))
            #expect(!first.isNotModified)
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.isNotModified)
            #expect(second.data == first.data)
            #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
            // The second response (304) has no `ETag`. The third request must still use the `ETag` of the
            // first response.
            let third = try await downloader.loadData(for: refresh(server.url("/a"), second), progress: nil)
            #expect(third.isNotModified)
            #expect(server.requests.count == 3)
        }
    }

    @Test func freshResponseNeedsNoRequestUntilItExpires() async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            server.route("/a", answer(["Cache-Control": "max-age=60"]))
            let first = try await downloader.fetch(server.url("/a"))
            clock.advance(by: .seconds(59))
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.isNotModified)
            #expect(server.requests.count == 1)
            clock.advance(by: .seconds(2))
            let third = try await downloader.loadData(for: refresh(server.url("/a"), second), progress: nil)
            #expect(server.requests.count == 2)
            clock.advance(by: .seconds(59))
            _ = try await downloader.loadData(for: refresh(server.url("/a"), third), progress: nil)
            #expect(server.requests.count == 2)
        }
    }

    static let modifiers: [WebImageDownloaderResponseModifier] = [
        .init(headers: ["X-Seen": "yes"]), .init(statusCode: 200), .init(statusCode: 404), .init(version: "HTTP/3"),
        .init { _ in nil },
    ]

    @Test(arguments: modifiers.indices) func confirmationIsNotPassedToAModifierAgain(index: Int) async throws {
        try await withDownloader { server, downloader in
            server.route("/a", answer([:]))
            let first = try await downloader.fetch(server.url("/a"))
            downloader.responseModifier = Self.modifiers[index]
            var last = first
            for _ in 0..<2 {
                last = try await downloader.loadData(for: refresh(server.url("/a"), last), progress: nil)
                #expect(last.isNotModified)
                #expect(last.data == first.data)
            }
            #expect(server.requests.count == 3)
            #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
        }
    }

    @Test func modifierChangesTheFieldsOfAConfirmation() async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            server.route("/a", answer(["Cache-Control": "no-cache"]))
            let first = try await downloader.fetch(server.url("/a"))
            downloader.responseModifier = WebImageDownloaderResponseModifier(headers: ["Cache-Control": "max-age=60"])
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            let third = try await downloader.loadData(for: refresh(server.url("/a"), second), progress: nil)
            #expect(third.isNotModified)
            #expect(server.requests.count == 2)
        }
    }

    @Test func aDecryptorDoesNotRunForA304() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", answer([:]))
            let first = try await downloader.fetch(server.url("/a"))
            downloader.decryptor = WebImageDownloaderDecryptor { _, _ in nil }
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.isNotModified && second.data == first.data)
        }
    }

    @Test func modifierCannotTurnAnotherBodyIntoAConfirmation() async throws {
        var config = WebImageDownloaderConfig.default
        config.acceptableStatusCodes = nil
        try await withDownloader(config) { server, downloader in
            server.route("/a", answer([:]))
            let first = try await downloader.fetch(server.url("/a"))
            server.route("/a", .body(Data("other".utf8)))
            downloader.responseModifier = WebImageDownloaderResponseModifier(statusCode: 304)
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(!second.isNotModified)
            #expect(second.data == Data("other".utf8))
        }
    }

    @Test func changedResourceIsDelivered() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", answer([:]))
            let first = try await downloader.fetch(server.url("/a"))
            server.route("/a", .body(Data("other".utf8), headers: ["ETag": "\"2\""]))
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(!second.isNotModified)
            #expect(second.data == Data("other".utf8))
        }
    }

    @Test func equalBytesWithoutValidatorsCountAsNotModified() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("same".utf8)))
            let first = try await downloader.fetch(server.url("/a"))
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.isNotModified)
            #expect(server.requests.last?.headers["if-none-match"] == nil)
        }
    }

    /// The validators of a body, those of the 304 that answers them, and whether the 304 confirms the body.
    static let confirmations: [(body: [String: String], answer: [String: String], isConfirmed: Bool)] = [
        (["ETag": "\"1\""], [:], true), (["ETag": "\"1\""], ["ETag": "\"1\""], true),
        (["ETag": "\"1\""], ["ETag": "\"2\""], false), (["ETag": "W/\"1\""], ["ETag": "W/\"2\""], false),
        (["ETag": "W/\"1\""], ["ETag": "\"1\""], true), (["ETag": "\"1\""], ["ETag": "\"1"], false),
        (["Last-Modified": early], [:], true), (["Last-Modified": early], ["Last-Modified": early], true),
        (["Last-Modified": early], ["Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT"], true),
        (["Last-Modified": early], ["Last-Modified": late], false),
        (["Last-Modified": early], ["ETag": "\"1\""], false),
        (["Last-Modified": early], ["ETag": "\"1\"", "Last-Modified": early], true),
        (["ETag": "\"1\"", "Last-Modified": early], ["ETag": "\"2\"", "Last-Modified": early], false),
        (["ETag": "\"1\"", "Last-Modified": early], ["ETag": "\"1\"", "Last-Modified": late], true),
        (["ETag": "\"1\"", "Last-Modified": early], ["Last-Modified": late], false),
        (["ETag": "\"1\""], ["Last-Modified": late], false),
    ]
    private static let early = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let late = "Sun, 06 Nov 1994 08:49:38 GMT"

    /// RFC 9111 §4.3.4. Without the second request, the old bytes would be confirmed for ever.
    @Test(arguments: confirmations.indices) func a304OfAnotherPictureConfirmsNothing(index: Int) async throws {
        let (fields, foreign, isConfirmed) = Self.confirmations[index]
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("old".utf8), headers: fields))
            let first = try await downloader.fetch(server.url("/a"))
            server.route(
                "/a",
                .dynamic { request in
                    let isConditional =
                        (request.headers["if-none-match"] ?? request.headers["if-modified-since"]) != nil
                    guard isConditional else { return .body(Data("new".utf8), headers: foreign) }
                    return .respond(FaultResponse(.data(Data()), status: 304, headers: foreign))
                })
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.isNotModified == isConfirmed)
            #expect(second.data == Data((isConfirmed ? "old" : "new").utf8))
            #expect(server.requests.count == (isConfirmed ? 2 : 3))
        }
    }

    @Test func unaskedFor304IsAnError() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .respond(FaultResponse(.data(Data()), status: 304)))
            try await #expect(downloader.failure(server.url("/a")).underlying == .http(status: 304))
        }
    }

    @Test func staleResponseReplacesAFailureWithinStaleIfError() async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            server.route("/a", answer(["Cache-Control": "max-age=1, stale-if-error=100"]))
            let first = try await downloader.fetch(server.url("/a"))
            server.route("/a", .status(503))
            clock.advance(by: .seconds(50))
            let second = try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            #expect(second.isNotModified)
            server.route("/a", .status(404))
            await #expect(throws: WebImageError.self) {
                try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            }
            server.route("/a", .reset)
            clock.advance(by: .seconds(100))
            await #expect(throws: WebImageError.self) {
                try await downloader.loadData(for: refresh(server.url("/a"), first), progress: nil)
            }
        }
    }

    @Test func noStoreIsPassedToTheCache() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", answer(["Cache-Control": "no-store"]))
            try await #expect(downloader.fetch(server.url("/a")).mayBeStored == false)
            server.route("/a", answer(["Cache-Control": "private"]))
            try await #expect(downloader.fetch(server.url("/a")).mayBeStored)
        }
    }

    @Test func changedFileIsDetected() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("one".utf8).write(to: file)
        let loader = FileImageLoader()
        let first = try await loader.loadData(for: ImageDataLoad(url: file), progress: nil)
        try await #expect(loader.loadData(for: refresh(file, first), progress: nil).isNotModified)
        try Data("two".utf8).write(to: file)
        let second = try await loader.loadData(for: refresh(file, first), progress: nil)
        #expect(!second.isNotModified)
        #expect(second.data == Data("two".utf8))
    }
}
