import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Equal loads use one download, also if the bytes have arrived but are not yet stored, and if the loads belong to a
/// manager and a prefetcher that share their cache and loader.
@Suite(.timeLimit(minutes: 1))
struct SharedWorkTests {
    private let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws {
        fixture = try EntryFixture()
        try fixture.answer(url, blue: 10)
    }

    /// The ways in which a load can ask for the same picture.
    enum Way: CaseIterable, Sendable { case plain, events, prefetch }

    private func start(_ way: Way, _ manager: WebImageManager, _ prefetching: WebImageManager, _ coder: some ImageCoder)
        async throws
    {
        let context = RequestContext([.imageCoder: coder])
        switch way {
        case .plain: _ = try await manager.image(for: url, context: context.dictionary)
        case .prefetch: _ = try await prefetching.image(for: url, context: context.dictionary)
        case .events: for try await _ in manager.events(for: url, context: context.dictionary) {}
        }
    }

    @Test(arguments: Way.allCases, Way.allCases) func loadDuringADecodeFetchesNothing(first: Way, second: Way)
        async throws
    {
        let (coder, manager) = (HeldCoder(), fixture.manager)
        let prefetching = WebImageManager(sharingWorkOf: manager)
        async let one: Void = start(first, manager, prefetching, coder)
        try await eventually("the decode has begun") { coder.isDecoding }
        async let two: Void = start(second, manager, prefetching, coder)
        try await eventually("the second load has begun") { manager.subscriberCount(of: url) >= 2 }
        #expect(await !eventually(within: 0.1) { fixture.loader.loads.count > 1 }, "the bytes are fetched twice")
        coder.release()
        _ = try await (one, two)
        #expect(fixture.loader.loads.count == 1)
    }

    /// Decodes with the built-in coders, but only after the test has called `release()`.
    private final class HeldCoder: ImageCoder {
        private let state = Locked((isDecoding: false, isReleased: false))
        private let gate = DispatchSemaphore(value: 0)

        var isDecoding: Bool { state.withLock { $0.isDecoding } }

        func release() {
            state.withLock { $0.isReleased = true }
            for _ in 0..<10 { gate.signal() }
        }

        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            let waits = state.withLock { state in
                state.isDecoding = true
                return !state.isReleased
            }
            if waits { gate.wait() }
            return try ImageCodersManager.shared.decode(data, options: options)
        }
    }
}
