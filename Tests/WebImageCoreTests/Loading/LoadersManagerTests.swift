import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// The choice of the loader that performs a load of an `ImageLoadersManager`.
@Suite(.timeLimit(minutes: 1))
struct LoadersManagerTests {
    /// A loader that accepts every URL but refuses loads with the option `.highPriority`.
    private final class PickyLoader: ImageLoader {
        let calls = Locked(0)

        func canLoad(_ load: ImageDataLoad) -> Bool { !load.options.contains(.highPriority) }
        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            calls.withLock { $0 += 1 }
            throw WebImageError(.transport, stage: .download)
        }
        func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
    }

    @Test func loaderThatRefusesTheOptionsLeavesTheLoadToTheNextOne() async throws {
        let fixture = try ManagerFixture()
        let picky = PickyLoader()
        let manager = WebImageManager(
            cache: fixture.cache, loader: ImageLoadersManager(loaders: [fixture.loader, picky]))
        fixture.answer()
        await #expect(throws: WebImageError.self) {
            try await manager.image(for: fixture.url, context: fixture.context)
        }
        #expect(picky.calls.withLock { $0 } == 1 && fixture.loader.requests.isEmpty)
        _ = try await manager.image(for: fixture.url, options: .highPriority, context: fixture.context)
        #expect(picky.calls.withLock { $0 } == 1 && fixture.loader.requests == [fixture.url])
    }

    /// A loader that declares its scheme, and counts the questions.
    private final class SchemeLoader: ImageLoader {
        let capabilities: LoaderCapabilities
        let questions = Locked(0)
        init(_ schemes: [String]?) { capabilities = LoaderCapabilities(schemes: schemes) }

        func canLoad(_ load: ImageDataLoad) -> Bool {
            questions.withLock { $0 += 1 }
            return capabilities.schemes.map { load.url.absoluteString.hasScheme(in: $0) } ?? true
        }
        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult { throw .cancelled }
    }

    @Test func loaderIsNotAskedAboutOtherSchemesThanItsOwn() throws {
        let (undeclared, other, own) = (SchemeLoader(nil), SchemeLoader(["y", "z"]), SchemeLoader(["x"]))
        let manager = ImageLoadersManager(loaders: [undeclared, own, other])
        #expect(manager.loader(for: URL(string: "X:a")) as? SchemeLoader === own)
        #expect(manager.loader(for: URL(string: "z:a")) as? SchemeLoader === other)
        #expect(manager.loader(for: URL(string: "w:a")) as? SchemeLoader === undeclared)
        #expect(manager.loader(for: nil) == nil)
        #expect([undeclared, own, other].map { $0.questions.withLock { $0 } } == [1, 1, 1])
    }

    /// A loader that decodes by itself: it sends a partial image, and returns the image that it was made with, or none.
    private struct DrawingLoader: ImageLoader {
        let image: Image?
        var capabilities: LoaderCapabilities { LoaderCapabilities(schemes: ["drawing"], returnsImages: true) }

        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            (try? TestImages.solid(width: 1)).map { load.receivedImage?($0) }
            guard let image else { return ImageDataResult(data: Data(), response: WebImageResponse(url: load.url)) }
            return ImageDataResult(image: image, url: load.url)
        }
    }

    @Test func loaderMayReturnImages() async throws {
        let (fixture, url) = (try ManagerFixture(), try #require(URL(string: "drawing:a")))
        let image = try TestImages.solid(width: 5)
        let loaders = ImageLoadersManager(loaders: [fixture.loader, DrawingLoader(image: image)])
        let manager = WebImageManager(cache: fixture.cache, loader: loaders)
        let widths = Locked<[Int?]>([])
        _ = manager.loadImage(with: url, options: .progressiveLoad, progress: nil) { image, _, _, _, _, _ in
            widths.withLock { $0.append(image?.pixelSize.width) }
        }
        #expect(await eventually { widths.withLock { $0.count } == 2 })
        #expect(widths.withLock { $0 } == [1, 5] && fixture.loader.requests.isEmpty)
    }

    @Test func loaderThatReturnsNothingFails() async throws {
        let (fixture, url) = (try ManagerFixture(), try #require(URL(string: "drawing:a")))
        let manager = WebImageManager(cache: fixture.cache, loader: DrawingLoader(image: nil))
        await #expect { try await manager.image(for: url) } throws: { ($0 as? WebImageError)?.code == .badImageData }
        await #expect { try await manager.image(for: fixture.url) } throws: {
            ($0 as? WebImageError)?.code == .invalidURL
        }
    }
}
