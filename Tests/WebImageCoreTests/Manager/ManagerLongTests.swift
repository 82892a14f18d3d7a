import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests that take minutes. They run only with `Scripts/test --long`.
@Suite(
    .serialized, .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil, "Scripts/test --long"),
    .timeLimit(minutes: 10))
struct ManagerLongTests {
    private static let batch = 2000
    private static let batches = 50

    /// Runs 50 batches of 2,000 loads and cancels the loads at random times. Half of the loads use the same URL. The
    /// loads request originals, thumbnails and transformed variants.
    @Test func aHundredThousandRandomCancelsEndOnceEachAndKeepMemoryFlat() async throws {
        let fixture = try ManagerFixture()
        let ends = Locked([UInt8](repeating: 0, count: Self.batch * Self.batches))
        var settled = 0
        var last = 0
        for batch in 0..<Self.batches {
            try await cancelAtRandom(batch, fixture, ends)
            await fixture.cache.removeAll(from: .all)
            last = Self.residentBytes
            // The memory after ten batches is the value for the comparison. In the first batches, first uses and
            // allocator caches still add memory.
            if batch == 9 { settled = last }
        }
        #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(!fixture.manager.isRunning && fixture.manager.sharedTaskCount == 0)
        guard ProcessMemory.isMeasurable else { return }
        #expect(last - settled < 8 << 20, "memory grew by \((last - settled) >> 20) MB")
        print(
            "FIGURE cancels: 100000 ended once each, resident \(settled >> 20) MB after 20000, \(last >> 20) MB at the end"
        )
    }

    private func cancelAtRandom(
        _ batch: Int, _ fixture: ManagerFixture, _ ends: Locked<[UInt8]>
    ) async throws {
        // Create new fakes for each batch. The fakes record their calls, so their memory grows with each load.
        let (loader, transformer) = (FakeDataLoader(), NamedTransformer())
        var random = SeededRandom.printingSeed()
        var operations: [WebImageCombinedOperation] = []
        for number in 0..<Self.batch {
            let index = batch * Self.batch + number
            // Every second load uses the same URL.
            let url = try #require(URL(string: "http://host/\(number % 2 == 0 ? 0 : number % 40).png"))
            if number % 5 == 0 { loader.answer(url, with: .success(FakeCoder.file())) }
            let variants: [WebImageContext] = [
                [:], [.imageThumbnailPixelSize: CGSize(width: 2 + number % 3, height: 2)],
                [.imageTransformer: transformer],
            ]
            let context = fixture.context(variants[number % 3]).merging([.imageLoader: loader]) { $1 }
            operations.append(
                fixture.manager.loadImage(
                    with: url, options: [.retryFailed, .fromLoaderOnly], context: context
                ) { _, _, _, _, finished, _ in
                    if finished { ends.withLock { $0[index] &+= 1 } }
                })
            if number % 3 == 0 { operations[Int.random(in: 0...number, using: &random)].cancel() }
        }
        for operation in operations.shuffled(using: &random) { operation.cancel() }
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
    }

    private static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }
}
