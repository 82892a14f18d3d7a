import Foundation
import Testing
import WebImage
import WebImageGTK
import WebImageTestTraits
import WebImageTesting

extension GTKSuite {
    /// Tests rows of the acceptance list with the names of this package. Other suites test these rows only with
    /// SDWebImage's names.
    @Suite("Promises") @MainActor struct SpellingPromiseTests {
        let scratch: ScratchFolder
        let manager: WebImageManager
        let file: URL

        init() throws {
            try Display.open()
            scratch = try ScratchFolder()
            let cache = ImageCache(namespace: "views", diskCacheDirectory: scratch.url.path)
            manager = WebImageManager(cache: cache, loader: FileImageLoader())
            file = scratch.url.appendingPathComponent("picture.png")
            let picture = try TestImages.solid(width: 40, height: 10)
            try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions()).write(to: file)
        }

        private var context: WebImageContext {
            [.customManager: manager, .originalStoreCacheType: ImageCacheType.disk]
        }

        private func store() async throws {
            _ = try await manager.image(
                for: file, options: .waitStoreCache, context: [.originalStoreCacheType: ImageCacheType.disk])
        }

        @Test(.tags(.v3)) func memoryHitIsShownBeforeTheCallReturns() async throws {
            try await store()
            let view = ImageView()
            view.setImage(with: file, placeholderImage: try TestImages.solid(), context: context)
            #expect(view.image?.pixelSize.width == 40)
        }

        @Test(.tags(.v4)) func diskHitIsAsynchronousUnlessQueriedSync() async throws {
            let url = try #require(URL(string: "https://pictures.invalid/kept.png"))
            let cache = try #require(manager.imageCache as? ImageCache)
            cache.storeImageDataToDisk(try Data(contentsOf: file), forKey: url.absoluteString)
            let placeholder = try TestImages.solid()
            let view = ImageView()
            view.setImage(with: url, placeholderImage: placeholder, context: context)
            #expect(view.image === placeholder)
            #expect(try await pump { view.image?.pixelSize.width == 40 })
            cache.clearMemory()
            let other = ImageView()
            other.setImage(with: url, placeholderImage: placeholder, options: .queryDiskDataSync, context: context)
            #expect(other.image?.pixelSize.width == 40)
        }

        @Test(.tags(.v13)) func rowHasTheProportionsOfItsImage() async throws {
            let row = FittingImageView()
            row.setImage(with: file, context: context)
            #expect(try await pump { row.proportions.width == row.proportions.height * 4 })
        }
    }
}
