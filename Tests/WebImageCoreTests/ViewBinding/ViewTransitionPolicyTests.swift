import Testing
import WebImageLoading
import WebImageViews

@Suite("View transition policy") struct ViewTransitionPolicyTests {
    @Test func onlyAsynchronousResultsAreShownWithATransition() {
        #expect(ViewTransitionPolicy.runs(for: .none, finished: true, options: []))
        #expect(ViewTransitionPolicy.runs(for: .disk, finished: true, options: []))
        #expect(!ViewTransitionPolicy.runs(for: .memory, finished: true, options: []))
    }

    @Test(arguments: [WebImageOptions.queryMemoryDataSync, .queryDiskDataSync])
    func synchronousDiskHitIsShownWithoutATransition(options: WebImageOptions) {
        #expect(!ViewTransitionPolicy.runs(for: .disk, finished: true, options: options))
        #expect(ViewTransitionPolicy.runs(for: .none, finished: true, options: options))
    }

    @Test(arguments: [ImageCacheType.none, .memory, .disk])
    func forceTransitionRunsForEveryFinalImageAndNoPartialOne(cacheType: ImageCacheType) {
        #expect(ViewTransitionPolicy.runs(for: cacheType, finished: true, options: .forceTransition))
        #expect(!ViewTransitionPolicy.runs(for: cacheType, finished: false, options: .forceTransition))
    }
}
