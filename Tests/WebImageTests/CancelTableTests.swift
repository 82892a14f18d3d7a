import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// A load that is cancelled in any state gives everything back, without waiting for its server or its code: slots of the
/// downloader, shared tasks, connections, file descriptors, threads and memory. The next load is not delayed.
@Suite(.serialized, .timeLimit(minutes: 5))
struct CancelTableTests {
    /// What the load waits for when it is cancelled.
    enum State: String, CaseIterable, Sendable {
        case slot, head, redirect, stalledBody, drippingBody, progressiveBody, refresh, retryWait, decode
        case blockingTransformer, asyncTransformer, serializer

        /// Whether code of the program or a decoder runs when the load is cancelled.
        var hasBytes: Bool { [.decode, .blockingTransformer, .asyncTransformer, .serializer].contains(self) }
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
        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            gate.enter()
            return try ImageCodersManager.shared.decode(data, options: options)
        }
    }

    private struct LongWait: DownloadRetryStrategy {
        let hasFailed: Locked<Bool>
        func delay(after failure: DownloadFailure) -> Duration? {
            hasFailed.withLock { $0 = true }
            return .seconds(3600)
        }
    }

    /// What the process uses.
    private struct Use {
        let threads: Int
        let descriptors: Int
        let memory: Int

        static var now: Use {
            func count(_ folder: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder))?.count ?? 0
            }
            return Use(threads: count("task"), descriptors: count("fd"), memory: ProcessMemory.allocatedBytes ?? 0)
        }
    }

    /// The time in seconds after which nothing more is given back. It detects a hang: whatever the loads wait for takes a
    /// minute or longer. It does not measure, because other programs may use the processors.
    private static let limit = 30.0

    @Test(arguments: State.allCases, [1, 3, 20]) func cancelledLoadGivesEverythingBack(state: State, subscribers: Int)
        async throws
    {
        let hasFailed = Locked(false)
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        if state == .retryWait { config.retryStrategy = LongWait(hasFailed: hasFailed) }
        let journey = try Journey(config: config)
        journey.server.route("/next.png", .body(try Journey.file(width: 64, height: 64)))
        _ = try await journey.manager.image(for: journey.server.url("/next.png"))
        var before = Use.now
        for round in 0..<6 {
            hasFailed.withLock { $0 = false }
            try await cancelOnce(state, subscribers, round, journey, hasFailed)
            try await eventually("descriptors are given back", within: Self.limit) {
                Use.now.descriptors <= before.descriptors + 2
            }
            // The first rounds start the threads of the pools and fill the tables of the process.
            if round == 1 { before = Use.now }
        }
        // Threads of the pools may be idle for some seconds. Their number must not grow with the number of loads.
        #expect(
            await eventually(within: Self.limit) { Use.now.threads <= before.threads + 2 },
            "\(before.threads) threads before, \(Use.now.threads) after four more loads")
        if ProcessMemory.isMeasurable {
            let isReturned = await eventually(within: Self.limit) { Use.now.memory <= before.memory + 1 << 20 }
            #expect(isReturned, "\((Use.now.memory - before.memory) / 1024) KB are not given back")
        }
    }

    /// Starts equal loads, cancels all of them in a state, and waits until everything is given back.
    private func cancelOnce(
        _ state: State, _ subscribers: Int, _ round: Int, _ journey: Journey, _ hasFailed: Locked<Bool>
    ) async throws {
        let (gate, hasBegun) = (Gate(), Locked(false))
        defer { gate.release() }
        let (manager, server) = (journey.manager, journey.server)
        let file = try Journey.file(width: 64, height: 64)
        let (path, target) = ("/a\(round).png", "/b\(round).png")
        var (context, options): (WebImageContext, WebImageOptions) = ([:], [])
        var isThere: @Sendable () -> Bool = { server.requestCount(path) == 1 }
        var response = FaultResponse(.data(file + Data(count: 20_000)), headers: ["Content-Type": "image/png"])
        response.firstPiece = response.body.length * 95 / 100
        let received = Locked(0)
        switch state {
        case .slot:
            server.route("/blocker.png", .hang)
            isThere = { journey.downloader.currentDownloadCount == 2 }
        case .head: server.route(path, .hang)
        case .redirect:
            server.route(path, .redirect(to: target))
            server.route(target, .hang)
            isThere = { server.requestCount(target) == 1 }
        case .stalledBody, .drippingBody, .progressiveBody:
            (response.piece, response.interval) = (1, state == .stalledBody ? .seconds(60) : .milliseconds(20))
            server.route(path, .respond(response))
            if state == .progressiveBody { options.insert(.progressiveLoad) }
            let enough = response.firstPiece ?? 0
            isThere = { received.withLock { $0 } >= enough }
        case .refresh:
            server.route(path, .body(file))
            _ = try await manager.image(for: server.url(path))
            server.route(path, .hang)
            options.insert(.refreshCached)
            isThere = { server.requestCount(path) == 2 }
        case .retryWait:
            server.route(path, .status(503))
            isThere = { hasFailed.withLock { $0 } }
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
            options.insert(.waitStoreCache)
            isThere = { gate.entered > 0 }
        }
        // Answer only when all loads have joined. A later load could find the image in memory.
        let answer = FaultGate()
        if state.hasBytes { server.route(path, .gated(answer, .body(file))) }
        let blocker = state == .slot ? Task { try? await manager.image(for: server.url("/blocker.png")) } : nil
        if state == .slot {
            try await eventually("the slot is in use") { server.requestCount("/blocker.png") == round + 1 }
        }
        let shared = RequestContext(context)
        let loads = (0..<subscribers).map { _ in
            Task { [options] in
                try await manager.image(
                    for: server.url(path), options: options, context: shared.dictionary,
                    progress: { count, _, _ in received.withLock { $0 = count } })
            }
        }
        try await eventually("all loads have joined") {
            state == .refresh || manager.subscriberCount(of: server.url(path)) == subscribers
        }
        answer.open()
        try await eventually("the load is in the state \(state)", isThere)
        for load in loads { load.cancel() }
        let end = ContinuousClock.now
        for load in loads {
            await #expect(throws: WebImageError.self) { try await load.value }
        }
        #expect(ContinuousClock.now - end < .seconds(Self.limit), "the cancelled loads end late")
        // The next load is not delayed, although code of the program still waits.
        if state != .slot {
            let start = ContinuousClock.now
            journey.cache.clearMemory()
            _ = try await manager.image(for: server.url("/next.png"), options: .fromLoaderOnly)
            #expect(ContinuousClock.now - start < .seconds(Self.limit), "the next load is delayed")
        }
        blocker?.cancel()
        _ = await blocker?.value
        gate.release()
        try await eventually("everything is given back", within: Self.limit) {
            !manager.isRunning && manager.sharedTaskCount == 0 && journey.downloader.currentDownloadCount == 0
                && server.concurrentRequests == 0
        }
        // The route retains the gate, which has a descriptor.
        server.route(path, .status(404))
        journey.cache.clearMemory()
        await journey.cache.flush()
    }
}

extension FaultResponse.Body {
    fileprivate var length: Int { if case .data(let data) = self { data.count } else { 0 } }
}
