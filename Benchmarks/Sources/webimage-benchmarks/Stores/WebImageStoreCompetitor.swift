import Foundation
import WebImage

/// Our disk cache. The functions of this class call `ImageCache.diskCache` directly.
final class WebImageStoreCompetitor: DiskCompetitor {
    let name = "webimage"
    private let path: String
    private var evictions = 0
    private let cache: any DiskCaching

    init(_ path: String) throws {
        self.path = path
        cache = try Self.opened(path)
    }

    private static var config: ImageCacheConfig {
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        return config
    }

    private static func opened(_ path: String) throws -> any DiskCaching {
        let whole = ImageCache(namespace: "bench", diskCacheDirectory: path, config: config)
        guard let cache = whole.diskCache else { throw ScenarioError.peerFailed }
        return cache
    }

    func fill(from: Int, to: Int) {
        let small = small
        for index in from..<to { cache.setData(small, forKey: key(index, -1)) }
        cache.flush()
    }

    func put(_ value: Data, count: Int, round: Int) {
        for index in 0..<count { cache.setData(value, forKey: key(index, round)) }
        cache.flush()
    }

    func get(count: Int, round: Int) throws {
        for index in 0..<count {
            guard cache.data(forKey: key(place(index, of: count), round)) != nil else { throw ScenarioError.peerFailed }
        }
    }

    func open() throws {
        guard try Self.opened(path).data(forKey: key(0, -1)) != nil else { throw ScenarioError.peerFailed }
    }

    /// Sets the size limit to the current size and stores one more entry. The cache then exceeds the limit and evicts
    /// entries.
    func evict() throws {
        var config = Self.config
        config.maxDiskSize = cache.totalSize()
        cache.configDidChange(config)
        evictions += 1
        cache.setData(small, forKey: key(evictions, -2))
        cache.flush()
        cache.configDidChange(Self.config)
    }

    func count() -> Int { cache.totalCount() }
}
