import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Loads one GIF with one transformer, with and without `.transformAnimatedImage`.
@Suite(.timeLimit(minutes: 1))
struct TransformedAnimationTests {
    private let journey: Journey
    private let url: URL

    init() throws {
        journey = try Journey()
        let frames = try [10, 200].map { ImageFrame(image: try TestImages.solid(blue: $0), duration: 0.1) }
        let animation = try ImageCodersManager.shared.encode(
            frames, loopCount: 0, format: .gif, options: EncodingOptions())
        journey.server.route("/moving.gif", .body(animation, type: "image/gif"))
        url = journey.server.url("/moving.gif")
    }

    private func load(_ isWanted: Bool, _ more: WebImageOptions = []) async throws -> WebImageResult {
        let context: WebImageContext = [
            .animatedImageClass: AnimatedImage.self, .storeCacheType: ImageCacheType.all,
            .imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false),
        ]
        let options: WebImageOptions = isWanted ? [.transformAnimatedImage, .waitStoreCache] : .waitStoreCache
        let result = try await journey.manager.result(for: url, options: options.union(more), context: context)
        #expect(result.image.isTransformed == isWanted && result.image.isAnimated == !isWanted)
        return result
    }

    @Test(arguments: [true, false]) func memoryNeverServesTheWrongAnimationForm(_ isWantedFirst: Bool) async throws {
        for isWanted in [isWantedFirst, !isWantedFirst, isWantedFirst, !isWantedFirst] { _ = try await load(isWanted) }
        #expect(journey.server.requestCount("/moving.gif") == 1)
        #expect(try await load(!isWantedFirst).cacheType == .memory)
    }

    @Test(arguments: [true, false], [WebImageOptions(), .queryDiskDataSync])
    func diskNeverServesTheWrongAnimationForm(_ isWantedFirst: Bool, _ way: WebImageOptions) async throws {
        for isWanted in [isWantedFirst, !isWantedFirst, isWantedFirst, !isWantedFirst] {
            _ = try await load(isWanted, way)
            journey.cache.clearMemory()
        }
        // A load receives the disk entry if the entry has the form (animated or still) that the load requests.
        let last = try await load(!isWantedFirst, way)
        #expect(last.cacheType == .disk && journey.server.requestCount("/moving.gif") == 1)
    }
}
