import CWebImageAllocationCounter
import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Runs `body` and returns the number of allocations that the calling thread makes during the run.
func allocations(_ body: () -> Void) -> Int {
    allocation_counter_start()
    body()
    return allocation_counter_stop()
}

@Suite(.enabled(if: allocation_counter_works(), "a sanitizer has its own allocator"), .timeLimit(minutes: 1))
struct MemoryHitTests {
    let keys = (0..<1000).map { "https://images.example.com/collections/2024/landscape/\($0)/large.jpg?w=1200" }

    @Test func counterCounts() {
        var kept: [UnsafeMutableRawPointer?] = []
        kept.reserveCapacity(10)
        #expect(allocations { for _ in 0..<10 { kept.append(malloc(100)) } } == 10)
        kept.forEach { free($0) }
    }

    @Test func hitAllocatesNothing() throws {
        var config = ImageCacheConfig()
        config.maxMemoryCost = .max
        config.diskCacheClass = DictionaryDiskCache.self
        let cache = ImageCache(namespace: "hits", diskCacheDirectory: "/nowhere", config: config)
        for key in keys { cache.storeImageToMemory(picture(), forKey: key) }
        var found = 0
        // The first use allocates memory for generic types. Make the first use here, so that it is not counted.
        _ = cache.imageFromMemoryCache(forKey: keys[0])
        let count = allocations {
            for index in 0..<1000 where cache.imageFromMemoryCache(forKey: keys[index]) != nil { found += 1 }
        }
        #expect(found == 1000)
        #expect(count == 0)
    }

    @Test func missAllocatesNothing() {
        let cache = MemoryCache(config: ImageCacheConfig())
        var found = 0
        _ = cache.object(forKey: "first")
        let count = allocations {
            for index in 0..<1000 where cache.object(forKey: keys[index]) != nil { found += 1 }
        }
        #expect(count == 0)
        #expect(found == 0)
    }

    @Test func knownPixelSizeAllocatesNothing() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        let cache = ImageCache(namespace: "sizes", diskCacheDirectory: "/nowhere", config: config)
        for key in keys { cache.storeImageToMemory(picture(), forKey: key) }
        var found = 0
        _ = cache.pixelSize(forKey: keys[0])
        let count = allocations {
            for index in 0..<1000 where cache.pixelSize(forKey: keys[index]) != nil { found += 1 }
        }
        #expect(count == 0)
        #expect(found == 1000)
    }

    /// Counts the allocations of loads that hit the memory cache, from the call to the completion, with a loader that does
    /// not allow the path of `PlainHit`. Such a load allocates its parsed context and its operation. For the loads of a scrolling list, see
    /// `LoadCostTests`.
    @Test func wholeLoadAllocatesAtMostTwice() throws {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        let cache = ImageCache(namespace: "loads", diskCacheDirectory: "/nowhere", config: config)
        for key in keys { cache.storeImageToMemory(picture(), forKey: key) }
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: [FakeDataLoader()]))
        let urls = keys.compactMap { URL(string: $0) }
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let found = Locked(0)
        let completed: WebImageInternalCompletionBlock = { image, _, _, _, _, _ in
            if image != nil { found.withLock { $0 += 1 } }
        }
        // The first load allocates memory for generic types, and a URL allocates when its text is first read. Load
        // every URL here, so that these allocations are not counted.
        for url in urls { manager.loadImage(with: url, context: context, completed: completed) }
        // Use an index, because a loop over the URLs allocates in a debug build.
        var index = 0
        let count = allocations {
            while index < urls.count {
                manager.loadImage(with: urls[index], context: context, completed: completed)
                index += 1
            }
        }
        #expect(found.withLock { $0 } == 2000)
        #expect(count <= 2 * urls.count, "\(Double(count) / Double(urls.count)) a load")
    }
}
