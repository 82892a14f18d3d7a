import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Many distinct keys, and long keys, through every public entry: the memory stays flat once every table is full.
///
/// `WEBIMAGE_LONG` uses a million keys and a thousand keys of 1 MB. `WEBIMAGE_KEYS` sets the number of short keys.
@Suite(.serialized, .enabled(if: ProcessMemory.isMeasurable), .timeLimit(minutes: 60))
struct BoundedTableTests {
    /// The entries through which a program passes keys.
    enum Entry: String, CaseIterable, Sendable {
        case image, thumbnail, failure, callback, events, phases, prefetch, view, encoded, lookUps, store, remove
    }

    /// A loader whose loads all fail, or all return the same picture. It keeps nothing.
    private struct ConstantLoader: ImageLoader {
        let file: Data?

        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            guard let file else { throw .badData("test", "no picture") }
            return ImageDataResult(data: file, response: WebImageResponse(url: load.url))
        }
    }

    @MainActor private final class View: ImageDisplaying { var displayedImage: Image? }

    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil
    private static let longText = String(repeating: "a", count: 1 << 20)

    private let cache: ImageCache
    private let manager: WebImageManager
    private let failing: WebImageManager
    private let encoded: ImageEncodedCache
    private let prefetcher: WebImagePrefetcher
    private let picture: Image

    init() throws {
        var config = ImageCacheConfig()
        (config.shouldCacheImagesOnDisk, config.maxMemoryCount) = (false, 8)
        cache = ImageCache(memoryCache: MemoryCache(config: config), diskCache: nil, config: config)
        manager = WebImageManager(
            cache: cache, loader: ConstantLoader(file: try Journey.file(width: 4, height: 4)))
        failing = WebImageManager(cache: cache, loader: ConstantLoader(file: nil))
        let storage = ImageCache(memoryCache: MemoryCache(config: config), diskCache: nil, config: config)
        encoded = ImageEncodedCache(manager: manager, storage: storage, memoryBytes: 100_000)
        prefetcher = WebImagePrefetcher(imageManager: manager)
        picture = try TestImages.solid(width: 4, height: 4)
    }

    private func pass(_ url: URL, through entry: Entry) async throws {
        let inPlace: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        switch entry {
        case .image: _ = try await manager.image(for: url)
        case .thumbnail:
            let context: WebImageContext = [
                .imageThumbnailPixelSize: CGSize(width: 2, height: 2), .imageTransformer: ImageCircleTransformer(),
            ]
            _ = try await manager.image(for: url, context: context)
        case .failure:
            _ = try? await failing.image(for: url)
            _ = try? await failing.image(for: url)
        case .callback:
            await withCheckedContinuation { continuation in
                _ = manager.loadImage(with: url, context: inPlace) { _, _, _, _, _, _ in continuation.resume() }
            }
        case .events: for try await _ in manager.events(for: url) {}
        case .phases: for await _ in manager.phases(for: ImageRequest(url: url)) {}
        case .prefetch: _ = await prefetcher.prefetch([url])
        case .view: await show(url)
        case .encoded: _ = try await encoded.encodedImage(for: ImageRequest(url: url), format: .png)
        case .lookUps:
            _ = manager.cacheKey(for: url, context: [.imageThumbnailPixelSize: CGSize(width: 2, height: 2)])
            _ = manager.imageInMemory(for: url, context: nil)
            _ = manager.failure(of: url)
            _ = cache.pixelSize(forKey: url.absoluteString)
            _ = cache.imageFromMemoryCache(forKey: url.absoluteString)
        case .store: cache.storeImageToMemory(Image(pixels: picture.pixels), forKey: url.absoluteString)
        case .remove: await manager.removeImage(for: url)
        }
    }

    @MainActor private func show(_ url: URL) async {
        let view = View()
        let binding = ImageViewBinding(display: view, operationKey: "View")
        await withCheckedContinuation { continuation in
            let context: WebImageContext = [.customManager: manager, .cachedVariantAsPlaceholder: true]
            binding.setImage(with: url, context: context) { _, _, _, _ in continuation.resume() }
        }
    }

    /// Passes all keys. The second half of the keys must need hardly more memory than the first half.
    private func expectFlat(_ entry: Entry, _ count: Int, limit: Int, _ url: (Int) throws -> URL) async throws {
        let half = count / 2
        for number in 0..<half { try await pass(try url(number), through: entry) }
        let before = try #require(ProcessMemory.allocatedBytes)
        for number in half..<2 * half { try await pass(try url(number), through: entry) }
        let isFlat = await eventually { (ProcessMemory.allocatedBytes ?? 0) - before < limit }
        let growth = (ProcessMemory.allocatedBytes ?? 0) - before
        if Self.isLong { print("\(entry): \(count) keys, \(before / 1024) KB, then \(growth / 1024) KB more") }
        #expect(isFlat, "\(growth / 1024) KB more")
    }

    @Test(arguments: Entry.allCases) func manyKeysLeaveTheMemoryFlat(entry: Entry) async throws {
        let named = ProcessInfo.processInfo.environment["WEBIMAGE_KEYS"].flatMap { Int($0) }
        // The table of failed URLs has 10,000 entries. It must be full after half of the keys.
        let usual = entry == .failure ? 22_000 : 10_000
        try await expectFlat(entry, named ?? (Self.isLong ? 1_000_000 : usual), limit: 2 << 20) { number in
            try #require(URL(string: "https://images.example.com/2024/landscape/\(number)/large.jpg?width=1200"))
        }
    }

    @Test(arguments: Entry.allCases) func longKeysLeaveTheMemoryFlat(entry: Entry) async throws {
        try await expectFlat(entry, Self.isLong ? 1000 : 40, limit: 6 << 20) { number in
            try #require(URL(string: "https://images.example.com/\(number)/" + Self.longText))
        }
    }
}
