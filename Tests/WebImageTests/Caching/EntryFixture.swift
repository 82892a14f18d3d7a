import Foundation
import WebImage
import WebImageTesting

/// A manager with a real cache in a temporary folder and a loader without network.
final class EntryFixture: Sendable {
    private let scratch: ScratchFolder
    let loader = FakeDataLoader()
    let cache: ImageCache
    let manager: WebImageManager

    var folder: String { scratch.url.path }

    init(scratch: ScratchFolder? = nil) throws {
        self.scratch = try scratch ?? ScratchFolder()
        cache = ImageCache(namespace: "default", diskCacheDirectory: self.scratch.url.path)
        manager = WebImageManager(cache: cache, loader: loader)
    }

    /// Returns a fixture with the same disk folder and an empty memory cache, like a new process.
    func restarted() throws -> EntryFixture {
        cache.flush()
        return try EntryFixture(scratch: scratch)
    }

    static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { fatalError("\(text) is no URL") }
        return url
    }

    /// Returns a PNG of one colour.
    static func file(blue: UInt8, width: Int = 40, height: Int = 30) throws -> Data {
        try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height, blue: blue), format: .png, options: EncodingOptions())
    }

    func answer(_ url: URL, blue: UInt8, width: Int = 40, height: Int = 30) throws {
        loader.answer(url, with: .success(try Self.file(blue: blue, width: width, height: height)))
    }

    /// Loads the image. Returns the blue value of its first pixel, and the result of the load.
    @discardableResult
    func load(
        _ url: URL, _ options: WebImageOptions = [], _ context: WebImageContext = [:]
    ) async throws -> (blue: UInt8, result: WebImageResult) {
        let result = try await manager.result(for: url, options: options.union(.waitStoreCache), context: context)
        return (result.image.blue, result)
    }
}

extension Image {
    /// The blue value of the first pixel.
    var blue: UInt8 { pixels.withUnsafeBytes { $0.first ?? 0 } }
}

/// A transformer that returns an image of one colour. Its blue value is the sum of `blue` and the blue value of the
/// source.
struct BlueTransformer: ImageTransformer {
    var blue: UInt8 = 9
    var width: Int?
    var transformerKey = "Blue"

    func transformedImage(with image: Image, forKey key: String) -> Image? {
        try? TestImages.solid(
            width: width ?? image.pixelSize.width, height: width ?? image.pixelSize.height, blue: blue &+ image.blue)
    }
}
