import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// The prefetcher, which loads lists of images before they are needed.
@Suite(.timeLimit(minutes: 1))
struct PrefetcherTests {
    private let loader = FakeDataLoader()
    private let prefetcher: WebImagePrefetcher
    private let coder = FakeCoder()
    private var context: WebImageContext { [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking] }

    init() {
        prefetcher = WebImagePrefetcher(imageManager: WebImageManager(cache: FakeImageCache(), loader: loader))
    }

    private func urls(_ numbers: Range<Int>) throws -> [URL] {
        try numbers.map { try #require(URL(string: "http://host/\($0).png")) }
    }

    private final class Recorder: WebImagePrefetcherDelegate {
        let finished = Locked<[Int]>([])
        let ends = Locked<[[Int]]>([])
        let senders = Locked<Set<ObjectIdentifier>>([])

        func imagePrefetcher(
            _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
        ) {
            _ = senders.withLock { $0.insert(ObjectIdentifier(imagePrefetcher)) }
            finished.withLock { $0.append(finishedCount) }
        }

        func imagePrefetcher(
            _ imagePrefetcher: WebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
        ) {
            ends.withLock { $0.append([totalCount, skippedCount]) }
        }
    }

    @Test  // SDWebImagePrefetcherTests.test01ThatSharedPrefetcherIsNotEqualToInitPrefetcher
    func sharedIsASingletonAndOthersAreSeparate() {
        #expect(WebImagePrefetcher.shared === WebImagePrefetcher.shared)
        #expect(prefetcher !== WebImagePrefetcher.shared)
        #expect(prefetcher.maxConcurrentPrefetchCount == 3)
        #expect(prefetcher.options == .lowPriority)
    }

    @Test  // SDWebImagePrefetcherTests.test02PrefetchMultipleImages
    func progressCountsInOrderAndTheEndCountsAll() async throws {
        let urls = try urls(0..<3)
        for url in urls { loader.answer(url, with: .success(FakeCoder.file())) }
        let seen = Locked<[[Int]]>([])
        let end = await prefetcher.prefetch(urls, context: context) { finished, total in
            seen.withLock { $0.append([finished, total]) }
        }
        #expect(seen.withLock { $0 } == [[1, 3], [2, 3], [3, 3]])
        #expect(end == (3, 0))
        #expect(loader.requests.count == 3)
    }

    @Test  // SDWebImagePrefetcherTests.test03PrefetchWithEmptyArrayWillCallTheCompletionWithAllZeros
    func emptyListCompletesInlineWithZeros() {
        let ends = Locked<[[Int]]>([])
        for list in [nil, []] as [[URL]?] {
            let token = prefetcher.prefetchURLs(list, progress: nil) { finished, skipped in
                ends.withLock { $0.append([finished, skipped]) }
            }
            #expect(token == nil)
        }
        #expect(ends.withLock { $0 } == [[0, 0], [0, 0]])
    }

    /// A single trailing closure is the completion, as for a list of requests.
    @Test func trailingClosureIsTheCompletion() async throws {
        let urls = try urls(0..<3)
        for url in urls { loader.answer(url, with: .success(FakeCoder.file())) }
        let ends = Locked<[[Int]]>([])
        prefetcher.context = context
        prefetcher.prefetchURLs(urls) { finished, skipped in ends.withLock { $0.append([finished, skipped]) } }
        #expect(await eventually { ends.withLock { $0 } == [[3, 0]] })
        loader.answer(urls[1], with: .failure(.badData("fake", "")))
        prefetcher.prefetchURLs(urls, options: [.fromLoaderOnly, .retryFailed], context: context) { finished, skipped in
            ends.withLock { $0.append([finished, skipped]) }
        }
        #expect(await eventually { ends.withLock { $0 } == [[3, 0], [3, 1]] })
        prefetcher.prefetchURLs(urls, options: .lowPriority) { _, _ in }?.cancel()
        prefetcher.prefetchRequests(urls.map { ImageRequest(url: $0, context: context) }) { finished, skipped in
            ends.withLock { $0.append([finished, skipped]) }
        }
        #expect(await eventually { ends.withLock { $0.count } == 3 })
        #expect(prefetcher.prefetchURLs(nil) { _, _ in ends.withLock { $0 = [] } } == nil)
        #expect(ends.withLock { $0.isEmpty })
    }

    @Test  // SDWebImagePrefetcherTests.test04PrefetchWithMultipleArrayDifferentQueueWorks
    func overlappingListsEachCountTheirOwn() async throws {
        for url in try urls(0..<30) { loader.answer(url, with: .success(FakeCoder.file())) }
        let (first, second) = (try urls(0..<20), try urls(10..<30))
        let counts = Locked([0, 0])
        async let one = prefetcher.prefetch(first, context: context) { _, _ in counts.withLock { $0[0] += 1 } }
        async let two = prefetcher.prefetch(second, context: context) { _, _ in counts.withLock { $0[1] += 1 } }
        let (oneEnd, twoEnd) = await (one, two)
        #expect(oneEnd == (20, 0))
        #expect(twoEnd == (20, 0))
        #expect(counts.withLock { $0 } == [20, 20])
        #expect(prefetcher.runningTokenCount == 0)
    }

    @Test  // SDWebImagePrefetcherTests.test05PrefetchLargeURLsAndDelegateWorks
    func delegateIsCalledBeforeTheBlocks() async throws {
        let urls = try urls(0..<20)
        for url in urls {
            loader.answer(url, with: url == urls[7] ? .failure(.badData("fake", "")) : .success(FakeCoder.file()))
        }
        let recorder = Recorder()
        prefetcher.delegate = recorder
        let end = await prefetcher.prefetch(urls, context: context) { finished, _ in
            #expect(recorder.finished.withLock { $0.last } == finished)
        }
        #expect(end == (20, 1))
        #expect(recorder.ends.withLock { $0 } == [[20, 1]])
        #expect(recorder.senders.withLock { $0 } == [ObjectIdentifier(prefetcher)])
    }

    @Test  // SDWebImagePrefetcherTests.test06PrefetchCancelToken
    func cancelledListEndsAtOnceWithOneCompletion() async throws {
        let ends = Locked<[[Int]]>([])
        let token = prefetcher.prefetchURLs(try urls(0..<3), options: [], context: context, progress: nil) {
            finished, skipped in
            ends.withLock { $0.append([finished, skipped]) }
        }
        #expect(prefetcher.runningTokenCount == 1)
        #expect(await eventually { loader.requests.count == 3 })
        token?.cancel()
        token?.cancel()
        #expect(prefetcher.runningTokenCount == 0)
        #expect(ends.withLock { $0 } == [[3, 3]])
        #expect(token?.isCancelled == true)
        #expect(await eventually { loader.cancelCount == 3 })
    }

    @Test  // SDWebImagePrefetcherTests.test07DownloaderCancelDuringPrefetching
    func loadsCancelledElsewhereCountAsSkipped() async throws {
        let urls = try urls(0..<3)
        async let end = prefetcher.prefetch(urls, context: context)
        #expect(await eventually { loader.requests.count == 3 })
        for url in urls { loader.answer(url, with: .failure(.cancelled)) }
        let counts = await end
        #expect(counts == (3, 3))
    }

    @Test func atMostTheMaximumRunAtOnce() async throws {
        let urls = try urls(0..<10)
        let token = prefetcher.prefetchURLs(urls, options: [], context: context, progress: nil, completed: nil)
        #expect(await eventually { loader.requests.count == 3 })
        for url in urls[..<2] { loader.answer(url, with: .success(FakeCoder.file())) }
        #expect(await eventually { loader.requests.count == 5 })
        prefetcher.isPaused = true
        loader.answer(urls[2], with: .success(FakeCoder.file()))
        #expect(await eventually { (token?.counts.finished ?? 0) == 3 })
        #expect(loader.requests.count == 5)
        prefetcher.isPaused = false
        #expect(await eventually { loader.requests.count == 6 })
        prefetcher.maxConcurrentPrefetchCount = 10
        #expect(await eventually { loader.requests.count == 10 })
        prefetcher.cancelPrefetching()
        #expect(prefetcher.runningTokenCount == 0)
    }

    @Test func slotIsFreedAfterTheCallbacks() async throws {
        let urls = try urls(0..<3)
        for url in urls { loader.answer(url, with: .success(FakeCoder.file())) }
        prefetcher.maxConcurrentPrefetchCount = 1
        let running = Locked<[Int]>([])
        let end = await prefetcher.prefetch(urls, context: context) { [prefetcher] _, _ in
            // When the limit is set, the prefetcher starts loads if the number of running loads is below the limit.
            prefetcher.maxConcurrentPrefetchCount = 1
            running.withLock { $0.append(prefetcher.runningLoadCount) }
        }
        #expect(end == (3, 0) && running.withLock { $0 } == [1, 1, 1])
        #expect(await eventually { prefetcher.runningLoadCount == 0 })
    }

    @Test func cancelledTaskCancelsItsList() async throws {
        let urls = try urls(0..<3)
        let task = Task { await prefetcher.prefetch(urls, context: context) }
        #expect(await eventually { loader.requests.count == 3 })
        task.cancel()
        #expect(await task.value == (3, 3))
    }

    @Test(arguments: 0..<50) func randomCancelsEndOnceEach(round: Int) async throws {
        let urls = try urls(0..<6)
        for url in urls where round.isMultiple(of: 2) { loader.answer(url, with: .success(FakeCoder.file())) }
        let ends = Locked(0)
        let token = prefetcher.prefetchURLs(urls, options: [], context: context, progress: nil) { finished, _ in
            #expect(finished == 6)
            ends.withLock { $0 += 1 }
        }
        let task = Task.detached {
            for _ in 0..<round { await Task.yield() }
            token?.cancel()
        }
        await task.value
        #expect(await eventually { ends.withLock { $0 } == 1 })
    }
}
