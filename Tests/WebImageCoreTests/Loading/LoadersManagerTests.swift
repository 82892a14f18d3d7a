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
    private final class PickyLoader: ImageDataLoader {
        let calls = Locked(0)

        func canRequestImage(for url: URL?) -> Bool { true }
        func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool {
            !options.contains(.highPriority)
        }
        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            calls.withLock { $0 += 1 }
            throw WebImageError(.transport, stage: .download)
        }
        func requestImage(
            with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
            completed: ImageLoaderCompletedBlock?
        ) -> (any WebImageOperation)? { nil }
        func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool { false }
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
    private final class SchemeLoader: ImageDataLoader, DeclaringLoader {
        let schemes: [String]?
        let questions = Locked(0)
        init(_ schemes: [String]?) { self.schemes = schemes }

        func canRequestImage(for url: URL?) -> Bool {
            questions.withLock { $0 += 1 }
            return schemes == nil || hasScheme(of: url)
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
        #expect(manager.loader(for: nil) as? SchemeLoader === undeclared)
        #expect([undeclared, own, other].map { $0.questions.withLock { $0 } } == [2, 1, 1])
    }
}
