import CWebImageAllocationCounter
import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Measures the cost of loads with the real loaders, from the call to the completion.
@Suite(.enabled(if: allocation_counter_works(), "a sanitizer has its own allocator"), .timeLimit(minutes: 1))
struct LoadCostTests {
    @Test func aWholeMemoryHitAllocatesAtMostThreeTimes() throws {
        let journey = try Journey()
        let urls = (0..<500).compactMap {
            URL(string: "https://images.example.com/2024/landscape/\($0)/large.jpg?w=1200")
        }
        for url in urls { journey.cache.storeImageToMemory(try TestImages.solid(), forKey: url.absoluteString) }
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let found = Locked(0)
        let completed: WebImageInternalCompletionBlock = { image, _, _, _, _, _ in
            if image != nil { found.withLock { $0 += 1 } }
        }
        // These first loads are not counted. They instantiate generic types, and a URL allocates memory when its text
        // is first read.
        for url in urls { journey.manager.loadImage(with: url, context: context, completed: completed) }
        // Use an index, because a loop over the URLs allocates memory in a debug build.
        var index = 0
        allocation_counter_start()
        while index < urls.count {
            journey.manager.loadImage(with: urls[index], context: context, completed: completed)
            index += 1
        }
        let count = allocation_counter_stop()
        #expect(found.withLock { $0 } == 1000)
        #expect(count <= 3 * urls.count, "\(Double(count) / Double(urls.count)) a load")
    }

    /// If a row is bound again to the same URL and size, the load builds no key string. The test uses one URL, because
    /// two URLs may use the same slot in the table of keys. Each of the two keys would then replace the other key.
    @Test func aThumbnailHitBoundAgainBuildsNoString() throws {
        let journey = try Journey()
        let url = try #require(URL(string: "https://images.example.com/2024/landscape/1/large.jpg?w=1200"))
        let box = CGSize(width: 96, height: 64)
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking, .imageThumbnailPixelSize: box]
        let key = journey.manager.cacheKey(for: url, context: context)
        journey.cache.storeImageToMemory(try TestImages.solid(), forKey: key)
        let found = Locked(0)
        let completed: WebImageInternalCompletionBlock = { image, _, _, _, _, _ in
            if image != nil { found.withLock { $0 += 1 } }
        }
        journey.manager.loadImage(with: url, context: context, completed: completed)
        var index = 0
        allocation_counter_start()
        while index < 100 {
            journey.manager.loadImage(with: url, context: context, completed: completed)
            index += 1
        }
        let count = allocation_counter_stop()
        #expect(found.withLock { $0 } == 101)
        #expect(count <= 3 * 100, "\(Double(count) / 100) a load")
    }

    /// A hit of a local file reads and compares the state of the file, without the path that Foundation makes of the URL.
    @Test func aMemoryHitOfAFileAllocatesAtMostElevenTimes() async throws {
        let journey = try Journey()
        let file = journey.folder.appendingPathComponent("a.png")
        try Journey.file().write(to: file)
        _ = try await journey.manager.image(for: file)
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let found = Locked(0)
        let completed: WebImageInternalCompletionBlock = { _, _, _, cacheType, _, _ in
            if cacheType == .memory { found.withLock { $0 += 1 } }
        }
        journey.manager.loadImage(with: file, context: context, completed: completed)
        func count(_ body: () -> Void) -> Int {
            var index = 0
            allocation_counter_start()
            while index < 100 {
                body()
                index += 1
            }
            return allocation_counter_stop()
        }
        let hits = count { journey.manager.loadImage(with: file, context: context, completed: completed) }
        #expect(found.withLock { $0 } == 101)
        // In a debug build; three of them belong to any hit.
        #expect(hits <= 11 * 100, "\(Double(hits) / 100) a load")
        let paths = count { _ = FileState.path(of: file) }
        #expect(paths > 11 * 100, "\(Double(paths) / 100) a path")
    }

    /// Checks the numbers in Documentation/Decisions/one-pipeline.md. The server is a separate process. The counts
    /// therefore include only the load, with all of its threads.
    @Test(.enabled(if: NginxServer.isAvailable, "nginx is not installed"))
    func aColdLoadAndItsHitsTakeFewLocksAndObjects() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let file = try Journey.file()
        let count = 40
        for index in 0..<(2 * count) { try file.write(to: nginx.root.appendingPathComponent("\(index).png")) }
        let urls = (0..<(2 * count)).map { nginx.url("/\($0).png") }
        let journey = try Journey()
        let load: @Sendable (URL) async throws -> WebImageResult = { try await journey.manager.result(for: $0) }
        // These loads are not counted. They open the connection and create the objects that later loads reuse.
        for url in urls.prefix(count) { #expect(try await load(url).cacheType == .none) }
        let cold = try await Self.cost(of: count) { for url in urls.suffix(count) { _ = try await load(url) } }
        await journey.cache.flush()
        let hit = try await Self.cost(of: count) { for url in urls.suffix(count) { _ = try await load(url) } }
        journey.cache.config.shouldUseWeakMemoryCache = false
        journey.cache.clearMemory()
        for url in urls.prefix(count) { #expect(try await load(url).cacheType == .disk) }
        let disk = try await Self.cost(of: count) { for url in urls.suffix(count) { _ = try await load(url) } }
        let fetch = try await Self.cost(of: count) {
            for url in urls.suffix(count) {
                _ = try await journey.downloader.loadData(for: ImageDataLoad(url: url), progress: nil)
            }
        }
        let level = try await Self.costOfOneLevel(count)
        print("a load: cold \(cold), from disk \(disk), from memory \(hit)")
        print("a download alone: \(fetch); one level of shared work: \(level)")
        // The limits are a third above the measured values, because the counts include timers and idle threads.
        #expect(cold.objects < 1050 && disk.objects < 550 && hit.objects < 5)
        #expect(cold.allocations < 1250 && disk.allocations < 640 && hit.allocations < 5 && level.allocations < 40)
        #expect(cold.locks < 260 && disk.locks < 125 && hit.locks < 8 && level.locks < 15)
    }

    /// Returns the cost of one level of shared work. The work has one subscriber and does nothing.
    private static func costOfOneLevel(_ count: Int) async throws -> Cost {
        let tasks = SharedTasks<Int, Int>()
        let priority = LoadPriorityHandle()
        let run: @Sendable (Int) async throws -> Void = { key in
            _ = try await tasks.withValue(
                for: key, priority: priority, listener: { _ in }, work: { _ throws(WebImageError) in 1 },
                body: { value throws(WebImageError) in value })
        }
        for key in 0..<count { try await run(key) }
        return try await cost(of: count) { for key in 0..<count { try await run(key) } }
    }

    struct Cost: CustomStringConvertible {
        var objects = 0.0
        var allocations = 0.0
        var locks = 0.0

        var description: String { "\(locks) locks, \(objects) Swift objects, \(allocations) allocations" }
    }

    private static func cost(of count: Int, _ work: () async throws -> Void) async throws -> Cost {
        work_counter_start()
        do {
            try await work()
        } catch {
            _ = work_counter_stop()
            throw error
        }
        let counts = work_counter_stop()
        let each = { (number: Int) in (Double(number) / Double(count) * 10).rounded() / 10 }
        return Cost(objects: each(counts.objects), allocations: each(counts.allocations), locks: each(counts.locks))
    }
}
