import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests the limits for age and size. The tests set the clock of the cache.
@Suite(.timeLimit(minutes: 1))
struct LimitTests {
    let folder: ScratchFolder
    let now = Locked(Date(timeIntervalSince1970: 1_800_000_000))

    init() throws { folder = try ScratchFolder() }

    func open(_ change: (inout ImageCacheConfig) -> Void) throws -> DiskCache {
        var config = ImageCacheConfig()
        change(&config)
        let now = now
        let cache = DiskCache(cachePath: folder.path + "/cache", config: config, clock: { now.withLock { $0 } })
        return try #require(cache)
    }

    func pass(_ seconds: TimeInterval) { now.withLock { $0 += seconds } }

    @Test func sizeLimitEvictsTheLeastRecentlyUsed() throws {
        let cache = try open { $0.maxDiskSize = 100_000 }
        for key in 0..<9 {
            cache.setData(bytes(10_000), forKey: "\(key)")
            pass(1)
        }
        cache.flush()
        #expect(cache.data(forKey: "0") != nil)
        pass(1)
        for key in 9..<13 {
            cache.setData(bytes(10_000), forKey: "\(key)")
            pass(1)
        }
        #expect(cache.totalSize() <= 100_000)
        #expect(cache.totalCount() >= 8)
        #expect(cache.containsData(forKey: "0"))
        #expect(!cache.containsData(forKey: "1"))
        #expect(cache.containsData(forKey: "12"))
    }

    /// The sizes of all files in the folder: values, index, log and shared memory.
    private var folderBytes: Int {
        folder.files.reduce(0) { sum, path in
            var status = stat()
            return sum + (lstat(path, &status) == 0 ? Int(status.st_size) : 0)
        }
    }

    /// Values in the index, values in files, and both in turn.
    @Test(arguments: [1 << 20, 2 << 20, 8 << 20], [100...6_000, 15_000...32_000, 33_000...90_000, 100...90_000])
    func sizeLimitBoundsTheWholeFolder(limit: Int, sizes: ClosedRange<Int>) throws {
        let cache = try open { $0.maxDiskSize = limit }
        var random = SeededRandom(seed: 32)
        var (written, number, most) = (0, 0, 0)
        while written < 4 * limit {
            // A part of the keys is stored again, with another size.
            let key = number % 5 == 4 ? number - 3 : number
            let value = bytes(Int.random(in: sizes, using: &random), seed: UInt64(number))
            cache.setData(value, forKey: "\(key)")
            written += value.count
            number += 1
            pass(1)
            guard number % 7 == 0 else { continue }
            cache.flush()
            _ = cache.data(forKey: "\(number / 2)")
            most = max(most, folderBytes)
        }
        #expect(most <= limit, "\(most)")
        // The cache is not nearly empty either.
        #expect(cache.totalSize() > limit / 4, "\(cache.totalSize())")
        #expect(cache.verify().removed == 0)
        cache.removeExpiredData()
        cache.flush()
        #expect(folderBytes <= limit)
    }

    /// A value above the limit is removed again, and the other values are not lost for it.
    @Test func smallerLimitShrinksTheFolder() throws {
        let cache = try open { $0.maxDiskSize = 16 << 20 }
        for key in 0..<400 {
            cache.setData(bytes(20_000, seed: UInt64(key)), forKey: "\(key)")
            pass(1)
        }
        cache.flush()
        #expect(cache.totalCount() == 400)
        var config = ImageCacheConfig()
        config.maxDiskSize = 2 << 20
        cache.configDidChange(config)
        for key in 400..<420 {
            cache.setData(bytes(2_000, seed: UInt64(key)), forKey: "\(key)")
            cache.flush()
            pass(1)
        }
        #expect(cache.containsData(forKey: "419"))
        #expect(folderBytes <= 2 << 20, "\(folderBytes)")
    }

    @Test func explicitRemovalTrimsToHalf() throws {
        let cache = try open { $0.maxDiskSize = .max }
        for key in 0..<10 {
            cache.setData(bytes(10_000), forKey: "\(key)")
            pass(1)
        }
        cache.flush()
        var config = ImageCacheConfig()
        config.maxDiskSize = 80_000
        cache.configDidChange(config)
        cache.removeExpiredData()
        #expect(cache.totalSize() < 40_000)
        #expect(cache.totalCount() == 3)
        #expect(cache.containsData(forKey: "9"))
    }

    @Test(arguments: [
        (ImageCacheConfig.ExpireType.accessDate, ["read", "extended"]),
        (.modificationDate, ["replaced"]),
        (.creationDate, []),
        (.changeDate, ["replaced", "extended"]),
    ])
    func ageIsCountedFromTheConfiguredDate(type: ImageCacheConfig.ExpireType, survivors: [String]) throws {
        let cache = try open {
            $0.maxDiskAge = 100
            $0.diskCacheExpireType = type
        }
        for key in ["untouched", "read", "replaced", "extended"] { cache.setData(bytes(10), forKey: key) }
        cache.flush()
        pass(80)
        _ = cache.data(forKey: "read")
        cache.setData(bytes(11), forKey: "replaced")
        cache.setExtendedData(bytes(5), forKey: "extended")
        cache.flush()
        pass(80)
        cache.removeExpiredData()
        // When the bytes are replaced, the access date changes. When extended data is stored, it does not change.
        let expected = type == .accessDate ? ["read", "replaced"] : survivors
        #expect(Set(["untouched", "read", "replaced", "extended"].filter(cache.containsData)) == Set(expected))
    }

    @Test(arguments: [(-1.0, 3), (0.0, 0), (1000.0, 3)])
    func negativeAgeNeverExpiresAndZeroExpiresAtOnce(age: Double, remaining: Int) throws {
        let cache = try open { $0.maxDiskAge = age }
        for key in 0..<3 { cache.setData(bytes(10), forKey: "\(key)") }
        pass(500)
        cache.removeExpiredData()
        #expect(cache.totalCount() == remaining)
    }

    @Test func ageLimitAppliesDuringWrites() throws {
        let cache = try open { $0.maxDiskAge = 100 }
        for key in 0..<1000 { cache.setData(bytes(10), forKey: "\(key)") }
        cache.flush()
        pass(200)
        for key in 0..<20 {
            cache.setData(bytes(10), forKey: "new \(key)")
            cache.flush()
            pass(1)
        }
        #expect(cache.totalCount() == 20)
    }

    @Test func clockSetBackRemovesNothing() throws {
        let cache = try open { $0.maxDiskAge = 100 }
        cache.setData(bytes(10), forKey: "key")
        cache.flush()
        pass(-1_000_000)
        cache.setData(bytes(10), forKey: "other")
        cache.removeExpiredData()
        #expect(cache.data(forKey: "key") != nil)
        #expect(cache.data(forKey: "other") != nil)
    }
}
