import Dispatch
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// The budget of a request begins when the request is accepted. It includes the waits and the fetch.
@Suite(.timeLimit(minutes: 2), .serialized)
struct RequestBudgetTests {
    /// Decodes the files of ``FakeCoder`` and calls a function before each decode.
    private final class ProbeCoder: ImageCoder {
        private let fake = FakeCoder()
        private let probe: @Sendable () -> Void
        private let header: @Sendable () -> Void

        init(_ probe: @escaping @Sendable () -> Void, header: @escaping @Sendable () -> Void = {}) {
            self.probe = probe
            self.header = header
        }

        func canDecode(from data: Data) -> Bool { fake.canDecode(from: data) }
        func canEncode(to format: ImageFormat) -> Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            header()
            return try fake.imageInfo(of: data, limits: limits)
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            probe()
            return try fake.decode(data, options: options)
        }
        func encode(
            _ image: Image, format: ImageFormat, options: EncodingOptions
        ) throws(WebImageError) -> Data { throw WebImageError(.encodingFailed, stage: .encode) }
    }

    private func bench(
        _ probe: @escaping @Sendable () -> Void = {}, header: @escaping @Sendable () -> Void = {},
        _ configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws -> ServiceBench {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [ProbeCoder(probe, header: header)])
        return try ServiceBench(coders: coders) {
            ($0.resultCacheBytes, $0.sourceCacheBytes, $0.decodeTimeout, $0.negativeTTL) = (0, 0, 8, 10)
            configure(&$0)
        }
    }

    /// The timers of the running works, of which each has two.
    private func works(_ count: Int, of bench: ServiceBench) async -> Bool {
        await eventually { bench.clock.waitingCount == 2 * count }
    }

    @Test(arguments: ["w:9", "raw:1", "w:9/f:avif"])
    func sourceThatNeverArrivesIsAnsweredInTime(options: String) async throws {
        let bench = try bench()
        bench.server.close()
        let response = Task { await bench.picture(options) }
        #expect(await eventually { bench.server.fetchCount == 1 })
        #expect(await works(1, of: bench))
        bench.clock.advance(by: .seconds(7.9))
        #expect(bench.server.cancelCount == 0)
        bench.clock.advance(by: .seconds(0.1))
        let late = await response.value
        #expect(late.status == 504 && late.logEntry.reason == "upstreamTimeout", "\(late.logEntry)")
        // No request waits for the source any more.
        #expect(await eventually { bench.server.cancelCount == 1 })
        #expect(await eventually { bench.service.provider.limiter.workCount == 0 })
        guard options != "raw:1" else { return }
        // The server of the source is slow, so the failure is remembered like any other of this server.
        #expect(await bench.picture(options).logEntry.outcome == .negative)
        #expect(bench.server.fetchCount == 1)
    }

    @Test func slowFetchShortensTheDecode() async throws {
        let left = Locked(-1.0)
        let bench = try bench { left.withLock { $0 = WorkBudget.current?.remainingSeconds ?? -1 } }
        bench.server.answer(ServiceBench.url, FakeCoder.file())
        bench.server.close()
        let response = Task { await bench.picture("w:2/f:png") }
        #expect(await eventually { bench.server.fetchCount == 1 })
        #expect(await works(1, of: bench))
        bench.clock.advance(by: .seconds(7))
        bench.server.open()
        #expect(await response.value.status == 200)
        #expect(left.withLock { $0 } == 1, "\(left.withLock { $0 })")
        #expect(bench.clock.waitingCount == 0)
    }

    /// The time belongs to the work, but the fetch is shared: it goes on for a later request.
    @Test func lateSourceServesTheRequestThatStillHasTime() async throws {
        let bench = try bench()
        bench.server.close()
        let first = Task { await bench.picture("w:9/f:png") }
        #expect(await eventually { bench.server.fetchCount == 1 })
        #expect(await works(1, of: bench))
        bench.clock.advance(by: .seconds(4))
        let second = Task { await bench.picture("w:10/f:png") }
        #expect(await works(2, of: bench))
        #expect(await eventually { bench.service.provider.fetcher.subscriberCount == 2 })
        bench.clock.advance(by: .seconds(4))
        #expect(await first.value.status == 504)
        #expect(bench.server.cancelCount == 0)
        bench.clock.advance(by: .seconds(3))
        bench.server.open()
        #expect(await second.value.status == 200)
        #expect(bench.server.fetchCount == 1)
    }

    @Test func fallbackIsSentWhenTheTimeIsUsedUp() async throws {
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("fallback.png")
        try PictureFixtures.png(30, 30) { _, _ in PictureFixtures.blue }.write(to: path)
        let bench = try bench({}, { ($0.fallback, $0.fallbackStatus) = (path.path, 200) })
        bench.server.close()
        let response = Task { await bench.picture("w:9/f:png") }
        #expect(await eventually { bench.server.fetchCount == 1 })
        #expect(await works(1, of: bench))
        bench.clock.advance(by: .seconds(8))
        let fallback = await response.value
        #expect(fallback.status == 200 && fallback.headers["Content-Type"] == "image/png")
        #expect(fallback.logEntry.reason == "upstreamTimeout")
    }

    /// The header of a large SVG is read for seconds. This is no wait: a later request would need the same time.
    @Test func timeForTheHeaderIsNoWait() async throws {
        let clock = Locked<(@Sendable () -> Void)?>(nil)
        let bench = try bench(header: { clock.withLock { $0.take() }?() })
        bench.server.answer(ServiceBench.url, FakeCoder.file())
        let manual = bench.clock
        clock.withLock { $0 = { manual.advance(by: .seconds(8)) } }
        let refused = await bench.picture("w:2/f:png")
        #expect(refused.status == 413 && refused.logEntry.reason == "limit", "\(refused.logEntry)")
        #expect(refused.headers["Retry-After"] == nil)
        #expect(await bench.picture("w:2/f:png").logEntry.outcome == .negative)
    }

    /// A step that cannot be interrupted delays its answer by half a second, and waiting for a thread counts.
    @Test func stepThatDoesNotReturnDelaysNoAnswer() async throws {
        let (gate, running) = (DispatchSemaphore(value: 0), Locked(0))
        let bench = try bench {
            running.withLock { $0 += 1 }
            gate.wait()
        } _: {
            $0.queueWait = 0
        }
        let width = bench.service.pool.width
        // Each source has other bytes, because equal sources would share their decode.
        for index in 0..<width + 1 {
            bench.server.answer("http://example.com/\(index).png", FakeCoder.file(width: UInt8(9 + index)))
        }
        let stuck = (0..<width).map { index in
            Task { await bench.get("/_/w:2/f:png/plain/http://example.com/\(index).png") }
        }
        #expect(await eventually { running.withLock { $0 } == width })
        let waiting = Task { await bench.get("/_/w:2/f:png/plain/http://example.com/\(width).png") }
        #expect(await eventually { bench.service.pool.waitingCount == 1 })
        #expect(await works(width + 1, of: bench))
        bench.clock.advance(by: .seconds(8))
        let refused = await waiting.value
        #expect(refused.status == 503 && refused.logEntry.reason == "queue" && refused.headers["Retry-After"] == "1")
        bench.clock.advance(by: .seconds(0.5))
        for task in stuck {
            let response = await task.value
            #expect(response.status == 413 && response.logEntry.reason == "limit", "\(response.logEntry)")
        }
        // The work still counts until its step has ended.
        #expect(bench.service.provider.limiter.workCount == width)
        for _ in 0..<width { gate.signal() }
        #expect(await eventually { bench.service.provider.limiter.workCount == 0 })
    }

    @Test func partOfABudgetHasItsEndAndItsOwnCancellation() throws {
        let time = Locked(Duration.zero)
        let budget = WorkBudget(time: .seconds(8), maxBytes: 99, now: { time.withLock { $0 } })
        budget.start()
        time.withLock { $0 = .seconds(3) }
        let part = budget.part()
        part.start()
        #expect(part.remainingSeconds == 5 && part.maxBytes == 99)
        part.cancel()
        #expect(part.isCancelled && !budget.isCancelled)
        #expect(budget.renewed().remainingSeconds == 8 && budget.renewed(time: .seconds(1)).remainingSeconds == 1)
        time.withLock { $0 = .seconds(8) }
        let error = #expect(throws: WebImageError.self) { try budget.check() }
        #expect(error?.underlying == .limit(.decodeTime, actual: 8, allowed: 8))
    }

    /// The memory of a budget is a limit of each decode and of the sum of all buffers.
    @Test func memoryOfTheBudgetLimitsDecodeAndBuffers() throws {
        let source = try PictureFixtures.encoded(try TestImages.noise(width: 400, height: 300), .webP)
        let decode = WorkBudget(time: nil, maxBytes: 100_000)
        let error = #expect(throws: WebImageError.self) {
            try decode.run { () throws(WebImageError) in
                try ImageCodersManager.shared.decode(source, options: DecodingOptions())
            }
        }
        guard case .limit(.decodeBytes, _, allowed: 100_000) = error?.underlying else {
            Issue.record("\(String(describing: error))")
            return
        }
        let result = WorkBudget(time: nil, maxBytes: 1_000_000)
        let renderer = ResultRenderer(options: try PictureFixtures.options("rs:force:400:300:1/bl:9/f:png"))
        let refusal = #expect(throws: ServiceRefusal.self) { try renderer.make(from: source, budget: result) }
        #expect(refusal?.status == 413 && refusal?.message.contains("the largest buffer") == true)
    }
}
