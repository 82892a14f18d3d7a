import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// The handle of a load.
@Suite(.timeLimit(minutes: 1))
struct ImageTaskTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    private func request(_ options: WebImageOptions = [], _ more: WebImageContext = [:]) -> ImageRequest {
        ImageRequest(url: fixture.url, options: options, context: fixture.context(more))
    }

    private func task(_ options: WebImageOptions = [], _ more: WebImageContext = [:]) -> ImageTask {
        fixture.manager.imageTask(for: request(options, more))
    }

    private func loaderIsAsked(_ count: Int = 1) async -> Bool {
        await eventually { fixture.loader.requests.count == count }
    }

    /// Reads the events of a load to the end.
    private static func names(_ task: ImageTask) async -> [String] {
        var names: [String] = []
        do {
            for try await event in task.events {
                switch event {
                case .size: names.append("size")
                case .progress(let received, _): names.append("progress \(received)")
                case .partial: names.append("partial")
                case .cached(let result): names.append("cached \(result.image.pixelSize.width)")
                case .finished(let result): names.append("finished \(result.image.pixelSize.width)")
                }
            }
        } catch {
            names.append("\(error.code)")
        }
        return names
    }

    // MARK: The end

    @Test func everyReaderReceivesTheSameEnd() async throws {
        let task = task()
        async let image = task.image
        async let result = task.result
        async let events = Self.names(task)
        #expect(await loaderIsAsked())
        #expect(task.currentResult == nil)
        fixture.answer(width: 5)
        let first = try await image
        #expect(try await result.image === first)
        #expect(await events == ["size", "finished 5"])
        // Readers that begin after the end.
        #expect(try await task.image === first)
        #expect(await Self.names(task) == ["size", "finished 5"])
        #expect(try task.currentResult?.get().image === first)
        #expect(fixture.loader.requests.count == 1 && !task.isCancelled)
    }

    @Test func everyReaderReceivesTheSameFailure() async throws {
        let task = task()
        async let events = Self.names(task)
        #expect(await loaderIsAsked())
        fixture.loader.answer(fixture.url, with: .failure(WebImageError(.transport, stage: .download)))
        await #expect { try await task.image } throws: { ($0 as? WebImageError)?.code == .transport }
        await #expect { try await task.result } throws: { ($0 as? WebImageError)?.code == .transport }
        #expect(await events == ["transport"])
        #expect(await Self.names(task) == ["transport"])
    }

    @Test func theErrorIsThrownOnce() async throws {
        let task = task(.fromCacheOnly)
        var events = task.events.makeAsyncIterator()
        await #expect { try await events.next() } throws: { ($0 as? WebImageError)?.code == .notCached }
        #expect(try await events.next() == nil)
    }

    @Test func aMemoryHitIsKnownAtOnce() async throws {
        let image = try TestImages.solid(width: 6)
        fixture.cache.storeImageToMemory(image, forKey: fixture.key)
        let task = task()
        #expect(try task.currentResult?.get().image === image)
        #expect(try await task.image === image)
        #expect(await Self.names(task) == ["size", "finished 6"])
        task.priority = .high
        task.cancel()
        #expect(try await task.image === image)
        #expect(!task.isCancelled)
    }

    @Test func aRequestThatNoLoaderAcceptsFails() async throws {
        let manager = WebImageManager(cache: fixture.cache, loader: ImageLoadersManager(loaders: []))
        let task = manager.imageTask(for: request())
        await #expect { try await task.image } throws: { ($0 as? WebImageError)?.code == .invalidURL }
        #expect(await Self.names(task) == ["invalidURL"])
    }

    @Test func anEmptyURLFailsAtOnce() async throws {
        guard let url = URL(dataRepresentation: Data(), relativeTo: nil) else { return }
        let task = fixture.manager.imageTask(for: ImageRequest(url: url))
        guard case .failure(let error) = task.currentResult else { return #expect(Bool(false)) }
        #expect(error.code == .invalidURL)
    }

    @Test func aReleasedHandleDoesNotEndItsLoad() async throws {
        weak var released: ImageTask?
        do {
            let task = task()
            released = task
        }
        #expect(released == nil)
        #expect(await loaderIsAsked())
        fixture.answer()
        #expect(await eventually { fixture.cache.memoryKeys == [fixture.key] })
        #expect(fixture.loader.cancelCount == 0)
    }

    /// The operation of the load must not keep its readers, nor the reverse.
    @Test func anEndedLoadKeepsNothing() async throws {
        weak var image: Image?
        do {
            var request = request()
            request.storeCache = ImageCacheType.none
            let task = fixture.manager.imageTask(for: request)
            fixture.answer()
            image = try await task.image
            #expect(image != nil)
        }
        #expect(await eventually { image == nil })
    }

    // MARK: Cancelling

    @Test func aCancelEndsEveryReaderOnce() async throws {
        let ends = Locked<[String]>([])
        let task = fixture.manager.loadImage(with: request()) { result in
            ends.withLock { $0.append(Self.name(result)) }
        }
        async let events = Self.names(task)
        let wait = Task { try await task.image }
        #expect(await loaderIsAsked())
        task.cancel()
        #expect(ends.withLock { $0 } == ["cancelled"])
        task.cancel()
        await #expect { try await wait.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        #expect(await events == ["cancelled"])
        #expect(ends.withLock { $0 } == ["cancelled"] && task.isCancelled)
        #expect(await eventually { fixture.loader.cancelCount == 1 && fixture.manager.sharedTaskCount == 0 })
    }

    private static func name(_ result: Result<WebImageResult, WebImageError>) -> String {
        switch result {
        case .success(let result): "image \(result.image.pixelSize.width)"
        case .failure(let error): "\(error.code)"
        }
    }

    @Test func theLastCancelledWaitCancelsTheLoad() async throws {
        let task = task()
        let waits = (0..<2).map { _ in Task { try await task.image } }
        #expect(await loaderIsAsked())
        waits[0].cancel()
        await #expect { try await waits[0].value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        #expect(!task.isCancelled && task.currentResult == nil && fixture.loader.cancelCount == 0)
        waits[1].cancel()
        await #expect { try await waits[1].value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        #expect(await eventually { task.isCancelled && fixture.loader.cancelCount == 1 })
        #expect(await Self.names(task) == ["cancelled"])
    }

    @Test func aCancelledWaitLeavesTheLoadToItsCallback() async throws {
        let ends = Locked<[String]>([])
        let task = fixture.manager.loadImage(with: request()) { result in
            ends.withLock { $0.append(Self.name(result)) }
        }
        let wait = Task { try await task.image }
        #expect(await loaderIsAsked())
        wait.cancel()
        await #expect { try await wait.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        fixture.answer(width: 3)
        #expect(await eventually { ends.withLock { $0 } == ["image 3"] })
    }

    @Test func aCancelledTaskCancelsTheLoadForWhichItBeginsToWait() async throws {
        let task = task()
        #expect(await loaderIsAsked())
        let wait = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await task.image
        }
        await #expect { try await wait.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        #expect(await eventually { task.isCancelled })
    }

    @Test func aCancelledIterationOnlyLeavesTheLoad() async throws {
        let task = task(.progressiveLoad)
        let isReading = Locked(false)
        let reader = Task {
            isReading.withLock { $0 = true }
            for try await _ in task.events {}
        }
        let progress = Task { for await _ in task.progress {} }
        let previews = Task { for await _ in task.previews {} }
        #expect(await eventually { isReading.withLock { $0 } && !fixture.loader.requests.isEmpty })
        for reader in [progress, previews] { reader.cancel() }
        reader.cancel()
        await #expect { try await reader.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        await progress.value
        await previews.value
        #expect(!task.isCancelled && fixture.loader.cancelCount == 0)
        fixture.answer(width: 9)
        #expect(try await task.image.pixelSize.width == 9)
    }

    @Test func sharedWorkContinuesForOtherLoads() async throws {
        let (first, second) = (task(), task())
        #expect(await eventually { fixture.manager.subscriberCount(of: fixture.url) == 2 })
        first.cancel()
        #expect(first.isCancelled && !second.isCancelled)
        fixture.answer()
        #expect(try await second.image.pixelSize.width == 4)
        await #expect { try await first.image } throws: { ($0 as? WebImageError)?.code == .cancelled }
        #expect(fixture.loader.requests.count == 1 && fixture.loader.cancelCount == 0)
    }

    @Test func aThumbnailAndTheFullImageShareOneFetch() async throws {
        let full = task()
        let thumbnail = task([], [.imageThumbnailPixelSize: CGSize(width: 2, height: 2)])
        async let images = [full.image, thumbnail.image]
        #expect(await loaderIsAsked())
        // Both wait for the original.
        #expect(await eventually { fixture.manager.sharedTaskCount == 5 })
        fixture.answer(width: 8, height: 8)
        #expect(try await images.map(\.pixelSize.width) == [8, 2])
        #expect(fixture.loader.requests.count == 1 && full != thumbnail)
    }

    @Test func aShutdownEndsTheTasks() async throws {
        let task = task()
        #expect(await loaderIsAsked())
        #expect(await fixture.manager.shutdown())
        #expect(task.isCancelled)
        #expect(await Self.names(task) == ["cancelled"])
        let late = self.task()
        #expect(late.isCancelled)
        await #expect { try await late.image } throws: { ($0 as? WebImageError)?.code == .cancelled }
    }

    @Test(arguments: 0..<40) func everyReaderEndsOnceWhateverTheOrder(round: Int) async throws {
        let ends = Locked(0)
        let task = fixture.manager.loadImage(with: request()) { _ in ends.withLock { $0 += 1 } }
        let waits = (0..<3).map { _ in Task { try? await task.image } }
        let readers = (0..<3).map { _ in Task { await Self.names(task).last } }
        let actions: [@Sendable () -> Void] = [
            { task.cancel() }, { [fixture] in fixture.answer() }, { waits[0].cancel() }, { readers[0].cancel() },
            { task.priority = .high },
        ]
        await withTaskGroup(of: Void.self) { group in
            for (index, action) in actions.enumerated() {
                group.addTask {
                    for _ in 0..<(round * (index + 3) % 7) { await Task.yield() }
                    action()
                }
            }
        }
        for wait in waits { _ = await wait.value }
        let last = await readers[1].value
        #expect(last == "finished 4" || last == "cancelled")
        #expect(await readers[2].value == last)
        _ = await readers[0].value
        #expect(await eventually { ends.withLock { $0 } == 1 })
    }

    // MARK: Events

    @Test func aLateReaderReceivesTheNewestEvents() async throws {
        let loader = ProgressLoader()
        let manager = WebImageManager(cache: fixture.cache, loader: loader)
        let task = manager.imageTask(
            for: ImageRequest(
                url: fixture.url, options: .progressiveLoad, context: [.imageCoder: FakeProgressiveCoder()]))
        #expect(await eventually { loader.isWaiting })
        for received in 1...100 { loader.report(received, of: 200) }
        loader.send(FakeCoder.file(width: 5) + [1])
        #expect(task.currentProgress == ImageTask.Progress(received: 100, expected: 200))
        #expect(task.currentProgress?.fraction == 0.5)
        var previews = task.previews.makeAsyncIterator()
        let preview = await previews.next()
        #expect(preview?.isIncremental == true)
        // This reader begins after a hundred reports.
        var events = task.events.makeAsyncIterator()
        var begun: [String] = []
        while begun.count < 3, let event = try await events.next() {
            switch event {
            case .size: begun.append("size")
            case .progress(let received, let expected): begun.append("\(received) of \(expected)")
            case .partial(let image): begun.append(image === preview ? "preview" : "another preview")
            default: begun.append("end")
            }
        }
        #expect(begun.sorted() == ["100 of 200", "preview", "size"])
        loader.end(FakeCoder.file(width: 5) + [1])
        guard case .finished = try await events.next() else { return #expect(Bool(false)) }
        #expect(try await events.next() == nil)
        let (another, received) = (
            await previews.next(), await task.progress.reduce(into: []) { $0.append($1.received) }
        )
        #expect(another == nil && received == [100])
        // The partial image is not read after the end.
        #expect(await Self.names(task).filter { $0 == "partial" }.isEmpty)
    }

    @Test func aRefreshIsReadInOrder() async throws {
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 4)]
        fixture.answer(width: 7)
        let task = task(.refreshCached)
        #expect(await Self.names(task) == ["size", "cached 4", "finished 7"])
        #expect(try await task.image.pixelSize.width == 7)
        #expect(await Self.names(task) == ["size", "cached 4", "finished 7"])
    }

    @Test func aRefreshThatFailsHasTheCachedImage() async throws {
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 4)]
        fixture.loader.answer(fixture.url, with: .failure(WebImageError(.transport, stage: .download)))
        let task = task(.refreshCached)
        #expect(await Self.names(task) == ["size", "cached 4", "transport"])
        #expect(try await task.image.pixelSize.width == 4)
    }

    // MARK: Priority

    @Test func thePriorityOfTheRequestIsThePriorityOfTheLoad() async throws {
        let task = task(.lowPriority)
        #expect(task.priority == .low)
        #expect(await loaderIsAsked())
        #expect(fixture.loader.loads[0].priorityHandle?.priority == .low)
        task.priority = .high
        #expect(task.priority == .high && fixture.loader.loads[0].priorityHandle?.priority == .high)
        fixture.answer()
        _ = try await task.image
        task.priority = .low
    }

    @Test func aRaisedPriorityMovesAWaitingDecode() async throws {
        let gate = GatedCoder()
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let manager = WebImageManager(cache: fixture.cache, loader: fixture.loader, decodePool: pool)
        let order = Locked<[String]>([])
        func start(_ name: String, _ coder: any ImageCoder) throws -> ImageTask {
            let url = try #require(URL(string: "http://host/\(name).png"))
            fixture.loader.answer(url, with: .success(FakeCoder.file()))
            return manager.imageTask(for: ImageRequest(url: url, context: [.imageCoder: coder]))
        }
        func recorder(_ name: String) -> DecodeRecorder {
            DecodeRecorder { order.withLock { $0.append(name) } }
        }
        let first = try start("first", gate)
        #expect(await eventually { gate.startedCount == 1 })
        let second = try start("second", recorder("second"))
        #expect(await eventually { pool.waitingCount == 1 })
        let third = try start("third", recorder("third"))
        #expect(await eventually { pool.waitingCount == 2 })
        third.priority = .high
        gate.open()
        for task in [first, second, third] { _ = try await task.image }
        #expect(order.withLock { $0 } == ["third", "second"])
    }

    // MARK: Callbacks

    @Test func aHitCallsBackBeforeTheCallReturns() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 6), forKey: fixture.key)
        let ends = Locked<[String]>([])
        fixture.manager.loadImage(with: request()) { result in ends.withLock { $0.append(Self.name(result)) } }
        #expect(ends.withLock { $0 } == ["image 6"])
        let isOnMain = Locked<Bool?>(nil)
        var onMain = request()
        onMain.callbackQueue = nil
        await MainActor.run {
            fixture.manager.loadImage(with: onMain) { _ in isOnMain.withLock { $0 = MainThread.isCurrent } }
            #expect(isOnMain.withLock { $0 } == true)
        }
    }

    @Test func aCancelBeforeTheCallbackRunsReplacesTheImage() async throws {
        let queue = DispatchQueue(label: "test.callback")
        queue.suspend()
        var request = request()
        request.callbackQueue = CallbackQueue(queue: queue)
        fixture.answer()
        let ends = Locked<[String]>([])
        let task = fixture.manager.loadImage(with: request) { result in
            ends.withLock { $0.append(Self.name(result)) }
        }
        #expect(try await task.image.pixelSize.width == 4)
        #expect(ends.withLock { $0.isEmpty })
        task.cancel()
        queue.resume()
        #expect(await eventually { !ends.withLock { $0.isEmpty } })
        queue.sync {}
        #expect(ends.withLock { $0 } == ["cancelled"])
    }

    @Test func theCallbackReportsProgress() async throws {
        let loader = ProgressLoader()
        let manager = WebImageManager(cache: fixture.cache, loader: loader)
        let reports = Locked<[ImageTask.Progress]>([])
        let task = manager.loadImage(
            with: request(), progress: { progress in reports.withLock { $0.append(progress) } },
            completion: { _ in })
        #expect(await eventually { loader.isWaiting })
        loader.report(1, of: 2)
        #expect(reports.withLock { $0 } == [ImageTask.Progress(received: 1, expected: 2)])
        loader.end(FakeCoder.file())
        _ = try await task.image
    }

    /// The positional callback, the one with a result, and no callback at all.
    @Test func theFormOfTheClosureChoosesTheCallback() async throws {
        fixture.answer()
        let positional = fixture.manager.loadImage(with: request()) { image, _, _, _, _, _ in _ = image }
        let handle = fixture.manager.loadImage(with: request()) { result in _ = result }
        let operations: [any WebImageOperation] = [positional, handle]
        #expect(operations[0] is WebImageCombinedOperation && operations[1] is ImageTask)
        _ = try await handle.image
    }

    @Test func handlesAreEqualIfTheyBelongToOneLoad() async throws {
        let (one, two) = (task(), task())
        #expect(Set([one, two, one]).count == 2 && one.id != two.id && one == one && one != two)
        one.cancel()
        two.cancel()
    }
}

/// A loader whose load reports progress and sends bytes when the test says so.
private final class ProgressLoader: ImageLoader {
    private struct State {
        var load: ImageDataLoad?
        var progress: ImageLoaderProgressBlock?
    }

    private let state = Locked(State())
    private let answer = Completion<Data>()

    var isWaiting: Bool { state.withLock { $0.load } != nil }

    func report(_ received: Int, of expected: Int) {
        let (load, progress) = state.withLock { ($0.load, $0.progress) }
        progress?(received, expected, load?.url)
    }

    func send(_ bytes: Data) {
        let load = state.withLock { $0.load }
        load?.receivedData?(bytes, WebImageResponse(url: load?.url))
    }

    func end(_ data: Data) { answer.complete(with: data) }

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        state.withLock { $0 = State(load: load, progress: progress) }
        let data = await withValueContinuation { continuation in
            answer.whenCompleted { continuation.resume(returning: $0) }
        }
        return ImageDataResult(data: data, response: WebImageResponse(url: load.url))
    }

    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
}

/// A coder that reports each decode.
private final class DecodeRecorder: ImageCoder {
    private let note: @Sendable () -> Void

    init(note: @escaping @Sendable () -> Void) { self.note = note }

    func canDecode(from data: Data) -> Bool { true }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("fake", "")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        note()
        return try TestImages.solid()
    }
}
