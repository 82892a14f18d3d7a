import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Some options decide whether a transformer runs, but the cache key does not contain these options. The entry under
/// a key with a transformer can therefore be an untransformed image. A hit must match the options of the load.
@Suite(.timeLimit(minutes: 1))
struct TransformRecordTests {
    let fixture: ManagerFixture

    init() throws {
        fixture = try ManagerFixture()
        fixture.answer()
    }

    private static let kinds: [WebImageOptions] = [.transformAnimatedImage, .transformVectorImage]

    private func image(_ option: WebImageOptions) throws -> Image {
        if option == .transformAnimatedImage { return MovingImage(pixels: try TestImages.solid().pixels) }
        let vector = try TestImages.solid()
        vector.imageFormat = .svg
        return vector
    }

    @Test(arguments: kinds, [true, false])
    func memoryHitMatchesTheTransformerOfTheRequest(_ option: WebImageOptions, _ isWantedFirst: Bool) async throws {
        let context: WebImageContext = [
            .imageTransformer: NamedTransformer(), .imageCoder: FixedCoder(image: try image(option)),
            .storeCacheType: ImageCacheType.memory,
        ]
        for isWanted in [isWantedFirst, !isWantedFirst, isWantedFirst] {
            let first = try await fixture.result(isWanted ? option : [], context)
            #expect(first.image.isTransformed == isWanted && first.cacheType != .memory)
            let again = try await fixture.result(isWanted ? option : [], context)
            #expect(again.image === first.image && again.cacheType == .memory)
        }
        #expect(fixture.loader.loads.count == 1)
    }

    @Test func transformerThatReturnsNilRunsOnce() async throws {
        let transformer = NamedTransformer(output: { _ in nil })
        let context: WebImageContext = [
            .imageTransformer: transformer, .imageCoder: FixedCoder(image: try image(.transformAnimatedImage)),
        ]
        for _ in 0..<3 { _ = try await fixture.result(.transformAnimatedImage, context) }
        #expect(transformer.keys.count == 1)
        // A load without `.transformAnimatedImage` requests the untransformed image, which is the entry in memory.
        #expect(try await fixture.result([], context).cacheType == .memory)
    }

    @Test func transformedStillServesLoadsWithTransformAnimatedImage() async throws {
        let transformer = NamedTransformer()
        let context: WebImageContext = [
            .imageTransformer: transformer, .imageCoder: FixedCoder(image: try TestImages.solid()),
        ]
        _ = try await fixture.result([], context)
        #expect(try await fixture.result(.transformAnimatedImage, context).cacheType == .memory)
        #expect(transformer.keys.count == 1)
    }

    @Test func copiedMetadataKeepsTheTransformRecord() async throws {
        let stored = try await fixture.result().image
        let before = stored.decodingOptions
        let other = try image(.transformAnimatedImage)
        (other.isTransformed, other.decodingOptions, other.imageFormat) = (true, nil, .gif)
        stored.copyMetadata(from: other)
        #expect(!stored.isTransformed && stored.decodingOptions == before && before != nil)
        #expect(stored.imageFormat == .gif)
        let fresh = try TestImages.solid()
        fresh.copyMetadata(from: other)
        #expect(fresh.isTransformed && fresh.decodingOptions == nil)
    }

    @Test func imageStoredByTheCallerIsServed() async throws {
        let transformer = NamedTransformer()
        let own = try image(.transformAnimatedImage)
        let key = fixture.manager.cacheKey(for: fixture.url, context: [.imageTransformer: transformer])
        fixture.cache.storeImageToMemory(own, forKey: key)
        let result = try await fixture.result(.transformAnimatedImage, [.imageTransformer: transformer])
        #expect(result.image === own && transformer.keys.isEmpty)
    }
}
