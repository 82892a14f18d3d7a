import Foundation
import SDWebImage
import Testing
import WebImageTestTraits

/// SDWebImage's test cases with their original call sites and types.
@Suite(.timeLimit(minutes: 1)) struct OriginalCallSiteTests {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// A delegate that records the counts that it receives, as the delegate in SDWebImage's test does.
    final class Counts: NSObject, SDWebImagePrefetcherDelegate, @unchecked Sendable {
        // Unchecked is safe because the figures are used only under the lock.
        private let lock = NSLock()
        private var figures: (finished: UInt, total: UInt, skipped: UInt, prefetcher: SDWebImagePrefetcher?) = (
            0, 0, 0, nil
        )

        var finished: UInt { lock.withLock { figures.finished } }
        var total: UInt { lock.withLock { figures.total } }
        var skipped: UInt { lock.withLock { figures.skipped } }
        var prefetcher: SDWebImagePrefetcher? { lock.withLock { figures.prefetcher } }

        func imagePrefetcher(
            _ imagePrefetcher: SDWebImagePrefetcher, didPrefetchURL imageURL: URL?, finishedCount: UInt,
            totalCount: UInt
        ) {
            lock.withLock { figures = (finishedCount, totalCount, figures.skipped, imagePrefetcher) }
        }
        func imagePrefetcher(
            _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt
        ) {
            lock.withLock { figures = (totalCount, totalCount, skippedCount, imagePrefetcher) }
        }
    }

    // SDWebImagePrefetcherTests.test05PrefetchLargeURLsAndDelegateWorks
    @Test func prefetchLargeURLsAndDelegateWorks() async throws {
        let urls = try (1...20).map { try desk.picture("/\($0)x\($0).png", width: $0, height: $0) }
        let prefetcher = SDWebImagePrefetcher(imageManager: desk.manager)
        let counts = Counts()
        prefetcher.delegate = counts
        let progress = Calls<Bool>()
        let ends = await withCheckedContinuation { (done: CheckedContinuation<[UInt], Never>) in
            prefetcher.prefetchURLs(
                urls,
                progress: { finishedCount, totalCount in
                    progress.add(counts.finished == finishedCount && counts.total == totalCount)
                },
                completed: { finishedCount, skippedCount in
                    done.resume(returning: [finishedCount, skippedCount, counts.finished, counts.skipped])
                })
        }
        #expect(ends == [20, 0, 20, 0] && progress.all == Array(repeating: true, count: 20))
        #expect(counts.prefetcher === prefetcher)
    }
}
