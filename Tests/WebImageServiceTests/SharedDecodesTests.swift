import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Concurrent jobs of one source share one decode.
@Suite(.timeLimit(minutes: 1))
struct SharedDecodesTests {
    private static let key = SharedDecodes.Key(
        options: DecodingOptions(), isUpright: true, size: PixelSize(width: 4, height: 4))
    private static let info = ImageInfo(format: .png, storedSize: PixelSize(width: 4, height: 4))

    /// Requests for ever new sizes of one source, of which some always wait, keep no more pictures than the limit.
    @Test func keptPicturesOfOneSourceHaveALimitedSize() throws {
        let decodes = SharedDecodes(keptBytes: 100_000)
        let info = ImageInfo(format: .png, storedSize: PixelSize(width: 400, height: 400))
        var (jobs, most, decoded) = ([decodes.begin("a") { _ in nil }], 0, 0)
        for side in 50..<150 {
            jobs.append(decodes.begin("a") { _ in nil })
            if jobs.count > 3 { jobs.removeFirst() }
            let key = SharedDecodes.Key(
                options: DecodingOptions(), isUpright: true, size: PixelSize(width: side, height: side))
            let (picture, _) = try jobs[jobs.count - 1].image(
                key, version: "1", info: info, budget: WorkBudget(time: nil)
            ) { key in
                decoded += 1
                return (try TestImages.solid(width: key.size.width, height: key.size.height), false)
            }
            #expect(picture.image.pixelSize.width >= side)
            most = max(most, decodes.keptByteCount)
        }
        #expect(decoded == 100 && most <= 100_000 && most > 50_000, "\(decoded) \(most)")
        jobs = []
        #expect(decodes.keptByteCount == 0 && decodes.count == 0)
    }

    /// A thread can hold an ended job for a moment. Its decode must not change the pixels of the next request.
    @Test func endedJobSharesNoDecodeWhileItIsStillReferenced() throws {
        let decodes = SharedDecodes()
        let image = try TestImages.solid(width: 4, height: 4)
        let ended = (0..<2).map { _ in decodes.begin("a") { _ in nil } }
        for job in ended {
            _ = try job.image(Self.key, version: "1", info: Self.info, budget: WorkBudget(time: nil)) { _ in
                (image, false)
            }
        }
        ended.forEach { $0.end() }
        #expect(decodes.count == 0 && decodes.keptByteCount == 0)
        let next = decodes.begin("a") { _ in nil }
        var smaller = Self.key
        smaller.size = PixelSize(width: 2, height: 2)
        let (picture, isOwn) = try next.image(
            smaller, version: "1", info: Self.info, budget: WorkBudget(time: nil)
        ) { key in (try TestImages.solid(width: key.size.width, height: key.size.height), false) }
        #expect(isOwn && picture.image.pixelSize.width == 2)
        withExtendedLifetime(ended) {}
    }

    @Test func concurrentJobsDecodeOnce() async throws {
        let decodes = SharedDecodes()
        let count = Locked(0)
        let image = try TestImages.solid(width: 4, height: 4)
        let jobs = (0..<8).map { _ in decodes.begin("a") { _ in nil } }
        let own = await withTaskGroup(of: Bool.self) { group in
            for job in jobs {
                group.addTask {
                    await withValueContinuation { continuation in
                        let thread = Thread {
                            let outcome = try? job.image(
                                Self.key, version: "1", info: Self.info, budget: WorkBudget(time: nil)
                            ) { _ in
                                count.withLock { $0 += 1 }
                                return (image, false)
                            }
                            continuation.resume(returning: outcome?.isOwn == true)
                        }
                        thread.start()
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(count.withLock { $0 } == 1 && own == 1)
        withExtendedLifetime(jobs) {}
    }

    @Test func otherSourcesSizesAndLaterJobsDecodeThemselves() throws {
        let decodes = SharedDecodes()
        let image = try TestImages.solid(width: 4, height: 4)
        var count = 0
        func use(_ job: SharedDecodes.Job, _ key: SharedDecodes.Key = Self.key, version: String = "1") throws {
            _ = try job.image(key, version: version, info: Self.info, budget: WorkBudget(time: nil)) { _ in
                count += 1
                return (image, false)
            }
        }
        do {
            let (first, second, other) = (
                decodes.begin("a") { _ in nil }, decodes.begin("a") { _ in nil }, decodes.begin("b") { _ in nil }
            )
            try use(first)
            try use(second)
            #expect(count == 1)
            try use(other)
            #expect(count == 2)
            var stored = Self.key
            stored.isUpright = false
            try use(first, stored)
            #expect(count == 3)
            try use(second, version: "2")
            #expect(count == 4)
        }
        #expect(decodes.count == 0)
        try use(decodes.begin("a", wanted: { _ in nil }))
        #expect(count == 5 && decodes.count == 0)
    }

    @Test func lastJobUsesTheDecodeOfFinishedJobs() throws {
        let decodes = SharedDecodes()
        let image = try TestImages.solid(width: 4, height: 4)
        let last = decodes.begin("a") { _ in nil }
        do {
            let first = decodes.begin("a") { _ in nil }
            #expect(
                try first.image(Self.key, version: "1", info: Self.info, budget: WorkBudget(time: nil)) { _ in
                    (image, false)
                }
                .isOwn)
        }
        #expect(
            try !last.image(Self.key, version: "1", info: Self.info, budget: WorkBudget(time: nil)) { _ in
                (image, false)
            }.isOwn
        )
    }

    @Test func sharedDecodeFailureReachesOnlyItsWaitingJobs() throws {
        let decodes = SharedDecodes()
        let jobs = (decodes.begin("a") { _ in nil }, decodes.begin("a") { _ in nil })
        #expect(throws: WebImageError.self) {
            try jobs.0.image(Self.key, version: "1", info: Self.info, budget: WorkBudget(time: nil)) { _ in
                throw WebImageError.cancelled
            }
        }
        let image = try TestImages.solid(width: 4, height: 4)
        #expect(
            try jobs.1.image(Self.key, version: "1", info: Self.info, budget: WorkBudget(time: nil)) { _ in
                (image, false)
            }
            .isOwn)
    }

    /// Results of equal size share one decode, even if their formats or effects differ. For a client that accepts AVIF,
    /// the service creates results in two formats.
    @Test func formatsAndEffectsOfOneSizeShareADecode() throws {
        let decodes = SharedDecodes()
        let source = try PictureFixtures.quadrants()
        let jobs = (0..<4).map { _ in
            ResultRenderer.Sharing(job: decodes.begin("a") { _ in nil }, version: "1")
        }
        let made = try ["w:20/f:png", "w:20/f:webp", "w:20/f:jpg/q:30", "w:20/f:png/bl:2"].enumerated().map {
            let options = try PictureFixtures.options($1)
            return try ResultRenderer(options: options).make(from: source, sharing: jobs[$0])
        }
        #expect(made.count { $0.stages[.decode] != nil } == 1)
        let alone = try ResultRenderer(options: try PictureFixtures.options("w:20/f:webp")).make(from: source)
        #expect(made[1].data == alone.data && alone.stages[.decode] != nil)
    }

    /// The first job decodes at the largest size that any job requests. Each result is nearly equal to the result of a
    /// separate decode.
    @Test(arguments: [1, 3, 6], [true, false])
    func sizesOfOneSourceShareADecode(orientation: UInt8, isUpright: Bool) throws {
        let waves = try PictureFixtures.encoded(
            try Image.generated(width: 640, height: 480) { x, y in
                (UInt8(x * 255 / 640), UInt8(y * 255 / 480), UInt8((x + y) * 255 / 1120), 255)
            }, .jpeg)
        let source = try #require(EXIFOrientation.marking(waves, orientation))
        let renderers = try ["w:40", "w:160", "rs:fill:64:64", "h:200", "w:100/rot:90", "c:0.5:0.5/w:30"].map {
            ResultRenderer(options: try PictureFixtures.options("\($0)/f:png/ar:\(isUpright ? 1 : 0)"))
        }
        let decodes = SharedDecodes()
        let jobs = renderers.map { renderer in
            ResultRenderer.Sharing(job: decodes.begin("a") { renderer.decodeKey(for: $0) }, version: "1")
        }
        let made = try zip(renderers, jobs).map { try $0.make(from: source, sharing: $1) }
        #expect(made.count { $0.stages[.decode] != nil } == 1)
        for (renderer, shared) in zip(renderers, made) {
            let alone = try PictureFixtures.look(at: renderer.make(from: source))
            let look = try PictureFixtures.look(at: shared)
            #expect(look.size == alone.size)
            let size = alone.image.pixelSize
            for (x, y) in [(0, 0), (size.width - 1, 0), (size.width / 2, size.height / 2), (0, size.height - 1)] {
                #expect(zip(look.pixel(x, y), alone.pixel(x, y)).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
            }
        }
    }

    @Test(arguments: [
        (PixelSize(width: 320, height: 237), true), (PixelSize(width: 640, height: 475), true),
        (PixelSize(width: 641, height: 475), false), (PixelSize(width: 640, height: 476), false),
        (PixelSize(width: 1, height: 475), true),
    ])
    func decodeServesSmallerSizes(size: PixelSize, isCovered: Bool) {
        var (large, small) = (Self.key, Self.key)
        (large.size, small.size) = (PixelSize(width: 640, height: 475), size)
        #expect(large.covers(small) == isCovered)
        small.options.firstFrameOnly.toggle()
        #expect(!large.covers(small))
    }

    /// A job that needs a small size must not decode more than 16 million pixels for the other jobs.
    @Test func thumbnailIsNotDecodedAtTheLargestSharedSize() throws {
        let decodes = SharedDecodes()
        var huge = Self.key
        huge.size = PixelSize(width: 8192, height: 8192)
        let wanted = huge
        let (thumbnail, whole) = (decodes.begin("a") { _ in nil }, decodes.begin("a") { _ in wanted })
        let image = try TestImages.solid(width: 4, height: 4)
        var sizes: [Int] = []
        for (job, key) in [(thumbnail, Self.key), (whole, huge)] {
            _ = try job.image(key, version: "1", info: Self.info, budget: WorkBudget(time: nil)) { key in
                sizes.append(key.size.width)
                return (image, false)
            }
        }
        #expect(sizes == [4, 8192])
    }
}
