import Foundation
import Harness
import WebImage

/// Compares reads from memory caches with URLs as keys. The competitors are our cache, a dictionary under a pthread
/// lock, and `NSCache`, all with the same keys. Other contests compare two things: a complete `loadImage` whose
/// image is in the memory cache, and the read from this cache alone.
///
/// Times are nanoseconds per read. The total number of reads is divided among the threads. With ideal scaling, the
/// time therefore decreases with each additional thread until all cores are used.
struct MemoryScenario {
    private static let keyCount = 10_000
    private static let gets = 50_000

    private let keys = (0..<keyCount).map {
        "https://images.example.com/collections/2024/landscape/\($0)/large.jpg?w=1200"
    }
    /// The indices of the keys in the order of the reads. Each key occurs five times. The indices of two consecutive
    /// reads differ by 7,919, so that a read does not profit from the memory that the previous read has put into the
    /// processor's caches.
    private let order: [Int] = (0..<gets).map { ($0 &* 7919) % keyCount }

    func contests() throws -> [Contest] {
        let threads = [1, 2, 4, 8]
        return try threads.map { try get($0) } + (try threads.map { try load($0) })
    }

    private func get(_ threads: Int) throws -> Contest {
        let (images, urls) = try content()
        var config = ImageCacheConfig()
        config.maxMemoryCost = .max
        config.shouldCacheImagesOnDisk = false
        let ours = ImageCache(namespace: "bench", diskCacheDirectory: "/nowhere", config: config)
        let system = NSCache<NSString, Image>()
        let plain = LockedDictionary()
        for (key, image) in images {
            ours.storeImageToMemory(image, forKey: key)
            system.setObject(image, forKey: key as NSString, cost: 64)
            plain.images[key] = image
        }
        let names = urls.map { $0 as NSString }
        let share = order.prefix(Self.gets / threads)
        let shared = SharedSystemCache(cache: system, names: names)
        // The Python peer takes part only with one thread, because Python runs only one thread at a time.
        let python = threads == 1 ? [LinePeer("cachetools (Python)", script: "memory.py").competitor("get")] : []
        return Contest(
            "memory get, \(threads) threads", target: threads == 1 ? 1.15 : 1.3, unit: .nanoseconds,
            operations: Self.gets,
            skipsUnsupportedPeers: true,
            [
                Contest.Competitor("webimage") {
                    inThreads(threads) { for index in share { check(ours.imageFromMemoryCache(forKey: urls[index])) } }
                },
                Contest.Competitor("dictionary and pthread lock") {
                    inThreads(threads) { for index in share { check(plain.image(urls[index])) } }
                },
                Contest.Competitor("NSCache") {
                    inThreads(threads) { for index in share { check(shared.image(index)) } }
                },
            ] + python)
    }

    /// Returns a contest that compares a complete `loadImage` with a read from the same memory cache. There is no peer
    /// from another library, because none has an equivalent of `loadImage`.
    private func load(_ threads: Int) throws -> Contest {
        let (images, texts) = try content()
        var config = ImageCacheConfig()
        config.maxMemoryCost = .max
        config.shouldCacheImagesOnDisk = false
        let cache = ImageCache(namespace: "bench", diskCacheDirectory: "/nowhere", config: config)
        for (key, image) in images { cache.storeImageToMemory(image, forKey: key) }
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager.shared)
        let urls = texts.compactMap { URL(string: $0) }
        let share = order.prefix(Self.gets / threads)
        return Contest(
            "whole loadImage from memory, \(threads) threads", target: 3, unit: .nanoseconds, operations: Self.gets,
            [
                Contest.Competitor("webimage") {
                    inThreads(threads) {
                        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
                        for index in share {
                            manager.loadImage(with: urls[index], context: context) { image, _, _, _, _, _ in
                                check(image)
                            }
                        }
                    }
                },
                Contest.Competitor("its get alone") {
                    inThreads(threads) {
                        for index in share { check(cache.imageFromMemoryCache(forKey: texts[index])) }
                    }
                },
            ])
    }

    /// Returns one picture per key, and copies of the keys. The reads use the copies. In a program, the string of the
    /// caller is also a different object from the key in the cache. The cache must then compare equal strings byte by
    /// byte.
    private func content() throws -> (images: [String: Image], keys: [String]) {
        let pixels = try PixelBuffer(width: 1, height: 1, format: .gray8)
        let images = Dictionary(uniqueKeysWithValues: keys.map { ($0, Image(pixels: pixels)) })
        return (images, keys.map { String(decoding: Array($0.utf8), as: UTF8.self) })
    }
}

private func check(_ image: Image?) { precondition(image != nil, "a miss") }

private func inThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    guard count > 1 else { return body() }
    DispatchQueue.concurrentPerform(iterations: count) { _ in body() }
}

/// An `NSCache` and its keys. The keys are `NSString` objects that are created before the measurement.
private struct SharedSystemCache: @unchecked Sendable {
    // Unchecked is safe because `NSCache` has an internal lock and the strings never change.
    let cache: NSCache<NSString, Image>
    let names: [NSString]

    func image(_ index: Int) -> Image? { cache.object(forKey: names[index]) }
}

/// A minimal memory cache: a dictionary under a pthread mutex.
private final class LockedDictionary: @unchecked Sendable {
    // Unchecked is safe because `images` is written before other threads can access it, and is read under the lock.
    var images: [String: Image] = [:]
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    func image(_ key: String) -> Image? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return images[key]
    }
}
