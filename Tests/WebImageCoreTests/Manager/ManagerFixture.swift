import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting

/// A manager with a fake loader, cache and coder. The function `load` records the values that a load delivers.
struct ManagerFixture: Sendable {
    let cache = FakeImageCache()
    let loader = FakeDataLoader()
    let coder = FakeCoder()
    let manager: WebImageManager
    let url: URL

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) throws {
        manager = WebImageManager(cache: cache, loader: loader, now: now)
        url = try #require(URL(string: "http://host/picture.png"))
    }

    var key: String { url.absoluteString }

    var context: WebImageContext { [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking] }

    func context(_ more: WebImageContext) -> WebImageContext { context.merging(more) { $1 } }

    func answer(width: UInt8 = 4, height: UInt8 = 3) {
        loader.answer(url, with: .success(FakeCoder.file(width: width, height: height)))
    }

    /// Starts a load with the callback API. Records each progress report and each completion.
    func load(_ options: WebImageOptions = [], _ more: WebImageContext = [:]) -> Recorder {
        let recorder = Recorder()
        recorder.operation = manager.loadImage(
            with: url, options: options, context: context(more),
            progress: { received, expected, _ in recorder.record(received, expected) },
            completed: { image, data, error, cacheType, finished, _ in
                recorder.record(
                    .init(image: image, data: data, error: error, cacheType: cacheType, finished: finished))
            })
        return recorder
    }

    func result(_ options: WebImageOptions = [], _ more: WebImageContext = [:]) async throws -> WebImageResult {
        try await manager.result(for: url, options: options, context: context(more))
    }
}

/// Records the progress and the completions of one load.
final class Recorder: Sendable {
    struct Completion: Sendable {
        var image: Image?
        var data: Data?
        var error: WebImageError?
        var cacheType: ImageCacheType
        var finished: Bool
        /// The thread on which the completion ran. If a load completes before `loadImage` returns, the completion runs
        /// on the caller's thread.
        let thread = pthread_self()
        var isOnThisThread: Bool { thread == pthread_self() }
    }

    private struct State {
        var completions: [Completion] = []
        var progress: [Int] = []
        var operation: WebImageCombinedOperation?
    }

    private let state = Locked(State())

    var operation: WebImageCombinedOperation? {
        get { state.withLock { $0.operation } }
        set { state.withLock { $0.operation = newValue } }
    }

    var completions: [Completion] { state.withLock { $0.completions } }
    var progress: [Int] { state.withLock { $0.progress } }
    var ends: [Completion] { completions.filter(\.finished) }
    var partials: [Image] { completions.filter { !$0.finished }.compactMap(\.image) }

    func record(_ completion: Completion) { state.withLock { $0.completions.append(completion) } }
    func record(_ received: Int, _ expected: Int) { state.withLock { $0.progress.append(received) } }

    /// Waits for the first final completion.
    func end() async -> Completion? {
        _ = await eventually { !ends.isEmpty }
        return ends.first
    }
}

/// A listener that cancels a load when a stage begins.
final class StageCanceller: WebImageManagerListener {
    private struct State {
        var operation: WebImageCombinedOperation?
        var isDone = false
        var begunAfterwards: [WebImageLoadStage] = []
    }

    private let stage: WebImageLoadStage
    private let state = Locked(State())
    private let known = DispatchSemaphore(value: 0)

    init(_ stage: WebImageLoadStage) { self.stage = stage }

    /// The load to cancel. When the stage begins, the listener waits until this property is set.
    var operation: WebImageCombinedOperation? {
        get { state.withLock { $0.operation } }
        set {
            state.withLock { $0.operation = newValue }
            known.signal()
        }
    }

    var begunAfterwards: [WebImageLoadStage] { state.withLock { $0.begunAfterwards } }

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
        let stage = span.stage
        guard stage == self.stage, state.withLock({ !$0.isDone }) else {
            return state.withLock { if $0.isDone { $0.begunAfterwards.append(stage) } }
        }
        known.wait()
        operation?.cancel()
        state.withLock { $0.isDone = true }
    }

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {}
}

/// A transformer that records its runs. It returns the result of `output`, or a copy of the image if `output` is nil.
final class NamedTransformer: ImageTransformer {
    let transformerKey: String
    let preserveImageMetadata: Bool
    private let runs = Locked<[String]>([])
    private let output: (@Sendable (Image) -> Image?)?

    init(_ key: String = "Naming", preserving: Bool = true, output: (@Sendable (Image) -> Image?)? = nil) {
        transformerKey = key
        preserveImageMetadata = preserving
        self.output = output
    }

    var keys: [String] { runs.withLock { $0 } }

    func transformedImage(with image: Image, forKey key: String) -> Image? {
        runs.withLock { $0.append(key) }
        if let output { return output(image) }
        return Image(pixels: image.pixels)
    }
}

/// A transformer that runs several transformers in sequence.
struct Pipeline: ImageTransformerSequence {
    let transformers: [any ImageTransformer]
    var transformerKey: String { transformers.map(\.transformerKey).joined(separator: "-") }
    func transformedImage(with image: Image, forKey key: String) -> Image? {
        transformers.reduce(image) { $1.transformedImage(with: $0, forKey: key) ?? $0 }
    }
}

/// A coder. Each decode blocks until the test calls `open()`. Each call releases one decode.
final class GatedCoder: ImageCoder {
    private let gate = DispatchSemaphore(value: 0)
    private let started = Locked(0)
    var startedCount: Int { started.withLock { $0 } }
    func open() { gate.signal() }

    func canDecode(from data: Data) -> Bool { true }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("fake", "")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        started.withLock { $0 += 1 }
        gate.wait()
        return try TestImages.solid()
    }
}
