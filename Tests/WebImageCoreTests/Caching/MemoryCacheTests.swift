import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageLoading

@Suite(.timeLimit(minutes: 1))
struct MemoryCacheTests {
    func cache(cost: Int = .max, count: Int = 0, weak: Bool = false) -> MemoryCache {
        var config = ImageCacheConfig()
        config.maxMemoryCost = cost
        config.maxMemoryCount = count
        config.shouldUseWeakMemoryCache = weak
        return MemoryCache(config: config)
    }

    @Test func storedImageIsFoundUntilRemoved() {
        let cache = cache()
        let image = picture()
        cache.setObject(image, forKey: "key", cost: 10)
        #expect(cache.object(forKey: "key") === image)
        #expect(cache.object(forKey: "other") == nil)
        #expect(cache.totalCost == 10)
        cache.removeObject(forKey: "key")
        #expect(cache.object(forKey: "key") == nil)
        #expect(cache.totalCost == 0)
        cache.setObject(image, forKey: "key", cost: 10)
        cache.setObject(nil, forKey: "key", cost: 0)
        #expect(cache.object(forKey: "key") == nil)
    }

    @Test func replacementChangesImageAndCost() {
        let cache = cache()
        cache.setObject(picture(), forKey: "key", cost: 10)
        let image = picture()
        cache.setObject(image, forKey: "key", cost: 25)
        #expect(cache.object(forKey: "key") === image)
        #expect(cache.totalCost == 25)
        #expect(cache.totalCount == 1)
    }

    @Test func usedImagesGetASecondChance() {
        let cache = cache(count: 4)
        for key in 0..<4 { cache.setObject(picture(), forKey: "\(key)", cost: 1) }
        _ = cache.object(forKey: "0")
        _ = cache.object(forKey: "1")
        cache.setObject(picture(), forKey: "4", cost: 1)
        cache.setObject(picture(), forKey: "5", cost: 1)
        let kept = (0..<6).filter { cache.object(forKey: "\($0)") != nil }
        #expect(kept == [0, 1, 4, 5])
    }

    @Test func newestIsKeptWhenNothingIsUsed() {
        let cache = cache(count: 3)
        for key in 0..<10 { cache.setObject(picture(), forKey: "\(key)", cost: 1) }
        #expect((0..<10).filter { cache.object(forKey: "\($0)") != nil } == [7, 8, 9])
    }

    @Test func oldestIsEvictedWhenAllAreUsed() {
        let cache = cache(count: 3)
        for key in 0..<3 { cache.setObject(picture(), forKey: "\(key)", cost: 1) }
        for key in 0..<3 { _ = cache.object(forKey: "\(key)") }
        cache.setObject(picture(), forKey: "3", cost: 1)
        #expect((0..<4).filter { cache.object(forKey: "\($0)") != nil } == [1, 2, 3])
    }

    @Test func costIsNeverOverTheLimit() {
        let cache = cache(cost: 100)
        for key in 0..<50 {
            cache.setObject(picture(), forKey: "\(key)", cost: key % 30)
            #expect(cache.totalCost <= 100)
        }
    }

    @Test func imageLargerThanTheLimitEvictsNothing() {
        let cache = cache(cost: 100, weak: true)
        cache.setObject(picture(), forKey: "small", cost: 50)
        let large = picture()
        cache.setObject(large, forKey: "large", cost: 101)
        #expect(cache.object(forKey: "small") != nil)
        #expect(cache.object(forKey: "large") === large)
        #expect(cache.totalCost == 50)
    }

    @Test func evictedImageInUseIsFoundAndCountedAgain() {
        let cache = cache(count: 2, weak: true)
        let held = picture()
        cache.setObject(held, forKey: "held", cost: 7)
        for key in 0..<5 { cache.setObject(picture(), forKey: "\(key)", cost: 1) }
        #expect(cache.totalCost == 2)
        #expect(cache.object(forKey: "held") === held)
        #expect(cache.totalCost == 8)
        #expect(cache.object(forKey: "0") == nil)
    }

    @Test func withoutTheWeakMapEvictedImagesAreMisses() {
        let cache = cache(count: 1)
        let held = picture()
        cache.setObject(held, forKey: "held", cost: 1)
        cache.setObject(picture(), forKey: "other", cost: 1)
        #expect(cache.object(forKey: "held") == nil)
    }

    @Test func removalReachesTheWeakMap() {
        let cache = cache(count: 1, weak: true)
        let held = [picture(), picture()]
        for (key, image) in held.enumerated() { cache.setObject(image, forKey: "\(key)", cost: 1) }
        cache.removeObject(forKey: "0")
        #expect(cache.object(forKey: "0") == nil)
        cache.removeAllObjects()
        #expect(cache.object(forKey: "1") == nil)
        withExtendedLifetime(held) {}
    }

    @Test func memoryPressureReleasesUnusedImagesOnly() {
        let cache = cache(weak: true)
        let held = picture()
        weak var lost: Image?
        do {
            let image = picture()
            lost = image
            cache.setObject(image, forKey: "lost", cost: 1)
        }
        cache.setObject(held, forKey: "held", cost: 1)
        cache.trim(toCost: 0)
        #expect(lost == nil)
        #expect(cache.totalCount == 0)
        #expect(cache.object(forKey: "held") === held)
    }

    @Test func newLimitsApplyAtOnce() {
        let cache = cache()
        for key in 0..<10 { cache.setObject(picture(), forKey: "\(key)", cost: 10) }
        var config = ImageCacheConfig()
        config.maxMemoryCost = 35
        cache.configDidChange(config)
        #expect(cache.totalCost == 30)
        config.maxMemoryCount = 1
        cache.configDidChange(config)
        #expect(cache.totalCount == 1)
        #expect(cache.object(forKey: "9") != nil)
    }

    /// The `deinit` of an image can call the cache. If the cache released an image under its lock, such a call would
    /// deadlock.
    @Test func evictedImagesAreReleasedOutsideTheLock() {
        final class Caller: Image, @unchecked Sendable {
            // Unchecked is safe because the property is set before the image is shared.
            nonisolated(unsafe) var onDeinit: () -> Void = {}
            deinit { onDeinit() }
        }
        let cache = cache(count: 1)
        let calls = Locked(0)
        for key in 0..<5 {
            let image = Caller(pixels: picture().pixels)
            image.onDeinit = { [weak cache] in
                _ = cache?.object(forKey: "reentrant")
                calls.withLock { $0 += 1 }
            }
            cache.setObject(image, forKey: "\(key)", cost: 1)
        }
        cache.removeAllObjects()
        #expect(calls.withLock { $0 } == 5)
    }

    @Test func concurrentCallsOfEveryKindAreSafe() {
        let cache = cache(cost: 500, weak: true)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<2000 {
                let key = "\((step &* 7 &+ thread) % 100)"
                switch step % 10 {
                case 0...2: cache.setObject(picture(), forKey: key, cost: step % 20)
                case 3: cache.removeObject(forKey: key)
                case 4 where step % 500 == 4: cache.trim(toCost: 100)
                default: _ = cache.object(forKey: key)
                }
            }
        }
        #expect(cache.totalCost <= 500)
        cache.removeAllObjects()
        #expect(cache.totalCost == 0)
        #expect(cache.totalCount == 0)
    }

    @Test func automaticCostLimitIsFifteenPercentOfTheControlGroup() {
        #expect(MemorySize.automaticCost == MemorySize.available / 100 * 15)
        #expect(MemorySize.available > 0)
        let files = [
            "/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "1000\n",
            "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(MemorySize.limits(groups: "0::/a/b\n") { files[$0] } == [1000])
        #expect(MemorySize.limits(groups: "3:cpu:/y\n7:memory,hugetlb:/x\n0::/\n") { files[$0] } == [2000])
        #expect(MemorySize.limits(groups: "garbage\n::\n") { files[$0] } == [])
    }
}
