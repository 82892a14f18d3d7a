import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Many distinct keys through the public entries: the memory stays flat once every table is full.
///
/// `WEBIMAGE_LONG` uses a million keys.
@Suite(.serialized, .enabled(if: ProcessMemory.isMeasurable), .timeLimit(minutes: 60))
struct BoundedTableTests {
    private static var count: Int {
        ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] == nil ? 20_000 : 1_000_000
    }

    /// A loader whose loads all fail, or all return the same picture. It keeps nothing.
    private struct ConstantLoader: ImageDataLoader {
        let file: Data?

        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            guard let file else { throw .badData("test", "no picture") }
            return ImageDataResult(data: file, response: WebImageResponse(url: load.url))
        }
        func canRequestImage(for url: URL?) -> Bool { true }
    }

    private func url(_ number: Int) throws -> URL {
        try #require(URL(string: "https://images.example.com/2024/landscape/\(number)/large.jpg?width=1200"))
    }

    /// Runs the entry for all keys. The second half of the keys must need hardly more memory than the first half.
    private func expectFlat(_ entry: (Int) async throws -> Void) async throws {
        let half = Self.count / 2
        for number in 0..<half { try await entry(number) }
        let before = try #require(ProcessMemory.allocatedBytes)
        for number in half..<2 * half { try await entry(number) }
        let growth = try #require(ProcessMemory.allocatedBytes) - before
        #expect(growth < 3 << 20, "\(growth / 1024) KB more")
    }

    private func manager(_ file: Data?) -> WebImageManager {
        var config = ImageCacheConfig()
        (config.shouldCacheImagesOnDisk, config.maxMemoryCount) = (false, 50)
        let cache = ImageCache(memoryCache: MemoryCache(config: config), diskCache: nil, config: config)
        return WebImageManager(cache: cache, loader: ConstantLoader(file: file))
    }

    @Test func loads() async throws {
        let manager = manager(try Journey.file(width: 4, height: 4))
        try await expectFlat { _ = try await manager.image(for: try url($0)) }
    }

    @Test func thumbnailsAndTransforms() async throws {
        let manager = manager(try Journey.file(width: 4, height: 4))
        let context: WebImageContext = [
            .imageThumbnailPixelSize: CGSize(width: 2, height: 2), .imageTransformer: ImageCircleTransformer(),
        ]
        try await expectFlat { _ = try await manager.image(for: try url($0), context: context) }
    }

    @Test func failures() async throws {
        let manager = manager(nil)
        try await expectFlat { _ = try? await manager.image(for: try url($0)) }
    }

    @Test func imagesStoredAndLookedUpByKey() async throws {
        var config = ImageCacheConfig()
        config.maxMemoryCount = 50
        let cache = ImageCache(memoryCache: MemoryCache(config: config), diskCache: nil, config: config)
        let image = try TestImages.solid()
        try await expectFlat { number in
            cache.storeImageToMemory(Image(pixels: image.pixels), forKey: "key \(number)")
            _ = cache.imageFromMemoryCache(forKey: "other \(number)")
            _ = cache.pixelSize(forKey: "third \(number)")
        }
    }
}
