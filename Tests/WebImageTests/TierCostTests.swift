import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageValkey

/// What a hit of a tier on this machine costs. Only `Scripts/measure tiers` runs it, with optimisation.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_MEASURE"] != nil, "only Scripts/measure tiers runs it"),
    .enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"), .serialized,
    .timeLimit(minutes: 5))
struct TierCostTests {
    private static let rounds = 2_000

    private let origin: FaultServer
    private let valkey: ValkeyServer
    private let folder: ScratchFolder
    private let loader: TieredImageLoader
    private let cache: ImageCache
    private let manager: WebImageManager
    private let url: URL

    init() throws {
        (origin, valkey, folder) = (try FaultServer(), try ValkeyServer(), try ScratchFolder())
        url = origin.url("/a.jpg")
        loader = TieredImageLoader(
            WebImageDownloader(), tiers: [try ValkeyTier(url: "valkey://127.0.0.1:\(valkey.port)")])
        cache = ImageCache(namespace: "machine", diskCacheDirectory: folder.url.path)
        manager = WebImageManager(cache: cache, loader: loader)
    }

    /// The processor time of this process, in seconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The middle of the times of a call, and its processor time, in seconds.
    private func cost(_ call: () async throws -> Void) async throws -> (time: Double, processor: Double) {
        var times: [Double] = []
        let before = Self.processorTime
        for _ in 0..<Self.rounds {
            let start = ContinuousClock.now
            try await call()
            times.append((ContinuousClock.now - start) / .seconds(1))
        }
        return (times.sorted()[Self.rounds / 2], (Self.processorTime - before) / Double(Self.rounds))
    }

    /// A load from the tier takes at most 1.3 times a load from the disk and one round trip. A read of the tier takes a tenth
    /// of the processor time of a decode, unless the picture is small. The three files are 96 px of noise, the least
    /// favourable picture of its bytes, and noise that is enlarged, which has about as many bytes for a pixel as a photo.
    @Test(arguments: [96, 480, 2000]) func hitOfATierCostsLittle(side: Int) async throws {
        defer { origin.stop() }
        defer { valkey.stop() }
        let noise = try TestImages.noise(width: 96, height: 96)
        let picture = try #require(
            noise.resizedImage(with: CGSize(width: side, height: side), scaleMode: .fill))
        var encoding = EncodingOptions()
        encoding.quality = 0.8
        let file = try ImageCodersManager.shared.encode(picture, format: .jpeg, options: encoding)
        origin.route("/a.jpg", .body(file, headers: ["Cache-Control": "public, max-age=3600"]))
        _ = try await manager.image(for: url)
        await loader.flush(within: .seconds(10))
        let connection = ValkeyConnection(.init(.init(.host("127.0.0.1", port: valkey.port))))
        defer { connection.shutDown() }
        try #require(await eventually { connection.isUp })
        let tier = ValkeyTier(connection)
        let key = CacheTierKey(namespace: "measure", cacheKey: "key")
        let entry = CacheTierEntry(
            .value(data: file, metadata: nil, extended: nil), stored: Date().timeIntervalSince1970,
            lifetime: .seconds(600))
        let budget = Duration.seconds(10)
        #expect(await tier.put(entry, for: key, within: budget))

        let decode = try await cost { _ = try ImageCodersManager.shared.decode(file, options: DecodingOptions()) }
        let read = try await cost { #expect(await tier.entry(for: key, within: budget) != nil) }
        let trip = try await cost { _ = await connection.send(RESPCommand(["PING"]), within: budget) }
        let fromDisk = try await cost {
            cache.clearMemory()
            _ = try await manager.image(for: url, options: .fromCacheOnly)
        }
        // A load past the local caches asks the tier.
        let fromTier = try await cost {
            _ = try await manager.image(
                for: url, options: .fromLoaderOnly, context: [.storeCacheType: ImageCacheType.none])
        }
        #expect(origin.requestCount("/a.jpg") == 1)
        func shown(_ seconds: Double) -> Int { Int(seconds * 1e6) }
        print(
            "hit \(file.count) \(shown(decode.processor)) \(shown(read.processor)) \(shown(fromDisk.time))",
            "\(shown(trip.time)) \(shown(fromTier.time))")
    }
}
