import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// A load that is cancelled in any state gives everything back within a second: slots of the downloader, shared tasks,
/// connections and file descriptors. The next load is not delayed.
@Suite(.serialized, .timeLimit(minutes: 2))
struct CancelTableTests {
    /// What the load waits for when it is cancelled.
    enum State: String, CaseIterable, Sendable {
        case slot, head, redirect, stalledBody, drippingBody, retryWait, decode, blockingTransformer, asyncTransformer
        case serializer
    }

    /// Waits on its thread until it is released.
    private final class Gate: Sendable {
        private let state = Locked((entered: 0, isReleased: false))
        var entered: Int { state.withLock { $0.entered } }
        func release() { state.withLock { $0.isReleased = true } }
        func enter() {
            state.withLock { $0.entered += 1 }
            while !state.withLock({ $0.isReleased }) { usleep(500) }
        }
    }

    private struct GatedTransformer: ImageTransformer {
        let gate: Gate
        var transformerKey: String { "Gated" }
        func transformedImage(with image: Image, forKey key: String) -> Image? {
            gate.enter()
            return image
        }
    }

    private struct SleepingTransformer: AsyncImageTransformer {
        let hasBegun: Locked<Bool>
        var transformerKey: String { "Sleeping" }
        func transformed(_ image: Image, forKey key: String) async throws -> Image {
            hasBegun.withLock { $0 = true }
            try await Task.sleep(for: .seconds(3600))
            return image
        }
    }

    private final class GatedCoder: ImageCoder {
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        func canDecode(from data: Data?) -> Bool { true }
        func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
            gate.enter()
            return ImageCodersManager.shared.decodedImage(with: data, options: options)
        }
        func canEncode(to format: ImageFormat) -> Bool { false }
        func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? { nil }
    }

    private struct LongWait: DownloadRetryStrategy {
        let hasFailed: Locked<Bool>
        func delay(after failure: DownloadFailure) -> Duration? {
            hasFailed.withLock { $0 = true }
            return .seconds(3600)
        }
    }

    private static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
    }

    @Test(arguments: State.allCases, [1, 3]) func cancelledLoadGivesEverythingBack(state: State, subscribers: Int)
        async throws
    {
        let (gate, hasBegun) = (Gate(), Locked(false))
        defer { gate.release() }
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        if state == .retryWait { config.retryStrategy = LongWait(hasFailed: hasBegun) }
        let journey = try Journey(config: config)
        let (manager, server) = (journey.manager, journey.server)
        let file = try Journey.file(width: 64, height: 64)
        server.route("/next.png", .body(file))
        _ = try await manager.image(for: server.url("/next.png"))
        try await eventually("the first load has ended") { server.concurrentRequests == 0 }
        let descriptors = Self.descriptorCount

        var context: WebImageContext = [:]
        var isThere: @Sendable () -> Bool = { server.requestCount("/a.png") == 1 }
        var response = FaultResponse(.data(file + Data(count: 20_000)), headers: ["Content-Type": "image/png"])
        response.firstPiece = response.body.length * 95 / 100
        let received = Locked(0)
        switch state {
        case .slot:
            server.route("/blocker.png", .hang)
            isThere = { journey.downloader.currentDownloadCount == 2 }
        case .head: server.route("/a.png", .hang)
        case .redirect:
            server.route("/a.png", .redirect(to: "/b.png"))
            server.route("/b.png", .hang)
            isThere = { server.requestCount("/b.png") == 1 }
        case .stalledBody, .drippingBody:
            (response.piece, response.interval) = (1, state == .drippingBody ? .milliseconds(20) : .seconds(60))
            server.route("/a.png", .respond(response))
            let enough = response.firstPiece ?? 0
            isThere = { received.withLock { $0 } >= enough }
        case .retryWait:
            server.route("/a.png", .status(503))
            isThere = { hasBegun.withLock { $0 } }
        case .decode:
            context[.imageCoder] = GatedCoder(gate)
            isThere = { gate.entered > 0 }
        case .blockingTransformer:
            context[.imageTransformer] = GatedTransformer(gate: gate)
            isThere = { gate.entered > 0 }
        case .asyncTransformer:
            context[.imageTransformer] = SleepingTransformer(hasBegun: hasBegun)
            isThere = { hasBegun.withLock { $0 } }
        case .serializer:
            context[.cacheSerializer] = WebImageCacheSerializer { _, data, _ in
                gate.enter()
                return data
            }
            isThere = { gate.entered > 0 }
        }
        if [.decode, .blockingTransformer, .asyncTransformer, .serializer].contains(state) {
            server.route("/a.png", .body(file))
        }
        let blocker = state == .slot ? Task { try? await manager.image(for: server.url("/blocker.png")) } : nil
        if state == .slot {
            try await eventually("the slot is in use") { server.requestCount("/blocker.png") == 1 }
        }
        let shared = RequestContext(context)
        let loads = (0..<subscribers).map { _ in
            Task {
                try await manager.image(
                    for: server.url("/a.png"), options: state == .serializer ? .waitStoreCache : [],
                    context: shared.forRoles, progress: { count, _, _ in received.withLock { $0 = count } })
            }
        }
        try await eventually("the load is in the state \(state)") {
            isThere() && manager.subscriberCount(of: server.url("/a.png")) == subscribers
        }
        for load in loads { load.cancel() }
        let end = ContinuousClock.now
        for load in loads {
            await #expect(throws: WebImageError.self) { try await load.value }
        }
        #expect(ContinuousClock.now - end < .seconds(1), "the cancelled loads end late")
        // The next load is not delayed, although code of the program still waits.
        if state != .slot {
            let start = ContinuousClock.now
            journey.cache.clearMemory()
            _ = try await manager.image(for: server.url("/next.png"), options: .fromLoaderOnly)
            #expect(ContinuousClock.now - start < .seconds(1.5), "the next load is delayed")
        }
        blocker?.cancel()
        _ = await blocker?.value
        gate.release()
        try await eventually("everything is given back", within: 3) {
            !manager.isRunning && manager.sharedTaskCount == 0 && journey.downloader.currentDownloadCount == 0
                && server.concurrentRequests == 0
        }
        #expect(await eventually(within: 3) { Self.descriptorCount <= descriptors + 2 })
    }
}

extension FaultResponse.Body {
    fileprivate var length: Int { if case .data(let data) = self { data.count } else { 0 } }
}
