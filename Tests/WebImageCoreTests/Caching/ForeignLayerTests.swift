import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageLoading

/// Tests variants in a custom disk cache that stores no entry records. In such a cache, the attributes of a variant
/// are stored as metadata.
@Suite(.timeLimit(minutes: 1))
struct ForeignLayerTests {
    private let cache: ImageCache
    private var disk: DictionaryDiskCache { cache.diskCache as! DictionaryDiskCache }

    init() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        cache = ImageCache(namespace: "foreign", diskCacheDirectory: "/nowhere", config: config)
    }

    /// Returns an untransformed image. The transformer did not run, because the option `.transformAnimatedImage` was
    /// not set.
    private func variant() -> Image {
        let image = picture()
        image.transformOptions = .transformAnimatedImage
        return image
    }

    @Test func transformRecordIsTypedMetadata() throws {
        cache.storeImage(variant(), imageData: ToyCoder.data(width: 1, height: 1), forKey: "key", toDisk: true)
        _ = cache.diskImageDataExists(withKey: "key")
        let metadata = try #require(disk.metadata(forKey: "key"))
        #expect(metadata.starts(with: Data("webimage-variant 1\n".utf8)))
        let attributes = try #require(VariantAttributes(metadata: metadata))
        #expect(attributes == VariantAttributes(variant()) && attributes.transformRecord?.holds(for: []) == true)
        #expect(attributes.transformRecord?.holds(for: .transformAnimatedImage) == false)
    }

    @Test(arguments: ["left 8", "transformed options=8", "webimage-http 1\nleft", "", "webimage-variant 1\n"])
    func loaderMetadataIsNeverATransformRecord(text: String) {
        #expect(VariantAttributes(metadata: Data(text.utf8)) == nil)
    }
}
