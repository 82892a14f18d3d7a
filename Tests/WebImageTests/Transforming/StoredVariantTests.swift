import Foundation
import Testing
import WebImage
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

@testable import WebImageLoading

/// A transformed picture that is read from disk looks like the one that was made: it keeps its transparency, and is not
/// much larger than its original.
@Suite(.timeLimit(minutes: 2))
struct StoredVariantTests {
    private let journey: Journey

    init() throws { journey = try Journey() }

    private static let formats: [ImageFormat] = [.jpeg, .png, .gif, .webP, .bmp]

    /// Transformers that make pixels transparent, and two that do not.
    private static let transformers: [(any ImageTransformer, isTransparent: Bool)] = [
        (ImageRoundCornerTransformer(radius: 12, corners: .allCorners, borderWidth: 0, borderColor: nil), true),
        (ImageCircleTransformer(), true), (ImageRotationTransformer(angle: 0.3, fitSize: true), true),
        (ImageResizingTransformer(size: CGSize(width: 60, height: 60), scaleMode: .aspectFit), true),
        (ImageTintTransformer(color: ImageColor(red: 0.2, green: 0.5, blue: 0.9, alpha: 0.4)), true),
        (
            ImagePipelineTransformer(transformers: [
                ImageFlippingTransformer(horizontal: true, vertical: false), ImageCircleTransformer(),
            ]), true
        ),
        (ImageFlippingTransformer(horizontal: true, vertical: false), false),
        (ImageCroppingTransformer(rect: CGRect(x: 4, y: 4, width: 20, height: 16)), false),
    ]

    static let cases = formats.flatMap { format in transformers.indices.map { (format, $0) } }

    private func manager() -> WebImageManager {
        WebImageManager(
            cache: ImageCache(namespace: "default", diskCacheDirectory: journey.folder.path), loader: journey.downloader
        )
    }

    /// The largest difference of two images in their display pixels.
    private static func difference(_ one: Image, _ other: Image, inAlphaOnly: Bool = false) throws -> Int {
        let (one, other) = (
            try one.pixels.converted(to: .bgra8Premultiplied), try other.pixels.converted(to: .bgra8Premultiplied)
        )
        #expect(one.width == other.width && one.height == other.height)
        return one.withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                var most = 0
                for row in 0..<min(one.height, other.height) {
                    for byte in 0..<(4 * min(one.width, other.width)) where !inAlphaOnly || byte % 4 == 3 {
                        let pair = (left[row * one.bytesPerRow + byte], right[row * other.bytesPerRow + byte])
                        most = max(most, abs(Int(pair.0) - Int(pair.1)))
                    }
                }
                return most
            }
        }
    }

    /// The picture of the first load, that after memory was cleared, and that after a restart.
    @Test(arguments: cases) func variantFromDiskLooksLikeThatOfTheFirstLoad(_ format: ImageFormat, _ index: Int)
        async throws
    {
        let (transformer, isTransparent) = Self.transformers[index]
        let url = journey.server.url("/a")
        // Smooth, so that a lossy format changes it little.
        journey.server.route("/a", .body(try Journey.file(format, width: 40, height: 30)))
        let context: WebImageContext = [.imageTransformer: transformer]
        let first = try await journey.manager.image(for: url, options: .waitStoreCache, context: context)
        #expect(first.hasAlpha || !isTransparent)
        let sent = try await encoded(journey.manager, "first", url, transformer)
        journey.cache.clearMemory()
        let second = try await journey.manager.result(for: url, options: .fromCacheOnly, context: context)
        await journey.cache.flush()
        let third = try await manager().result(for: url, options: .fromCacheOnly, context: context)
        for later in [second, third] {
            #expect(later.cacheType == .disk)
            #expect(later.image.isTransformed)
            #expect(try Self.difference(first, later.image, inAlphaOnly: true) == 0)
            // WebP keeps the transparency itself. Its colours are lossy, also beside a transparent edge.
            let most = format == .webP ? 60 : isTransparent ? 0 : 6
            #expect(try Self.difference(first, later.image) <= most)
        }
        let sentLater = try await encoded(manager(), "later", url, transformer)
        if isTransparent, format != .webP { #expect(sent == sentLater, "a server sends other bytes after a restart") }
    }

    private func encoded(
        _ manager: WebImageManager, _ name: String, _ url: URL, _ transformer: any ImageTransformer
    ) async throws -> Data {
        let storage = ImageCache(namespace: name, diskCacheDirectory: journey.folder.path)
        var request = ImageRequest(url: url)
        request.transformers = [transformer]
        return try await ImageEncodedCache(manager: manager, storage: storage).encodedImage(for: request).data
    }

    /// A palette has few colours and no soft edges.
    @Test func stillPictureOfAGIFKeepsItsColours() async throws {
        let frames = try (0..<3).map { number in
            ImageFrame(image: try TestImages.solid(width: 64, height: 64, blue: UInt8(number * 50)), duration: 0.1)
        }
        let file = try ImageCodersManager.shared.encode(
            frameCount: 3, loopCount: 0, format: .gif, options: EncodingOptions()
        ) { frames[$0] }
        journey.server.route("/a", .body(file))
        let url = journey.server.url("/a")
        let context: WebImageContext = [
            .imageTransformer: ImageGradientTransformer(
                gradient: ImageGradient(
                    stops: [
                        .init(ImageColor(white: 0, alpha: 0.2), at: 0), .init(ImageColor(white: 1, alpha: 0.9), at: 1),
                    ]))
        ]
        let options: WebImageOptions = [.decodeFirstFrameOnly, .waitStoreCache]
        let first = try await journey.manager.image(for: url, options: options, context: context)
        journey.cache.clearMemory()
        let later = try await journey.manager.image(for: url, options: options, context: context)
        #expect(try Self.difference(first, later) == 0)
    }

    /// The bytes for each pixel of an entry are about those of the original, whatever its quality.
    @Test(arguments: [0.4, 0.75, 0.9], [ImageFormat.jpeg, .webP]) func entryIsAboutAsLargeAsItsOriginal(
        _ quality: Double, _ format: ImageFormat
    ) async throws {
        var options = EncodingOptions()
        options.quality = quality
        let noise = try TestImages.noise(width: 240, height: 180)
        let blurred = try #require(noise.blurredImage(withRadius: 3))
        let file = try ImageCodersManager.shared.encode(blurred, format: format, options: options)
        journey.server.route("/a", .body(file))
        let url = journey.server.url("/a")
        let context: WebImageContext = [
            .imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false)
        ]
        _ = try await journey.manager.image(for: url, options: .waitStoreCache, context: context)
        let key = try #require(journey.manager.cacheKey(for: url, context: context))
        let entry = try #require(journey.cache.diskImageDataSync(forKey: key))
        #expect(ImageFormat(sniffing: entry) == format)
        #expect(Double(entry.count) < 2 * Double(file.count), "\(entry.count) bytes of \(file.count)")
        #expect(Double(entry.count) > 0.4 * Double(file.count), "\(entry.count) bytes of \(file.count)")
    }

    /// An older version has written a transformed JPEG with white corners. It is made again.
    @Test func entryOfAnOlderVersionIsMadeAgain() async throws {
        let url = journey.server.url("/a")
        journey.server.route("/a", .body(try Journey.file(.jpeg)))
        let context: WebImageContext = [.imageTransformer: ImageCircleTransformer()]
        let first = try await journey.manager.image(for: url, options: .waitStoreCache, context: context)
        let key = try #require(journey.manager.cacheKey(for: url, context: context))
        let known = try #require(journey.cache.diskResourceSync(forKey: key)?.record)
        var older = known
        older.attributes = VariantAttributes(stored: Data("transformed options=0".utf8))
        let bytes = try ImageCodersManager.shared.encode(first, format: .jpeg, options: EncodingOptions())
        let recording = try #require(journey.cache.diskCache as? any RecordingDiskCache)
        recording.setData(bytes, forKey: key, record: older, metadata: nil)
        journey.cache.clearMemory()
        let again = try await journey.manager.image(for: url, options: .waitStoreCache, context: context)
        #expect(try Self.difference(first, again) == 0)
        #expect(ImageFormat(sniffing: try #require(journey.cache.diskImageDataSync(forKey: key))) == .png)
    }
}
