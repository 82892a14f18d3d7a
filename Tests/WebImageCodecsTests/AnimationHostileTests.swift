import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 2))
struct AnimationHostileTests {
    private func limit(_ body: () throws -> Void) -> DecodingLimits.Limit? {
        do { try body() } catch let error as WebImageError {
            if case .limit(let limit, _, _) = error.underlying { return limit }
        } catch {}
        return nil
    }

    @Test(arguments: AnimatedFormat.allCases)
    func truncatedAnimationReturnsItsWholeFrames(format: AnimatedFormat) throws {
        let sample = format.samples(frameCount: 3)[0]
        let file = try format.file(sample)
        let whole = try format.open(file)
        let frames = try (0..<3).map { Sample.values(try whole.frame(at: $0).pixels) }
        var seen: Set<Int> = []
        for length in 0..<file.count {
            guard let cut = try? format.open(file.prefix(length)) else { continue }
            var count = cut.animatedImageFrameCount
            #expect((1...3).contains(count))
            // If a PNG ends inside its first image, the coder opens the file as a still image. Decoding this still
            // image fails.
            if count == 1, (try? cut.frame(at: 0)) == nil { count = 0 }
            for index in 0..<count { #expect(Sample.values(try cut.frame(at: index).pixels) == frames[index]) }
            seen.insert(count)
        }
        #expect(seen.isSuperset(of: [1, 2]))
    }

    @Test(arguments: AnimatedFormat.allCases)
    func damageAnywhereNeverTraps(format: AnimatedFormat) throws {
        let file = try format.file(format.samples(frameCount: 3)[5])
        for index in file.indices where !(30..<390).contains(index) || format != .gif {
            for value in [UInt8(0), 0x2C, 0x7F, 0xFF] {
                var damaged = file
                damaged[index] = value
                let opened = try? format.open(damaged) {
                    $0.limits = DecodingLimits(maxPixels: 100_000, maxDecodeTime: .seconds(1))
                }
                for frame in [2, 0, 1] { _ = try? opened?.frame(at: frame) }
            }
        }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func limitsApplyBeforeAllocation(format: AnimatedFormat) throws {
        let file = try format.file(format.samples(frameCount: 3)[0])
        #expect(limit { _ = try format.open(file) { $0.limits.maxAnimationPixels = 71 } } == .animationPixels)
        #expect(limit { _ = try format.open(file) { $0.limits.maxFrameCount = 2 } } == .frameCount)
        #expect(limit { _ = try format.open(file) { $0.limits.maxPixels = 23 } } == .pixels)
        #expect(limit { _ = try format.open(file) { $0.limits.maxEncodedBytes = 9 } } == .encodedBytes)
        let slow = try format.open(file) { $0.limits.maxDecodeTime = .zero }
        #expect(limit { _ = try slow.frame(at: 1) } == .decodeTime)
    }

    @Test func twoThousandFramesPlayOnASmallScreenAndAreRefusedOnALargeOne() throws {
        let one = GIFBytes.control(delay: 1, transparent: 0) + GIFBytes.image(width: 1, height: 1, indices: [9])
        let frames = (0..<2000).flatMap { _ in one }
        let large = GIFBytes.file(GIFBytes.screen(1000, 1000), frames)
        #expect(limit { _ = try AnimatedFormat.gif.open(large) } == .animationPixels)
        let small = try AnimatedFormat.gif.open(GIFBytes.file(GIFBytes.screen(100, 100), frames))
        #expect(small.animatedImageFrameCount == 2000)
        #expect(Sample.pixel(try small.frame(at: 1999).pixels, 0, 0) == [18, 18, 18, 255])
        _ = try small.frame(at: 1998)
        let before = (small as? ImageGIFCoder)?.decodedFrameCount ?? 0
        _ = try small.frame(at: 500)
        #expect(((small as? ImageGIFCoder)?.decodedFrameCount ?? .max) - before <= 9)
    }

    @Test func everyHandleIsReleased() async throws {
        for format in AnimatedFormat.allCases {
            let file = try format.file(format.samples(frameCount: 3)[0])
            for length in stride(from: 0, through: file.count, by: 7) {
                let opened = try? format.open(file.prefix(length), .bgra8Premultiplied)
                for index in 0..<3 { _ = opened?.animatedImageFrame(at: index) }
            }
        }
        let kinds: Set<String> = [
            "gif_indices", "gif_writer", "png_reader", "png_writer", "webp_decoder", "webp_mux", "webp_picture",
            "pixman_image",
        ]
        // Wait until no handle is open, because other tests decode at the same time. With a leak, the number of
        // handles never becomes 0.
        try await LiveHandles.expectNone(within: .seconds(60)) { kinds.contains($0) }
    }
}
