import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Concurrent jobs of one source share one decode.
@Suite(.timeLimit(minutes: 1))
struct SharedDecodesTests {
    private static let key = SharedDecodes.Key(options: DecodingOptions(), isUpright: true)

    @Test func jobsAtOnceDecodeOnce() async throws {
        let decodes = SharedDecodes()
        let count = Locked(0)
        let image = try TestImages.solid(width: 4, height: 4)
        let jobs = (0..<8).map { _ in decodes.begin("a") }
        let own = await withTaskGroup(of: Bool.self) { group in
            for job in jobs {
                group.addTask {
                    await withValueContinuation { continuation in
                        let thread = Thread {
                            let outcome = try? job.image(Self.key) {
                                count.withLock { $0 += 1 }
                                return image
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
        func use(_ job: SharedDecodes.Job, _ key: SharedDecodes.Key = Self.key) throws {
            _ = try job.image(key) {
                count += 1
                return image
            }
        }
        do {
            let (first, second, other) = (decodes.begin("a"), decodes.begin("a"), decodes.begin("b"))
            try use(first)
            try use(second)
            #expect(count == 1)
            try use(other)
            #expect(count == 2)
            var small = Self.key
            small.options.thumbnailPixelSize = PixelSize(width: 1, height: 1)
            try use(first, small)
            #expect(count == 3)
        }
        #expect(decodes.count == 0)
        try use(decodes.begin("a"))
        #expect(count == 4 && decodes.count == 0)
    }

    @Test func aFailureIsOfThoseWhoWaitedAlone() throws {
        let decodes = SharedDecodes()
        let jobs = (decodes.begin("a"), decodes.begin("a"))
        #expect(throws: WebImageError.self) { try jobs.0.image(Self.key) { throw WebImageError.cancelled } }
        let image = try TestImages.solid(width: 4, height: 4)
        #expect(try jobs.1.image(Self.key) { image }.isOwn)
    }

    /// The two formats made for a client's first request that accepts AVIF, and equal sizes with different effects.
    @Test func formatsAndEffectsOfOneSizeShareADecode() throws {
        let decodes = SharedDecodes()
        let source = try PictureFixtures.quadrants()
        let jobs = (0..<4).map { _ in decodes.begin("a") }
        let made = try ["w:20/f:png", "w:20/f:webp", "w:20/f:jpg/q:30", "w:20/f:png/bl:2"].enumerated().map {
            let options = try PictureFixtures.options($1)
            return try ResultRenderer(options: options).make(from: source, sharing: jobs[$0])
        }
        #expect(made.count { $0.stages[.decode] != nil } == 1)
        let alone = try ResultRenderer(options: try PictureFixtures.options("w:20/f:webp")).make(from: source)
        #expect(made[1].data == alone.data && alone.stages[.decode] != nil)
    }
}
