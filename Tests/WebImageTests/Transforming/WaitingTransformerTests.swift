import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Transformers, filters and serializers of a program may wait, also for other loads, and may fail.
@Suite(.timeLimit(minutes: 1))
struct WaitingTransformerTests {
    private let journey: Journey

    init() throws {
        journey = try Journey()
        for number in 0..<60 {
            journey.server.route("/\(number).png", .body(try Journey.file(width: 40 + number)))
            journey.server.route("/frame\(number).png", .body(try Journey.file(width: 10 + number)))
        }
    }

    /// Waits on the calling thread until another image is loaded, and returns that image.
    private struct BlockingTransformer: ImageTransformer {
        let manager: WebImageManager
        let url: URL
        var transformerKey: String { "Blocking(\(url.lastPathComponent))" }

        func transformedImage(with image: Image, forKey key: String) -> Image? {
            let (isDone, found) = (DispatchSemaphore(value: 0), Locked<Image?>(nil))
            manager.loadImage(with: url, context: [.callbackQueue: CallbackQueue.invoking]) { image, _, _, _, _, _ in
                found.withLock { $0 = image }
                isDone.signal()
            }
            isDone.wait()
            return found.withLock { $0 }
        }
    }

    private struct LoadingTransformer: AsyncImageTransformer {
        let manager: WebImageManager
        let url: URL
        var transformerKey: String { "Loading(\(url.lastPathComponent))" }

        func transformed(_ image: Image, forKey key: String) async throws -> Image {
            try await manager.image(for: url)
        }
    }

    private struct Failure: Error {}

    private struct FailingTransformer: AsyncImageTransformer {
        let error: any Error & Sendable
        var transformerKey: String { "Failing" }
        func transformed(_ image: Image, forKey key: String) async throws -> Image { throw error }
    }

    private func widths(_ count: Int, _ transformer: (Int) -> any ImageTransformer) async throws -> [Int] {
        let contexts: [WebImageContext] = (0..<count).map { [.imageTransformer: transformer($0)] }
        return try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<count {
                let url = journey.server.url("/\(number).png")
                let context = RequestContext(contexts[number])
                group.addTask {
                    let image = try await journey.manager.image(for: url, context: context.dictionary)
                    return (number, image.pixelSize.width)
                }
            }
            var found = [Int](repeating: 0, count: count)
            for try await (number, width) in group { found[number] = width }
            return found
        }
    }

    @Test func transformersThatWaitForALoadEnd() async throws {
        let (manager, server) = (journey.manager, journey.server)
        let found = try await widths(30) {
            BlockingTransformer(manager: manager, url: server.url("/frame\($0).png"))
        }
        #expect(found == (0..<30).map { 10 + $0 })
    }

    @Test func asyncTransformersLoad() async throws {
        let (manager, server) = (journey.manager, journey.server)
        let found = try await widths(60) {
            LoadingTransformer(manager: manager, url: server.url("/frame\($0).png"))
        }
        #expect(found == (0..<60).map { 10 + $0 })
    }

    @Test func asyncTransformerIsAPartOfAPipelineAndIsCached() async throws {
        let url = journey.server.url("/0.png")
        let loading = LoadingTransformer(manager: journey.manager, url: journey.server.url("/frame5.png"))
        let resizing = ImageResizingTransformer(size: CGSize(width: 7, height: 7), scaleMode: .fill)
        let inner = ImagePipelineTransformer(transformers: [loading])
        let context: WebImageContext = [
            .imageTransformer: ImagePipelineTransformer(transformers: [inner, resizing])
        ]
        let result = try await journey.manager.result(for: url, options: .waitStoreCache, context: context)
        #expect(result.image.pixelSize.width == 7 && result.image.isTransformed)
        let again = try await journey.manager.result(for: url, context: context)
        #expect(again.cacheType == .memory)
        journey.cache.clearMemory()
        try await #expect(journey.manager.result(for: url, context: context).cacheType == .disk)
    }

    @Test func failureOfATransformerIsTheErrorOfTheLoadAndBlocksNoURL() async throws {
        let url = journey.server.url("/0.png")
        for error in [Failure(), WebImageError(.badImageData, stage: .decode), WebImageError.cancelled]
            as [any Error & Sendable]
        {
            let context: WebImageContext = [.imageTransformer: FailingTransformer(error: error)]
            await #expect {
                try await journey.manager.image(for: url, context: context)
            } throws: { error in
                guard let error = error as? WebImageError else { return false }
                return error.stage == .transform && error.code != .cancelled && error.url == url
            }
            #expect(journey.manager.failure(of: url) == nil)
        }
        try await #expect(journey.manager.image(for: url).pixelSize.width == 40)
    }

    @Test func cancelOfTheLoadCancelsTheAsyncTransformer() async throws {
        let (hasBegun, wasCancelled) = (Locked(false), Locked(false))
        struct Waiting: AsyncImageTransformer {
            let hasBegun: Locked<Bool>
            let wasCancelled: Locked<Bool>
            var transformerKey: String { "Waiting" }
            func transformed(_ image: Image, forKey key: String) async throws -> Image {
                hasBegun.withLock { $0 = true }
                defer { wasCancelled.withLock { $0 = Task.isCancelled } }
                try await Task.sleep(for: .seconds(3600))
                return image
            }
        }
        let context = RequestContext([.imageTransformer: Waiting(hasBegun: hasBegun, wasCancelled: wasCancelled)])
        let (manager, url) = (journey.manager, journey.server.url("/0.png"))
        let task = Task { try await manager.image(for: url, context: context.dictionary) }
        try await eventually("the transformer has begun") { hasBegun.withLock { $0 } }
        task.cancel()
        await #expect(throws: WebImageError.self) { try await task.value }
        try await eventually("the transformer is cancelled") { wasCancelled.withLock { $0 } }
        try await eventually("no task is left") { manager.sharedTaskCount == 0 }
    }

    /// A filter, a serializer and a delegate that never return occupy no thread that decodes.
    @Test func blockedSerializerBlocksNoLoad() async throws {
        let isReleased = DispatchSemaphore(value: 0)
        let count = 12
        journey.manager.cacheSerializer = WebImageCacheSerializer { _, data, _ in
            isReleased.wait()
            return data
        }
        for number in 0..<count { _ = try await journey.manager.image(for: journey.server.url("/\(number).png")) }
        for _ in 0..<count { isReleased.signal() }
        try await eventually("all writes have ended") { journey.manager.pendingWriteCount == 0 }
    }
}

extension WebImageManager {
    fileprivate var pendingWriteCount: Int { isRunning ? 1 : sharedTaskCount }
}
