import Foundation
import Testing
import WebImage
import WebImageTesting

/// Every kind of load returns an image together with the object that is stored with the image.
@Suite struct ExtendedObjectTests {
    let journey: Journey
    private var manager: WebImageManager { journey.manager }
    private let url: URL

    init() async throws {
        journey = try Journey()
        url = journey.server.url("/picture.png")
        let image = try TestImages.solid(width: 40, height: 30)
        image.extendedObject = ["author": "somebody"]
        let file = try Journey.file()
        await withCheckedContinuation { continuation in
            journey.cache.storeImage(
                image, imageData: file, forKey: url.absoluteString, options: [], context: nil, cacheType: .disk
            ) { continuation.resume() }
        }
    }

    private func author(_ image: Image?) -> String? { image?.extendedObject(as: [String: String].self)?["author"] }

    @Test func diskLoadsReturnTheExtendedObject() async throws {
        let result = try await manager.result(for: url)
        #expect(result.cacheType == .disk && author(result.image) == "somebody")
        #expect(author(try await manager.image(for: url)) == "somebody", "the memory hit lost the object")
    }

    @Test func thumbnailsAndTransformedImagesKeepTheExtendedObject() async throws {
        let small = try await manager.image(
            for: url, context: [.imageThumbnailPixelSize: CGSize(width: 10, height: 10)])
        #expect(small.pixelSize.width == 10 && author(small) == "somebody")
        let context: WebImageContext = [
            .imageTransformer: ImageResizingTransformer(size: CGSize(width: 20, height: 15), scaleMode: .fill)
        ]
        #expect(author(try await manager.image(for: url, options: .waitStoreCache, context: context)) == "somebody")
        journey.cache.clearMemory()
        let stored = try await manager.result(for: url, context: context)
        #expect(stored.cacheType == .disk && stored.image.pixelSize.width == 20 && author(stored.image) == "somebody")
    }

    @Test func synchronousDiskQueriesReturnTheExtendedObject() async throws {
        let calls = Calls<Image?>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        manager.loadImage(with: url, options: .queryDiskDataSync, context: context) { image, _, _, _, _, _ in
            calls.append(image)
        }
        #expect(calls.all.count == 1 && author(calls.all.first ?? nil) == "somebody")
    }
}
