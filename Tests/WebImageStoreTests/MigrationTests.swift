import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests the migration of a folder that has the first format. In some tests, a process that uses the first format still
/// writes to the folder.
@Suite(.timeLimit(minutes: 1))
struct MigrationTests {
    let folder: ScratchFolder
    var path: String { folder.path + "/cache" }
    private let source = "https://host/a.png"
    private let coder = FakeCoder()

    init() throws { folder = try ScratchFolder() }

    private struct Loads {
        let cache: ImageCache
        let loader = FakeDataLoader()
        let manager: WebImageManager
        let coder: FakeCoder

        init(_ disk: DiskCache, _ coder: FakeCoder) {
            cache = ImageCache(memoryCache: MemoryCache(config: ImageCacheConfig()), diskCache: disk)
            manager = WebImageManager(cache: cache, loader: loader)
            self.coder = coder
        }

        /// Loads an image and returns its width in pixels. An image from the loader has a width of 200 px, so other
        /// widths come from the cache.
        func width(_ text: String, _ options: WebImageOptions = [], _ context: WebImageContext = [:]) async throws
            -> Int
        {
            let url = try #require(URL(string: text))
            loader.answer(url, with: .success(FakeCoder.file(width: 200, height: 100)))
            let context = context.merging([.imageCoder: coder]) { $1 }
            return try await manager.image(for: url, options: options, context: context).pixelSize.width
        }
    }

    private func open() throws -> DiskCache { try #require(DiskCache(cachePath: path, config: ImageCacheConfig())) }

    private func old() throws -> FirstFormatProcess { try FirstFormatProcess(path: path) }

    @Test func anOriginalSurvives() async throws {
        try old().store(FakeCoder.file(width: 7, height: 7), source)
        let disk = try open()
        #expect(disk.totalCount() == 1 && disk.record(forKey: source)?.identity == .legacy)
        let loads = Loads(disk, coder)
        #expect(try await loads.width(source) == 7)
        #expect(try await loads.width(source, .queryDiskDataSync) == 7)
        #expect(loads.loader.requests.isEmpty)
        // The thumbnail is decoded from the migrated original.
        let context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 5, height: 5)]
        #expect(try await loads.width(source, [], context) == 5)
        #expect(loads.loader.requests.isEmpty)
    }

    @Test func migratedVariantIsCreatedAgain() async throws {
        let thumbnail: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 5, height: 5)]
        let blurred: WebImageContext = [.imageTransformer: Doubling()]
        do {
            let process = try old()
            try process.store(FakeCoder.file(width: 7, height: 7), source)
            for context in [thumbnail, blurred] {
                let keys = WebImageManager(cache: FakeImageCache(), loader: FakeDataLoader())
                let key = try #require(keys.cacheKey(for: URL(string: source), context: context))
                try process.store(FakeCoder.file(width: 99, height: 99), key)
            }
        }
        let loads = Loads(try open(), coder)
        for options in [WebImageOptions.queryDiskDataSync, []] {
            #expect(try await loads.width(source, options, thumbnail) == 5)
            #expect(try await loads.width(source, options, blurred) == 14)
        }
        #expect(loads.loader.requests.isEmpty)
    }

    @Test func aScopedEntryIsNeverServedUnscoped() async throws {
        let scoped = source + "#scope=alice"
        // The metadata contains HTTP validators. They show that the entry is a fetched original and not a variant.
        try old().store(
            FakeCoder.file(width: 7, height: 7), scoped, metadata: Data("webimage-http 1\n0 0".utf8))
        let loads = Loads(try open(), coder)
        for options in [WebImageOptions.queryDiskDataSync, .refreshCached, []] {
            #expect(try await loads.width(scoped, options) == 200)
            #expect(loads.loader.loads.last?.cached?.data != FakeCoder.file(width: 7, height: 7))
        }
        #expect(try await loads.width(source, [], [.cacheScope: "alice"]) == 200)
        #expect(try await loads.width(source) == 200)
    }

    @Test func lookUpByStringReturnsTheStoredEntry() throws {
        let scoped = source + "#scope=alice"
        try old().store(Data([1, 2, 3]), scoped, metadata: Data([4]))
        let disk = try open()
        #expect(disk.data(forKey: scoped) == Data([1, 2, 3]) && disk.metadata(forKey: scoped) == Data([4]))
    }

    @Test func imageReadByStringServesNoScopedLoad() async throws {
        let scoped = source + "#scope=alice"
        try old().store(FakeCoder.file(width: 7, height: 7), scoped)
        let loads = Loads(try open(), coder)
        #expect(loads.cache.imageFromDiskCache(forKey: scoped, context: [.imageCoder: coder])?.pixelSize.width == 7)
        #expect(try await loads.width(scoped) == 200)
    }

    @Test func aURLThatMayHaveBeenAVariantIsFetchedAgainUnlessItWasFetched() async throws {
        let (made, fetched) = ("https://host/a-Blur(3).png", "https://host/b-(3).png")
        do {
            let process = try old()
            try process.store(FakeCoder.file(width: 7, height: 7), made)
            try process.store(
                FakeCoder.file(width: 8, height: 8), fetched, metadata: Data("webimage-http 1\n0 0".utf8))
        }
        let loads = Loads(try open(), coder)
        #expect(try await loads.width(made) == 200)
        #expect(try await loads.width(fetched) == 8)
    }

    /// The older process still uses its prepared statements after the table has got new columns.
    @Test func aProcessOfTheFirstFormatNeverChangesANewEntry() async throws {
        let process = try old()
        let forged = source + "#scope=alice"
        try process.store(FakeCoder.file(width: 7, height: 7), source)
        try process.store(FakeCoder.file(width: 6, height: 6), forged)
        let loads = Loads(try open(), coder)
        #expect(try await loads.width(source) == 7)
        #expect(try await loads.width(forged, .waitStoreCache) == 200)
        await loads.cache.flush()
        // The older process tries to store its image again. Its key string is now the key of a newer image.
        #expect(throws: DatabaseError.self) { try process.store(FakeCoder.file(width: 6, height: 6), forged) }
        #expect(throws: DatabaseError.self) { try process.store(FakeCoder.file(width: 6, height: 6), "new") }
        #expect(try process.data(source) == FakeCoder.file(width: 7, height: 7))
        let restarted = Loads(try open(), coder)
        #expect(try await restarted.width(forged, .fromCacheOnly) == 200)
        #expect(try await restarted.width(source, .fromCacheOnly) == 7)
        try process.remove(source)
        #expect(try await Loads(try open(), coder).width(source) == 200)
    }

    @Test func folderRecordsTheNewFormat() throws {
        try old().store(Data([1]), "key")
        _ = try open()
        let database = try Database(path: path + "/index.sqlite", mode: .readOnly)
        #expect(try database.integer("PRAGMA user_version") == 2)
        #expect(
            try database.integer(
                "SELECT count(*) FROM pragma_table_info('entry') WHERE name IN ('format', 'width', 'height')") == 0)
    }

    @Test func indexThatCannotBeMigratedIsRenamed() throws {
        do {
            try old().store(Data([1]), "key")
            try Database(path: path + "/index.sqlite", mode: .readWrite).execute("ALTER TABLE entry ADD COLUMN kind")
        }
        let disk = try open()
        disk.setData(Data([2]), forKey: "other")
        disk.flush()
        #expect(disk.data(forKey: "key") == nil && disk.data(forKey: "other") == Data([2]))
        #expect(FileManager.default.fileExists(atPath: path + "/index.sqlite.damaged"))
    }

    @Test func concurrentProcessesMigrateAFolderOnce() throws {
        try old().store(Data([1]), "key")
        let caches = Locked<[DiskCache]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            if let cache = DiskCache(cachePath: path, config: ImageCacheConfig()) {
                caches.withLock { $0.append(cache) }
            }
        }
        #expect(caches.withLock { $0 }.allSatisfy { $0.data(forKey: "key") == Data([1]) })
        #expect(caches.withLock { $0.count } == 8)
    }

    private struct Doubling: ImageTransformer {
        let transformerKey = "Doubling"
        func transformedImage(with image: Image, forKey key: String) -> Image? {
            try? TestImages.solid(width: image.pixelSize.width * 2, height: image.pixelSize.height * 2)
        }
    }
}
