import Foundation
import Testing
import WebImage
import WebImageStore
import WebImageTestTraits
import WebImageTesting

@testable import WebImageLoading

/// A hit in memory has the scale of its load, and counts as a use of the entry on disk. A relative folder holds the cache.
@Suite(.timeLimit(minutes: 2))
struct MemoryHitEffectTests {
    private let journey: Journey

    init() throws { journey = try Journey() }

    /// Incompressible, so that the size of an entry is known.
    private func file(_ seed: Int) throws -> Data {
        var file = try Journey.file(width: 8, height: 8)
        file.append(Data((0..<20_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761 &+ seed) >> 7) }))
        return file
    }

    private func url(_ number: Int) throws -> URL {
        journey.server.route("/\(number).png", .body(try file(number)))
        return journey.server.url("/\(number).png")
    }

    private static var contexts: [WebImageContext] {
        [
            [:], [.imageThumbnailPixelSize: CGSize(width: 4, height: 4)],
            [.imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false)],
        ]
    }

    /// The disk holds ten originals. The first picture is used from memory while many others pass through the disk.
    @Test(arguments: 0..<3) func pictureThatIsUsedFromMemoryStaysOnDisk(index: Int) async throws {
        let context = Self.contexts[index]
        journey.cache.config.maxDiskSize = 400_000
        let first = try url(0)
        _ = try await journey.manager.image(for: first, options: .waitStoreCache, context: context)
        for number in 1..<60 {
            _ = try await journey.manager.image(for: try url(number), options: .waitStoreCache)
            await journey.cache.flush()
            let hit = try await journey.manager.result(for: first, context: context)
            #expect(hit.cacheType == .memory)
        }
        #expect(journey.cache.diskImageDataExists(withKey: first.absoluteString))
        #expect(try !journey.cache.diskImageDataExists(withKey: url(1).absoluteString))
    }

    /// Uses count also when entries are removed by age, and after a restart.
    @Test func usesAreWrittenByAFlush() async throws {
        let first = try url(0)
        _ = try await journey.manager.image(for: first, options: .waitStoreCache)
        await journey.cache.flush()
        try await Task.sleep(for: .milliseconds(50))
        let unused = try url(1)
        let before = Date()
        _ = try await journey.manager.image(for: unused, options: .waitStoreCache)
        try await Task.sleep(for: .milliseconds(50))
        _ = try await journey.manager.image(for: first)
        await journey.cache.flush()
        // Everything that was used last before the hit of the first picture expires.
        journey.cache.clearMemory()
        // The age and the clock of the disk are those of one moment.
        let now = Date()
        var config = journey.cache.config
        config.maxDiskAge = now.timeIntervalSince(before) - 0.045
        let made = DiskCache(cachePath: journey.cache.diskCachePath, config: config, clock: { now })
        let disk = try #require(made)
        let other = ImageCache(memoryCache: MemoryCache(config: config), diskCache: disk, config: config)
        await other.deleteOldFiles()
        #expect(other.diskImageDataExists(withKey: first.absoluteString))
    }

    /// A cache in a relative folder, and after a restart one in the same folder by its absolute path.
    @Test func relativeFolderIsOneInTheCurrentFolder() async throws {
        let current = FileManager.default.currentDirectoryPath
        let up = current.split(separator: "/").map { _ in "../" }.joined()
        let relative = up + journey.folder.path.dropFirst()
        try #require(!relative.hasPrefix("/"))
        let url = try url(0)
        let cache = ImageCache(namespace: "own", diskCacheDirectory: relative)
        _ = try await WebImageManager(cache: cache, loader: journey.downloader).image(
            for: url, options: .waitStoreCache)
        await cache.flush()
        let absolute = ImageCache(namespace: "own", diskCacheDirectory: journey.folder.path)
        let found = try await WebImageManager(cache: absolute, loader: journey.downloader).result(
            for: url, options: .fromCacheOnly)
        #expect(found.cacheType == .disk)
    }

    /// Pairs of the scales of two loads in turn; nil names no scale.
    static let scales: [(first: Double?, second: Double?)] = [
        (nil, 2), (2, nil), (2, 3), (3, 1), (1, nil), (nil, nil), (2, 2),
    ]

    @Test(arguments: scales.indices, ["/a.png", "/a@2x.png"]) func secondLoadHasItsOwnScale(index: Int, path: String)
        async throws
    {
        let (first, second) = Self.scales[index]
        journey.server.route(path, .body(try Journey.file(width: 40, height: 30)))
        let url = journey.server.url(path)
        for context in Self.contexts {
            func scale(_ wanted: Double?, _ clears: Bool = false) async throws -> (CGFloat, ImageCacheType) {
                if clears { journey.cache.clearMemory() }
                var context = context
                if let wanted { context[.imageScaleFactor] = wanted }
                let result = try await journey.manager.result(for: url, options: .waitStoreCache, context: context)
                return (result.image.scale, result.cacheType)
            }
            let natural: CGFloat = path.contains("@2x") ? 2 : 1
            #expect(try await scale(first, true).0 == first.map { CGFloat($0) } ?? natural)
            let (found, origin) = try await scale(second)
            #expect(found == second.map { CGFloat($0) } ?? natural && origin == .memory)
            #expect(try await scale(first).0 == first.map { CGFloat($0) } ?? natural)
        }
    }
}
