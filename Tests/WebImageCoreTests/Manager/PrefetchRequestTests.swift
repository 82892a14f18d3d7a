import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Prefetching of requests: awaited, stopped in part, and only onto disk.
@Suite(.timeLimit(minutes: 1))
struct PrefetchRequestTests {
    private let loader = FakeDataLoader()
    private let cache = FakeImageCache()
    private let coder = FakeCoder()
    private let manager: WebImageManager
    private let prefetcher: WebImagePrefetcher

    init() {
        manager = WebImageManager(cache: cache, loader: loader)
        prefetcher = WebImagePrefetcher(imageManager: manager)
    }

    private func request(_ number: Int, width: Int? = nil) throws -> ImageRequest {
        let url = try #require(URL(string: "http://host/\(number).png"))
        var request = ImageRequest(url: url, context: [.imageCoder: coder])
        if let width { request.size = CGSize(width: width, height: width) }
        return request
    }

    private func requests(_ numbers: Range<Int>, answered: Bool = true) throws -> [ImageRequest] {
        let requests = try numbers.map { try request($0) }
        if answered { for request in requests { loader.answer(request.url, with: .success(FakeCoder.file())) } }
        return requests
    }

    // MARK: Awaiting

    @Test func awaitedRequestsReportProgressInOrder() async throws {
        let counts = Locked<[[Int]]>([])
        let end = await prefetcher.prefetch(try requests(0..<5)) { finished, total in
            counts.withLock { $0.append([finished, total]) }
        }
        #expect(end == (5, 0))
        #expect(counts.withLock { $0 } == (1...5).map { [$0, 5] })
        #expect(cache.memoryKeys.count == 5)
    }

    @Test func anEmptyListOfRequestsEndsAtOnce() async {
        #expect(await prefetcher.prefetch([ImageRequest]()) == (0, 0))
        #expect(prefetcher.prefetchRequests([], destination: .disk) == nil)
    }

    @Test(arguments: WebImagePrefetcher.Destination.allCases)
    func aCancelledTaskCancelsItsRequests(destination: WebImagePrefetcher.Destination) async throws {
        let requests = try requests(0..<5, answered: false)
        let task = Task { await prefetcher.prefetch(requests, destination: destination) }
        #expect(await eventually { loader.requests.count == 3 })
        task.cancel()
        #expect(await task.value == (5, 5))
        #expect(
            await eventually {
                loader.cancelCount == 3 && prefetcher.runningLoadCount == 0 && manager.sharedTaskCount == 0
            })
        #expect(loader.requests.count == 3)
    }

    // MARK: Stopping some

    @Test(arguments: WebImagePrefetcher.Destination.allCases)
    func stoppedURLsAreSkippedAndTheOthersLoaded(destination: WebImagePrefetcher.Destination) async throws {
        let requests = try requests(0..<6, answered: false)
        let counts = Locked<[Int]>([])
        async let end = prefetcher.prefetch(requests, destination: destination) { finished, _ in
            counts.withLock { $0.append(finished) }
        }
        #expect(await eventually { loader.requests.count == 3 })
        // The first URL is being loaded, the last one waits.
        prefetcher.cancelPrefetching(of: [requests[0].url, requests[5].url])
        #expect(await eventually { loader.cancelCount == 1 })
        for request in requests[1...4] { loader.answer(request.url, with: .success(FakeCoder.file())) }
        #expect(await end == (6, 2))
        #expect(counts.withLock { $0 } == Array(1...6))
        #expect(Set(loader.requests) == Set(requests[0...4].map(\.url)))
        // Ended lists have nothing to stop.
        prefetcher.cancelPrefetching(of: requests)
    }

    @Test func aStoppedRequestLeavesTheOtherSizesOfItsURL() async throws {
        let list = [try request(0, width: 2), try request(0, width: 3), try request(0)]
        let ends = Locked<[[Int]]>([])
        let token = prefetcher.prefetchRequests(list) { finished, skipped in
            ends.withLock { $0.append([finished, skipped]) }
        }
        #expect(await eventually { manager.subscriberCount(of: list[0].url) == 3 })
        token?.cancel([try request(0, width: 3), try request(1)])
        #expect(await eventually { token?.counts.skipped == 1 })
        #expect(await eventually { manager.subscriberCount(of: list[0].url) == 2 })
        #expect(loader.cancelCount == 0)
        loader.answer(list[0].url, with: .success(FakeCoder.file(width: 9, height: 9)))
        #expect(await eventually { ends.withLock { $0 } == [[3, 1]] })
        #expect(cache.memoryKeys.count == 2 && loader.requests.count == 1)
    }

    @Test func aListWhoseRequestsAreAllStoppedEndsOnce() async throws {
        prefetcher.isPaused = true
        let requests = try requests(0..<10_000, answered: false)
        let ends = Locked<[[Int]]>([])
        let first = prefetcher.prefetchRequests(requests) { finished, skipped in
            ends.withLock { $0.append([finished, skipped]) }
        }
        let second = prefetcher.prefetchRequests(Array(requests.prefix(2))) { _, _ in }
        first?.cancel(requests.map(\.url))
        #expect(await eventually { ends.withLock { $0 } == [[10_000, 10_000]] })
        #expect(first?.isCancelled == false && prefetcher.runningTokenCount == 1)
        prefetcher.cancelPrefetching(of: requests)
        #expect(second?.counts.skipped == 2 && prefetcher.runningTokenCount == 0)
        prefetcher.isPaused = false
        #expect(await eventually { prefetcher.runningLoadCount == 0 })
        #expect(loader.requests.isEmpty)
    }

    @Test(arguments: 0..<40) func randomStopsCountEveryRequestOnce(round: Int) async throws {
        let requests = try requests(0..<6, answered: round.isMultiple(of: 2))
        let counts = Locked<[Int]>([])
        let destination = WebImagePrefetcher.Destination.allCases[round % 4 / 2]
        async let end = prefetcher.prefetch(requests, destination: destination) { finished, _ in
            counts.withLock { $0.append(finished) }
        }
        let (prefetcher, urls, isOver) = (prefetcher, requests.map(\.url), Locked(false))
        let stopping = Task.detached {
            for _ in 0..<round { await Task.yield() }
            for url in urls.shuffled() { prefetcher.cancelPrefetching(of: [url]) }
            // The list may start after the first stop.
            while !isOver.withLock({ $0 }) {
                prefetcher.cancelPrefetching(of: urls)
                await Task.yield()
            }
        }
        #expect(await end.finishedCount == 6)
        isOver.withLock { $0 = true }
        await stopping.value
        #expect(counts.withLock { $0 } == Array(1...6))
        #expect(await eventually { prefetcher.runningLoadCount == 0 && manager.sharedTaskCount == 0 })
    }

    // MARK: Only onto disk

    @Test func aDiskPrefetchNeitherDecodesNorKeepsImages() async throws {
        let requests = try requests(0..<20) + [try request(0, width: 2)]
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (21, 0))
        #expect(coder.decodeCount == 0 && cache.memoryKeys.isEmpty)
        #expect(cache.disk.count == 20 && cache.disk.values.allSatisfy { $0 == FakeCoder.file() })
        #expect(loader.requests.count == 20)
        // Loads of any size then need no network.
        #expect(try await manager.result(for: requests[0]).cacheType == .disk)
        #expect(try await manager.image(for: requests[20]).pixelSize.width == 2)
        #expect(loader.requests.count == 20 && coder.decodeCount == 2)
    }

    @Test func aDiskPrefetchOverImageCacheLeavesMemoryEmpty() async throws {
        let memory = MemoryCache(config: ImageCacheConfig())
        let disk = DictionaryDiskCache(cachePath: "/", config: ImageCacheConfig())
        let manager = WebImageManager(cache: ImageCache(memoryCache: memory, diskCache: disk), loader: loader)
        let prefetcher = WebImagePrefetcher(imageManager: manager)
        let requests = try requests(0..<5)
        loader.metadata = Data("validators".utf8)
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (5, 0))
        #expect(coder.decodeCount == 0)
        for request in requests {
            let key = try #require(manager.cacheKey(for: request))
            #expect(memory.object(forKey: key) == nil && disk?.data(forKey: key) == FakeCoder.file())
            #expect(disk?.metadata(forKey: key) == Data("validators".utf8))
        }
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (5, 0))
        #expect(loader.requests.count == 5)
        #expect(try await manager.result(for: requests[0]).cacheType == .disk)
    }

    @Test func filesOnDiskAreNotReadAgain() async throws {
        let requests = try requests(0..<3)
        cache.disk = [requests[0].url.absoluteString: FakeCoder.file()]
        cache.storeImageToMemory(try TestImages.solid(), forKey: requests[1].url.absoluteString)
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (3, 0))
        #expect(cache.diskReadCount == 0)
        #expect(loader.requests.sorted { $0.absoluteString < $1.absoluteString } == requests[1...].map(\.url))
        var again = requests[0]
        again.cachePolicy = .reload
        #expect(await prefetcher.prefetch([again], destination: .disk) == (1, 0))
        #expect(loader.requests.count == 3 && coder.decodeCount == 0)
    }

    @Test func aDiskPrefetchSharesItsDownloadWithALoad() async throws {
        let request = try request(0)
        async let end = prefetcher.prefetch([request], destination: .disk)
        #expect(await eventually { loader.requests.count == 1 })
        async let image = manager.image(for: request)
        #expect(await eventually { manager.subscriberCount(of: request.url) == 1 && manager.sharedTaskCount >= 3 })
        loader.answer(request.url, with: .success(FakeCoder.file(width: 7)))
        #expect(try await image.pixelSize.width == 7)
        #expect(await end == (1, 0))
        #expect(loader.requests.count == 1 && cache.disk.count == 1)
    }

    @Test func bytesThatAreNoPictureAreNotStored() async throws {
        let requests = try requests(0..<2)
        loader.answer(requests[0].url, with: .success(Data("<html>".utf8)))
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (2, 1))
        #expect(cache.disk.count == 1)
        // The loader blocks such a URL, as after a load.
        #expect(manager.failure(of: requests[0].url)?.code == .badImageData)
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (2, 1))
        #expect(loader.requests.count == 2)
    }

    @Test func aDownloadThatFailsCountsAsSkipped() async throws {
        let requests = try requests(0..<2)
        loader.answer(requests[0].url, with: .failure(WebImageError(.transport, stage: .download)))
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (2, 1))
        #expect(await manager.shutdown())
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (2, 2))
    }

    @Test func localFilesAreLeftAlone() async throws {
        let data = try #require(URL(string: "data:image/png;base64,AAAA"))
        let list = [ImageRequest(url: URL(fileURLWithPath: "/absent/a.png")), ImageRequest(url: data)]
        #expect(await prefetcher.prefetch(list, destination: .disk) == (2, 0))
        #expect(loader.requests.isEmpty && cache.disk.isEmpty)
    }

    @Test func aDelegateStillApprovesTheImage() async throws {
        let delegate = RejectingDelegate()
        manager.delegate = delegate
        let requests = try requests(0..<2)
        loader.answer(requests[1].url, with: .success(FakeCoder.file(width: 9)))
        #expect(await prefetcher.prefetch(requests, destination: .disk) == (2, 1))
        #expect(Array(cache.disk.keys) == [requests[1].url.absoluteString])
        #expect(cache.memoryKeys.isEmpty && coder.decodeCount == 2)
    }

    private final class RejectingDelegate: WebImageManagerDelegate {
        func imageManager(
            _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
        ) -> Image? {
            image.pixelSize.width == 9 ? image : nil
        }
    }

    // MARK: Where the blocks run

    private enum Place: Equatable { case main, queue, elsewhere }

    private static let key = DispatchSpecificKey<Bool>()

    private static var place: Place {
        if MainThread.isCurrent { return .main }
        return DispatchQueue.getSpecific(key: key) == true ? .queue : .elsewhere
    }

    private func places(
        _ requests: [ImageRequest], _ destination: WebImagePrefetcher.Destination
    ) async -> Set<String> {
        let places = Locked<Set<String>>([])
        let delegate = PlaceDelegate { place in _ = places.withLock { $0.insert("delegate \(place)") } }
        prefetcher.delegate = delegate
        let isDone = Locked(false)
        prefetcher.prefetchRequests(
            requests, destination: destination,
            progress: { _, _ in _ = places.withLock { $0.insert("progress \(Self.place)") } },
            completed: { _, _ in
                _ = places.withLock { $0.insert("completed \(Self.place)") }
                isDone.withLock { $0 = true }
            })
        _ = await eventually { isDone.withLock { $0 } }
        withExtendedLifetime(delegate) {}
        return places.withLock { $0 }
    }

    private final class PlaceDelegate: WebImagePrefetcherDelegate {
        private let note: @Sendable (Place) -> Void

        init(note: @escaping @Sendable (Place) -> Void) { self.note = note }

        func imagePrefetcher(
            _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
        ) {
            note(PrefetchRequestTests.place)
        }
    }

    @Test(arguments: WebImagePrefetcher.Destination.allCases)
    func blocksRunOnTheQueueOfTheListOrOfThePrefetcher(destination: WebImagePrefetcher.Destination) async throws {
        let requests = try requests(0..<3)
        #expect(await places(requests, destination) == ["delegate main", "progress main", "completed main"])
        let queue = DispatchQueue(label: "test.prefetch")
        queue.setSpecific(key: Self.key, value: true)
        prefetcher.delegateQueue = queue
        let onQueue: Set = ["delegate queue", "progress queue", "completed queue"]
        #expect(await places(requests, destination) == onQueue)
        prefetcher.delegateQueue = .main
        var first = requests
        first[0].callbackQueue = CallbackQueue(queue: queue)
        #expect(await places(first, destination) == onQueue)
    }

    @Test func blocksOfAnAwaitedListDoNotNeedTheMainQueue() async throws {
        let requests = try requests(0..<3)
        let places = Locked<[Place]>([])
        _ = await prefetcher.prefetch(requests) { _, _ in places.withLock { $0.append(Self.place) } }
        #expect(places.withLock { $0 } == [.elsewhere, .elsewhere, .elsewhere])
    }
}
