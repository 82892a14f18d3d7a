import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A coder that accepts every file and decodes none.
private struct BlindCoder: ImageCoder {
    func canDecode(from data: Data) -> Bool { true }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("fake", "")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        throw .badData("fake", "no image")
    }
}

/// A tier in memory that counts its calls.
private final class CountingTier: CacheTier {
    private struct State {
        var entries: [CacheTierKey: CacheTierEntry] = [:]
        var reads = 0
        var puts = 0
        var removals = 0
        var isDown = false
    }

    private let state = Locked(State())

    var reads: Int { state.withLock { $0.reads } }
    var puts: Int { state.withLock { $0.puts } }
    var removals: Int { state.withLock { $0.removals } }

    /// Lets every read fail from now on.
    func fail() { state.withLock { $0.isDown = true } }

    /// Replaces the bytes of every picture, as a machine of an older version could do.
    func replacePictures(by bytes: Data) {
        state.withLock { state in
            for (key, entry) in state.entries {
                guard case .value(_, let metadata, let extended) = entry.content else { continue }
                state.entries[key]?.content = .value(data: bytes, metadata: metadata, extended: extended)
            }
        }
    }

    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        state.withLock { state in
            state.reads += 1
            return state.isDown ? nil : state.entries[key]
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
        state.withLock { state in
            state.removals += 1
            for key in keys { state.entries[key] = nil }
        }
        return true
    }
}

/// What loads of a program ask of a tier and of the origin: for each machine, in combination with thumbnails, refreshes
/// and an origin that is down.
@Suite(.timeLimit(minutes: 1)) struct TieredLoadTests {
    private let origin: FaultServer
    private let tier = CountingTier()
    private static let path = "/a.png"

    /// What a load asks for of a picture with a width of 80 px.
    enum Kind: String, CaseIterable {
        case original, thumbnail, transformed

        var width: Int {
            switch self {
            case .original: 80
            case .thumbnail: 20
            case .transformed: 30
            }
        }

        var context: [WebImageContextOption: Any] {
            switch self {
            case .original: [:]
            case .thumbnail: [.imageThumbnailPixelSize: CGSize(width: width, height: 200)]
            case .transformed:
                [.imageTransformer: ImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: width, height: 10))]
            }
        }
    }

    /// A machine with caches of its own.
    private final class Machine: Sendable {
        let url: URL
        private let loader: TieredImageLoader
        private let manager: WebImageManager
        private let folder: ScratchFolder

        init(_ tier: CountingTier, _ url: URL, hasDisk: Bool = true) throws {
            self.url = url
            folder = try ScratchFolder()
            loader = TieredImageLoader(WebImageDownloader(), tiers: [tier])
            var config = ImageCacheConfig()
            config.shouldCacheImagesOnDisk = hasDisk
            manager = WebImageManager(
                cache: ImageCache(namespace: "machine", diskCacheDirectory: folder.url.path, config: config),
                loader: loader)
        }

        var failure: WebImageError? { manager.failure(of: url) }
        /// The number of loads that run.
        var subscriberCount: Int { manager.subscriberCount(of: url) }

        /// Loads the picture and returns its width.
        func load(_ kind: Kind, _ options: WebImageOptions = []) async throws -> Int {
            let image = try await manager.image(for: url, options: options, context: kind.context)
            await loader.flush(within: Sanitizer.time(.seconds(10)))
            return image.pixelSize.width
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
        // A load from the caches does not ask the tier.
        let other = try machine()
        for width in [nil, 20] {
            let error = await #expect(throws: WebImageError.self) { try await other.load(width, .fromCacheOnly) }
            #expect(error?.code == .notCached)
        }
        expect(requests: 1, reads: 3, puts: 1, "caches")
        // A load past the local caches does.
        #expect(try await first.load(nil, .fromLoaderOnly) == 80)
        expect(requests: 1, reads: 4, puts: 1, "past the caches")
        // A refresh that fails takes nothing away.
        _ = try? await first.load(nil, .refreshCached)
        #expect(try await first.load() == 80)
        expect(requests: 1, reads: 4, puts: 1, "after the refresh")
    }

    /// A machine without an entry takes that of the tier when its refresh fails, as a machine with an entry keeps its own.
    @Test(arguments: Kind.allCases, [nil, 404, 500])
    func refreshThatFailsWithoutAnEntryTakesThatOfTheTier(kind: Kind, status: Int?) async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        expect(requests: 1, reads: 1, puts: 1, "the first machine")
        origin.route(Self.path, status.map { .status($0) } ?? .close)
        let other = try machine()
        #expect(try await other.load(kind, .refreshCached) == kind.width)
        #expect(other.failure == nil && tier.reads == 2 && tier.puts == 1)
        // The picture is now an entry of this machine.
        for options in [WebImageOptions.fromCacheOnly, .refreshCached] {
            #expect(try await other.load(kind, options) == kind.width)
        }
        #expect(tier.reads == 2)
        // The refresh of the entry finds the new picture when the origin is back.
        try route(width: 60, tag: "\"2\"")
        #expect(try await other.load(.original, .refreshCached) == 60)
        #expect(tier.puts == 2)
    }

    @Test func refreshThatFailsKeepsThePictureThatOnlyMemoryHas() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        let own = try Machine(tier, origin.url(Self.path), hasDisk: false)
        #expect(try await own.load(.original) == 80)
        // Another machine has stored a newer picture.
        try route(width: 60, tag: "\"2\"")
        #expect(try await machine().load(.original, .refreshCached) == 60)
        origin.route(Self.path, .status(404))
        let reads = tier.reads
        #expect(try await own.load(.original, .refreshCached) == 80)
        #expect(tier.reads == reads)
    }

    @Test(arguments: Kind.allCases) func refreshWithoutOriginAndTierFails(kind: Kind) async throws {
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        origin.stop()
        tier.fail()
        let other = try machine()
        let error = await #expect(throws: WebImageError.self) { try await other.load(kind, .refreshCached) }
        #expect(error?.code == .transport)
        expect(requests: 1, reads: 2, puts: 1, "the tier is down")
    }

    /// A load that is cancelled as soon as it has its bytes.
    private struct CancelledLoader: ImageLoader {
        let loader = WebImageDownloader()

        func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
        func identity(of load: ImageDataLoad) -> LoadIdentity { loader.identity(of: load) }
        func cacheScope(of load: ImageDataLoad) -> CacheScope { loader.cacheScope(of: load) }

        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            let result = try await loader.loadData(for: load, progress: progress)
            withUnsafeCurrentTask { $0?.cancel() }
            return result
        }
    }

    /// The decode that would find out whether the body is a picture was cancelled, so the body is not stored.
    @Test func refreshThatIsCancelledBeforeItsDecodeStoresNothing() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        origin.route(
            Self.path,
            try .body(NoPicture.garbageBehindASignature.body, headers: ["Cache-Control": "max-age=600"]))
        let loader = TieredImageLoader(CancelledLoader(), tiers: [tier])
        let manager = WebImageManager(
            cache: ImageCache(memoryCache: MemoryCache(config: .default), diskCache: nil), loader: loader)
        await #expect(throws: WebImageError.self) {
            try await manager.image(for: origin.url(Self.path), options: .refreshCached)
        }
        await loader.flush(within: Sanitizer.time(.seconds(10)))
        #expect(origin.requestCount(Self.path) == 2 && tier.puts == 1)
    }

    @Test(arguments: Kind.allCases) func cancelledRefreshDoesNotAskTheTier(kind: Kind) async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        origin.route(Self.path, .hang)
        let other = try machine()
        let load = Task { try await other.load(kind, .refreshCached) }
        #expect(await eventually { origin.requestCount(Self.path) == 2 })
        load.cancel()
        await #expect { try await load.value } throws: { ($0 as? WebImageError)?.isCancellation == true }
        expect(requests: 2, reads: 1, puts: 1, "cancelled")
    }

    /// Loads of several kinds share the failed fetch and the read of the tier. One that is cancelled takes nothing away.
    @Test func loadsShareTheFailedRefreshAndThePictureOfTheTier() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        let gate = FaultGate()
        origin.route(Self.path, .gated(gate, .status(404)))
        let other = try machine()
        let loads = Kind.allCases.map { kind in Task { try await other.load(kind, .refreshCached) } }
        let cancelled = Task { try await other.load(.original, .refreshCached) }
        #expect(await eventually { origin.requestCount(Self.path) == 2 })
        #expect(await eventually { other.subscriberCount == loads.count + 1 })
        // For the way from there to the fetch.
        try await Task.sleep(for: .milliseconds(100))
        cancelled.cancel()
        gate.open()
        for (kind, load) in zip(Kind.allCases, loads) { #expect(try await load.value == kind.width) }
        expect(requests: 2, reads: 2, puts: 1, "one fetch and one read")
    }

    // MARK: Answers with status 200 that are no picture

    /// What an origin may answer with status 200 instead of a picture.
    enum NoPicture: String, CaseIterable {
        case page, empty, cut, garbageBehindASignature

        var body: Data {
            get throws {
                switch self {
                case .page: return Data("<!DOCTYPE html><html><body>Please sign in</body></html>".utf8)
                case .empty: return Data()
                case .cut:
                    let image = try TestImages.solid(width: 90, height: 45)
                    return try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
                        .prefix(40)
                case .garbageBehindASignature:
                    return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 500)
                }
            }
        }
    }

    private func routeNoPicture(_ answer: NoPicture, isRedirected: Bool = false) throws {
        let fields = ["Cache-Control": "public, max-age=0, s-maxage=600", "ETag": "\"none\""]
        let body = FaultBehaviour.body(try answer.body, headers: fields)
        guard isRedirected else { return origin.route(Self.path, body) }
        origin.route("/signin", body)
        origin.route(Self.path, .redirect(to: "/signin"))
    }

    /// As after a refresh that fails: the entry of the tier is the picture, and stays the entry.
    @Test(arguments: Kind.allCases, NoPicture.allCases)
    func refreshThatReceivesNoPictureTakesThatOfTheTier(kind: Kind, answer: NoPicture) async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        try routeNoPicture(answer)
        let other = try machine()
        #expect(try await other.load(kind, .refreshCached) == kind.width)
        #expect(other.failure == nil && tier.reads == 2 && tier.puts == 1)
        // The picture is now an entry of this machine, and another machine still finds it in the tier.
        #expect(try await other.load(kind, .fromCacheOnly) == kind.width)
        #expect(try await machine().load(kind) == kind.width)
        #expect(tier.reads == 3 && tier.puts == 1)
        // The refresh of the entry finds the new picture when the origin has one again.
        try route(width: 60, tag: "\"2\"")
        #expect(try await other.load(.original, .refreshCached) == 60)
        #expect(tier.puts == 2)
    }

    @Test func refreshThatIsRedirectedToNoPictureTakesThatOfTheTier() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        try routeNoPicture(.page, isRedirected: true)
        #expect(try await machine().load(.original, .refreshCached) == 80)
        #expect(tier.puts == 1)
    }

    @Test(arguments: NoPicture.allCases) func refreshThatReceivesNoPictureKeepsThatOfTheMachine(answer: NoPicture)
        async throws
    {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        let own = try machine()
        #expect(try await own.load(.original) == 80)
        // Another machine has stored a newer picture.
        try route(width: 60, tag: "\"2\"")
        #expect(try await machine().load(.original, .refreshCached) == 60)
        try routeNoPicture(answer)
        let reads = tier.reads
        #expect(try await own.load(.original, .refreshCached) == 80)
        #expect(tier.reads == reads && tier.puts == 2)
        #expect(try await machine().load(.original) == 60)
    }

    /// Without an entry anywhere the load fails, and the tier receives nothing.
    @Test(arguments: [WebImageOptions.refreshCached, []]) func answerThatIsNoPictureIsNotStored(
        options: WebImageOptions
    )
        async throws
    {
        defer { origin.stop() }
        try routeNoPicture(.page)
        let first = try machine()
        let error = await #expect(throws: WebImageError.self) { try await first.load(.original, options) }
        #expect(error?.code == .badImageData)
        #expect(tier.puts == 0)
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
    }

    /// A body with the signature of a format is stored before it is decoded. It leaves the tier when a machine has found that
    /// it does not decode: the one that fetched it, or one that took it from the tier.
    @Test(arguments: Kind.allCases, [NoPicture.cut, .garbageBehindASignature])
    func bodyThatDoesNotDecodeLeavesTheTier(kind: Kind, answer: NoPicture) async throws {
        defer { origin.stop() }
        try routeNoPicture(answer)
        let first = try machine()
        let error = await #expect(throws: WebImageError.self) { try await first.load(kind) }
        #expect(error?.code == .badImageData)
        #expect(await eventually { tier.removals == 1 })
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(kind) == kind.width)
        tier.replacePictures(by: try answer.body)
        await #expect(throws: WebImageError.self) { try await machine().load(kind) }
        #expect(await eventually { tier.removals == 2 })
        #expect(try await machine().load(kind) == kind.width)
        #expect(origin.requestCount(Self.path) == 3)
    }

    /// Bytes that only the coder of one load cannot decode stay in the tier.
    @Test func bodyThatOneCoderCannotDecodeStaysInTheTier() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        let loader = TieredImageLoader(WebImageDownloader(), tiers: [tier])
        let manager = WebImageManager(
            cache: ImageCache(memoryCache: MemoryCache(config: .default), diskCache: nil), loader: loader)
        await #expect(throws: WebImageError.self) {
            try await manager.image(for: origin.url(Self.path), context: [.imageCoder: BlindCoder()])
        }
        // The failed load has one read, and the look for its body another one.
        #expect(await eventually { tier.reads == 3 })
        await loader.flush(within: Sanitizer.time(.seconds(10)))
        #expect(try await machine().load(.original) == 80)
        #expect(tier.removals == 0 && origin.requestCount(Self.path) == 1)
    }

    /// An entry that is no picture costs one fetch, and is replaced.
    @Test func entryOfATierThatIsNoPictureIsMadeAgain() async throws {
        defer { origin.stop() }
        try route(width: 80, tag: "\"1\"")
        #expect(try await machine().load(.original) == 80)
        tier.replacePictures(by: try NoPicture.page.body)
        #expect(try await machine().load(.thumbnail) == 20)
        #expect(origin.requestCount(Self.path) == 2 && tier.puts == 2)
        #expect(try await machine().load(.original) == 80)
        #expect(origin.requestCount(Self.path) == 2)
        // Such an entry is no fallback either.
        tier.replacePictures(by: try NoPicture.page.body)
        origin.route(Self.path, .status(500))
        let other = try machine()
        let error = await #expect(throws: WebImageError.self) { try await other.load(.original, .refreshCached) }
        #expect(error?.code == .invalidDownloadStatusCode)
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
