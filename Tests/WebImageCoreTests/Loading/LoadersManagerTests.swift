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
}
