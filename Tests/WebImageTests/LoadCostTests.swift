import CWebImageAllocationCounter
import Foundation
import Testing
import WebImage
import WebImageTesting

/// What a memory hit costs with the real loaders in place: from the call to the completion.
@Suite(.enabled(if: allocation_counter_works(), "a sanitizer has its own allocator"), .timeLimit(.minutes(1)))
struct LoadCostTests {
    @Test func aWholeMemoryHitAllocatesAtMostThreeTimes() throws {
        let journey = try Journey()
        let urls = (0..<500).compactMap {
            URL(string: "https://images.example.com/2024/landscape/\($0)/large.jpg?w=1200")
        }
        for url in urls { journey.cache.storeImageToMemory(try TestImages.solid(), forKey: url.absoluteString) }
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let found = Locked(0)
        let completed: WebImageInternalCompletionBlock = { image, _, _, _, _, _ in
            if image != nil { found.withLock { $0 += 1 } }
        }
        // What a first use instantiates, and what a URL makes when its text is first asked for, does not count.
        for url in urls { journey.manager.loadImage(with: url, context: context, completed: completed) }
        // By index: a loop over the URLs allocates for itself in a debug build.
        var index = 0
        allocation_counter_start()
        while index < urls.count {
            journey.manager.loadImage(with: urls[index], context: context, completed: completed)
            index += 1
        }
        let count = allocation_counter_stop()
        #expect(found.withLock { $0 } == 1000)
        #expect(count <= 3 * urls.count, "\(Double(count) / Double(urls.count)) a load")
    }
}
