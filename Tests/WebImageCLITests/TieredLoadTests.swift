import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A tier in memory that counts its calls.
private final class CountingTier: CacheTier {
    private struct State {
        var entries: [CacheTierKey: CacheTierEntry] = [:]
        var reads = 0
        var puts = 0
    }

    private let state = Locked(State())

    var reads: Int { state.withLock { $0.reads } }
    var puts: Int { state.withLock { $0.puts } }

    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        state.withLock { state in
            state.reads += 1
            return state.entries[key]
        }
    }

    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        state.withLock { state in
            state.puts += 1
            state.entries[key] = entry
        }
        return true
    }

    func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        state.withLock { state in for key in keys { state.entries[key] = nil } }
        return true
    }
}

/// What loads of a program ask of a tier and of the origin: for each machine, in combination with thumbnails, refreshes
/// and an origin that is down.
@Suite(.timeLimit(minutes: 1)) struct TieredLoadTests {
    private let origin: FaultServer
    private let tier = CountingTier()
    private static let path = "/a.png"

    /// A machine with caches of its own.
    private final class Machine: Sendable {
        let url: URL
        private let loader: TieredImageLoader
        private let manager: WebImageManager
        private let folder: ScratchFolder

        init(_ tier: CountingTier, _ url: URL) throws {
            self.url = url
            folder = try ScratchFolder()
            loader = TieredImageLoader(WebImageDownloader(), tiers: [tier])
            manager = WebImageManager(
                cache: ImageCache(namespace: "machine", diskCacheDirectory: folder.url.path), loader: loader)
        }

        /// Loads the picture, or a thumbnail with this width, and returns its width.
        func load(_ width: Int? = nil, _ options: WebImageOptions = []) async throws -> Int {
            var context: [WebImageContextOption: Any] = [:]
            if let width { context[.imageThumbnailPixelSize] = CGSize(width: width, height: 200) }
            let image = try await manager.image(for: url, options: options, context: context)
            await loader.flush(within: Sanitizer.time(.seconds(10)))
            return image.pixelSize.width
        }
    }

    init() throws { origin = try FaultServer() }

    private func machine() throws -> Machine { try Machine(tier, origin.url(Self.path)) }

    /// For a shared cache the picture is fresh for a long time, for a private one it is stale at once.
    private func route(width: Int, tag: String) throws {
        let image = try TestImages.solid(width: width, height: width / 2)
        let data = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
        let fields = ["Cache-Control": "public, max-age=0, s-maxage=600", "ETag": tag]
        origin.route(
            Self.path,
            .dynamic {
                $0.headers["if-none-match"] == tag
                    ? .respond(FaultResponse(.data(Data()), status: 304, headers: fields))
                    : .body(data, headers: fields)
            })
    }

    private func expect(requests: Int, reads: Int, puts: Int, _ step: String) {
        let found = (origin.requestCount(Self.path), tier.reads, tier.puts)
        #expect(found == (requests, reads, puts), "\(step): \(found)")
    }

    /// A tier is asked once by a machine, for the original, whatever sizes are made from it.
    @Test func thumbnailsNeedOneRequestAndOneReadByEachMachine() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        let first = try machine()
        #expect(try await first.load(20) == 20)
        expect(requests: 1, reads: 1, puts: 1, "the first thumbnail")
        #expect(try await first.load() == 80)
        #expect(try await first.load(10) == 10)
        expect(requests: 1, reads: 1, puts: 1, "other sizes of the first machine")
        let second = try machine()
        let widths = try await withThrowingTaskGroup(of: Int.self) { group in
            for width in [20, 40, nil, 20, 10] { group.addTask { try await second.load(width) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(widths.sorted() == [10, 20, 20, 40, 80])
        #expect(try await second.load(5) == 5)
        expect(requests: 1, reads: 2, puts: 1, "all sizes of the second machine")
    }

    @Test func machineWithoutTheOriginLoadsWhatTheTierHas() async throws {
        try route(width: 80, tag: "\"1\"")
        let first = try machine()
        #expect(try await first.load() == 80)
        origin.stop()
        for (number, width) in [nil, 20].enumerated() {
            #expect(try await machine().load(width) == width ?? 80)
            expect(requests: 1, reads: number + 2, puts: 1, "without the origin")
        }
        // A load from the caches, and one that needs the origin's answer, do not ask the tier.
        for (options, code) in [
            (WebImageOptions.fromCacheOnly, WebImageError.Code.notCached), (.refreshCached, .transport),
        ] {
            let other = try machine()
            for width in [nil, 20] {
                let error = await #expect(throws: WebImageError.self) { try await other.load(width, options) }
                #expect(error?.code == code)
            }
        }
        expect(requests: 1, reads: 3, puts: 1, "caches and refresh")
        // A load past the local caches does.
        #expect(try await first.load(nil, .fromLoaderOnly) == 80)
        expect(requests: 1, reads: 4, puts: 1, "past the caches")
        // A refresh that fails takes nothing away.
        _ = try? await first.load(nil, .refreshCached)
        #expect(try await first.load() == 80)
        expect(requests: 1, reads: 4, puts: 1, "after the refresh")
    }

    /// Otherwise a machine would return to the older picture when its own cache has lost the new one.
    @Test(arguments: [nil, 20]) func refreshReplacesTheEntryOfTheTier(width: Int?) async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        let first = try machine()
        #expect(try await first.load(width) == width ?? 80)
        // The origin confirms what the machine has.
        #expect(try await first.load(width, .refreshCached) == width ?? 80)
        expect(requests: 2, reads: 1, puts: 1, "confirmed")
        try route(width: 60, tag: "\"2\"")
        #expect(try await machine().load() == 80)
        expect(requests: 2, reads: 2, puts: 1, "fresh for the tier")
        #expect(try await first.load(width, .refreshCached) == width ?? 60)
        expect(requests: 3, reads: 2, puts: 2, "refreshed")
        #expect(try await machine().load() == 60)
        expect(requests: 3, reads: 3, puts: 2, "new for the other machines")
        // A machine without an entry asks the origin all the same.
        #expect(try await machine().load(width, .refreshCached) == width ?? 60)
        expect(requests: 4, reads: 3, puts: 3, "refreshed without an entry")
    }
}
