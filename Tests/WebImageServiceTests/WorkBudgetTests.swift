import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// A picture that waited for a decoder process was not too expensive.
@Suite struct WorkProgressTests {
    @Test(arguments: [(waited: 7, status: 503), (6, 503), (3, 413), (0, 413)])
    func waitForADecoderProcessIsNoDecode(waited: Int, status: Int) {
        let clock = VirtualClock()
        let budget = WorkBudget(time: .seconds(8), maxBytes: 100, now: { clock.now })
        budget.start()
        let progress = WorkProgress(budget, clock)
        progress.enter(.fetch)
        progress.enter(.decode)
        clock.advance(by: .seconds(8))
        if waited > 0 {
            var times = DecoderWorkerTimes()
            times.waiting = .seconds(waited)
            budget.add(times)
        }
        #expect(progress.refusal.status == status)
        #expect(progress.refusal.isRemembered == (status == 413))
        #expect((progress.refusal.retryAfter == nil) == (status == 413))
    }
}

/// The budget of a result: its time, its cancellation, and the plan of its buffers.
@Suite(.timeLimit(minutes: 3))
struct WorkBudgetTests {
    private typealias Fix = PictureFixtures

    // MARK: Time and cancellation

    static let targets = [
        "rs:force:200:600:1/sh:5/f:png", "rs:force:200:600:1/bl:2.4/f:jpg", "rs:force:200:600:1/bl:40/f:webp",
        "rs:force:200:600:1/pix:9/f:gif", "rs:force:200:600:1/rot:90/ex:1/pd:9/f:png", "rs:fill:300:500:1/g:sm/f:bmp",
        "t:10/rs:force:100:900:1/f:png",
    ]

    /// Each check of a result ends it with `.cancelled`: no step swallows the cancellation or returns a picture.
    @Test(arguments: targets)
    func everyCheckEndsTheWork(_ text: String) throws {
        let source = try Fix.quadrants(120, 90)
        let renderer = ResultRenderer(options: try Fix.options(text))
        var checks = 0
        while true {
            let countdown = DeadlineCountdown(checks: checks)
            let budget = WorkBudget(time: nil, countdown: countdown)
            let outcome = Result {
                try budget.run { () throws(WebImageError) -> Result<EncodedResult, any Error> in
                    Result { try renderer.make(from: source, budget: budget) }
                }.get()
            }
            guard countdown.hasEnded else {
                #expect(throws: Never.self) { try outcome.get() }
                break
            }
            let error = #expect(throws: WebImageError.self) { try outcome.get() }
            #expect(error?.isCancellation == true, "after \(checks) checks: \(String(describing: error))")
            checks += max(checks / 6, 1)
        }
        // A check for each of the twelve steps, and checks inside decoder, resize and encoder.
        #expect(checks > 12)
    }

    @Test func cancelledJobEndsAtItsNextCheck() async throws {
        let pool = DecodePool(width: 2, byteBudget: 1 << 30)
        let began = DispatchSemaphore(value: 0)
        let rows = Locked(0)
        let job = Task {
            try await pool.run { () throws(WebImageError) -> Void in
                began.signal()
                while true {
                    rows.withLock { $0 += 1 }
                    try WorkBudget.current?.check()
                }
            }
        }
        await withValueContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume(returning: ())
            }
        }
        job.cancel()
        let error = await #expect(throws: WebImageError.self) { try await job.value }
        #expect(error?.isCancellation == true)
        #expect(pool.runningCount <= 1)
    }

    /// The steps of a large result stop soon after the last client has left.
    @Test(arguments: ["sh:5", "bl:2.4", "bl:100", "pix:9"])
    func abandonedWorkStopsSoon(_ effect: String) async throws {
        let source = try Fix.quadrants(40, 30)
        let renderer = ResultRenderer(options: try Fix.options("rs:force:4000:3000:1/\(effect)/f:png"))
        let pool = DecodePool(width: 2, byteBudget: 1 << 30)
        let budget = WorkBudget(time: nil)
        let ended = Locked<(atCancel: Double, atEnd: Double)>((0, 0))
        let isCancelled = DispatchSemaphore(value: 0)
        // Cancel when the work has used this processor time.
        let delay = 0.1
        let job = Task {
            try await pool.run(budget: budget) { () throws(WebImageError) -> Void in
                let thread = ProcessorTime.Thread.current
                let start = thread.seconds
                DispatchQueue.global().async {
                    while thread.seconds < start + delay, ended.withLock({ $0.atEnd == 0 }) { usleep(1000) }
                    // The time is read after the cancellation: on a busy machine, this thread can be stopped between both.
                    budget.cancel()
                    ended.withLock { $0.atCancel = thread.seconds }
                    isCancelled.signal()
                }
                _ = Result { try renderer.make(from: source, budget: budget) }
                ended.withLock { $0.atEnd = thread.seconds }
                isCancelled.wait()
            }
        }
        _ = try? await job.value
        let (atCancel, atEnd) = ended.withLock { $0 }
        #expect(atCancel > 0 && atEnd - atCancel < Sanitizer.seconds(0.15), "\(atEnd - atCancel) s")
    }

    @Test func timeOfAllStepsIsOneBudget() throws {
        let budget = WorkBudget(time: .zero)
        let renderer = ResultRenderer(options: try Fix.options("w:20"))
        let source = try Fix.quadrants()
        let error = #expect(throws: WebImageError.self) {
            try budget.run { () throws(WebImageError) -> Result<EncodedResult, any Error> in
                Result { try renderer.make(from: source, budget: budget) }
            }.get()
        }
        #expect(error?.underlying == .limit(.decodeTime, actual: 0, allowed: 0))
    }

    @Test func stepThatTakesTooLongDoesNotBegin() throws {
        let budget = WorkBudget(time: .seconds(8))
        #expect(throws: Never.self) { try budget.admit("encoding", seconds: 7) }
        for seconds in [9, .infinity, .nan] {
            let error = #expect(throws: WebImageError.self) { try budget.admit("encoding", seconds: seconds) }
            #expect(error?.code == .limitExceeded)
        }
        // 40 megapixels of AVIF take longer than 8 seconds.
        let image = Image(pixels: try PixelBuffer(width: 8000, height: 5000, format: .rgb8), hasAlpha: false)
        let error = #expect(throws: WebImageError.self) {
            try budget.run { () throws(WebImageError) in
                try ImageAVIFCoder.shared.encode(image, format: .avif, options: EncodingOptions())
            }
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func waitingJobDecodesIfTheDecodingJobIsCancelled() async throws {
        let decodes = SharedDecodes()
        let info = ImageInfo(format: .png, storedSize: PixelSize(width: 4, height: 4))
        let key = SharedDecodes.Key(options: DecodingOptions(), isUpright: true, size: PixelSize(width: 4, height: 4))
        let image = try TestImages.solid(width: 4, height: 4)
        let (first, second) = (decodes.begin("a") { _ in nil }, decodes.begin("a") { _ in nil })
        let (decoding, waiting) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let abandoned: Bool = withValueContinuation { continuation in
            Thread {
                let outcome = Result {
                    try first.image(key, version: "1", info: info, budget: WorkBudget(time: nil)) { _ in
                        decoding.signal()
                        waiting.wait()
                        throw WebImageError.cancelled
                    }
                }
                continuation.resume(returning: (try? outcome.get()) == nil)
            }.start()
        }
        async let isOwn: Bool? = withValueContinuation { continuation in
            Thread {
                decoding.wait()
                // The other job ends while this job waits, or before. Both must lead to a decode by this job.
                waiting.signal()
                let outcome = try? second.image(key, version: "1", info: info, budget: WorkBudget(time: nil)) { _ in
                    (image, false)
                }
                continuation.resume(returning: outcome?.isOwn)
            }.start()
        }
        #expect(await abandoned)
        #expect(await isOwn == true)
    }

    // MARK: Buffers

    private func plan(_ text: String, _ source: PixelSize, mark: PixelSize? = nil) throws -> ResultBuffers {
        let options = try Fix.options(text)
        let plan = ResultGeometry(source: source, options: options, maxSide: 16_384)
        let decoded = plan.decodeSize(isVector: false)
        return ResultBuffers(
            plan, options, decodedByteCount: decoded.byteCount(4), decoded: decoded, mark: mark, format: .png)
    }

    private static let megapixel = 4 << 20

    @Test func planHasTheGreatestSumOfBuffers() throws {
        let source = PixelSize(width: 1024, height: 1024)
        // The encoder needs the decoded picture, the result twice and 6 bytes for each pixel.
        #expect(try plan("w:1024/h:1024", source).byteCount == 3 * Self.megapixel + 6 << 20)
        #expect(try plan("w:1024/h:1024/sh:3", source).byteCount == 5 * Self.megapixel)
        // The stored mark has 16 megapixels; only the part that is visible is scaled.
        let mark = PixelSize(width: 4096, height: 4096)
        let marked = try plan("w:1024/h:1024/wm:1:ce:0:0:0", source, mark: mark)
        #expect(marked.byteCount == 20 * Self.megapixel && marked.largest.largest.contains("watermark"))
    }

    @Test func largeWatermarkIsRefused() throws {
        var settings = OutputSettings()
        settings.maxWorkBytes = 4 << 20
        func make(_ side: Int) throws {
            let mark = WatermarkSource(data: try Fix.quadrants(side, side), opacity: 1)
            _ = try Fix.make(
                "rs:force:400:300:1/wm:1:ce:0:0:10", from: Fix.quadrants(), settings: settings, watermark: mark)
        }
        #expect(throws: Never.self) { try make(20) }
        let refusal = #expect(throws: ServiceRefusal.self) { try make(1_000) }
        #expect(refusal?.status == 413 && refusal?.message.contains("watermark") == true)
    }

    @Test func rotatedResultObeysTheLimits() throws {
        var options = try Fix.options("rs:force:400:400:1/f:png")
        options.angle = 45
        var settings = OutputSettings()
        settings.maxResultSide = 500
        var renderer = ResultRenderer(options: options)
        renderer.settings = settings
        let result = try Fix.look(at: renderer.make(from: Fix.quadrants()))
        #expect(max(result.image.pixelSize.width, result.image.pixelSize.height) <= 500)
        settings.maxResultSide = 10_000
        settings.maxResultPixels = 200_000
        renderer.settings = settings
        let refusal = #expect(throws: ServiceRefusal.self) { try renderer.make(from: Fix.quadrants()) }
        // The message has the size that is over the limit, not the size before the rotation.
        #expect(refusal?.message.contains("566x566") == true || refusal?.message.contains("566×566") == true)
        #expect(ResultGeometry(source: PixelSize(width: 7, height: 5), options: options).rotated.width >= 400)
    }

    /// A whole picture at the scale of the result would have 1×2,900,000 px, whose weights of a scaling filter need gigabytes.
    /// Of a bitmap, only the part that the result shows is scaled.
    @Test func longSideBeforeTheCutCostsNothing() throws {
        let source = try PictureFixtures.encoded(
            try Image.generated(width: 1, height: 1) { _, _ in PictureFixtures.blue }, .png, hasAlpha: false)
        for swapped in [false, true] {
            let sides =
                swapped
                ? "width:37/min-width:290/mh:9/zoom:10000:0.0001" : "height:37/min-height:290/mw:9/zoom:0.0001:10000"
            let options = try Fix.options("rs:fill-down:35:248/exar:1/\(sides)/f:png")
            let made = try ResultRenderer(options: options).make(from: source)
            let look = try Fix.look(at: made)
            #expect((made.size?.pixelCount ?? .max) < 100_000 && look.shows(PictureFixtures.blue, 0, 0))
        }
    }

    @Test(arguments: [("wide", 2000, 3), ("high", 3, 2000)]) func stripsFillABox(
        row: (name: String, width: Int, height: Int)
    ) throws {
        let source = try PictureFixtures.png(row.width, row.height) { x, y in
            x + y < 1000 ? PictureFixtures.red : PictureFixtures.blue
        }
        let look = try Fix.look(at: try Fix.make("rs:fill:100:100:1/g:nowe/f:png", from: source))
        #expect(look.size == "100x100" && look.shows(PictureFixtures.red, 50, 50), "\(row.name)")
    }

    @Test func animationWithLargeFramesBecomesAStill() throws {
        let source = try Fix.animation(side: 32)
        var options = try Fix.options("f:gif")
        #expect(try ResultRenderer(options: options).make(from: source).frameCount == 2)
        options.limits.maxFramePixels = 32 * 32 - 1
        #expect(try ResultRenderer(options: options).make(from: source).frameCount == 1)
    }

    // MARK: Formats of sources

    @Test func otherFormatsOfSourcesAreRefused() async throws {
        var configuration = ServiceConfiguration()
        configuration.sourceFormats = ["jpg", "png"]
        let settings = try ServiceSettings(configuration).output
        #expect(throws: Never.self) { try Fix.make("w:9", from: Fix.quadrants(), settings: settings) }
        let svg = Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#.utf8)
        for source in [svg, try Fix.animation()] {
            let refusal = #expect(throws: ServiceRefusal.self) { try Fix.make("w:9", from: source, settings: settings) }
            #expect(refusal?.status == 415)
            #expect(throws: ServiceRefusal.self) { try SourceInfo(settings: settings).make(from: source) }
        }
        // `raw` sends the source itself, so the rule holds for it too, also for files that are no picture.
        let bench = try ServiceBench { $0.sourceFormats = ["jpg", "png"] }
        #expect(await bench.picture("raw:1").status == 200)
        for (number, source) in [svg, try Fix.animation(), Data("text".utf8), Data()].enumerated() {
            bench.server.answer("http://example.com/\(number)", source)
            let response = await bench.get("/_/raw:1/plain/http://example.com/\(number)")
            #expect(response.status == 415 && response.logEntry.reason == "notPicture", "\(number)")
        }
        let open = try ServiceBench()
        open.server.answer("http://example.com/text", Data("text".utf8))
        #expect(await open.get("/_/raw:1/plain/http://example.com/text").status == 200)
        configuration.sourceFormats = ["tree"]
        #expect(throws: ConfigurationError.self) { try ServiceSettings(configuration) }
    }
}
