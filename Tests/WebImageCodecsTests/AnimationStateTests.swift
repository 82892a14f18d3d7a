import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

/// An error never leaves an animation or a stream in a partly changed state.
@Suite(.timeLimit(minutes: 10))
struct AnimationStateTests {
    /// Returns the bytes of the pixels without row padding.
    private func bytes(_ image: Image) -> [UInt8] {
        let (pixels, rowBytes) = (image.pixels, image.pixels.width * image.pixels.format.bytesPerPixel)
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + rowBytes] }
        }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func aFrameAfterADeadlineIsTheSamePicture(_ format: AnimatedFormat) throws {
        var ends = 0
        let samples = format.samples(frameCount: 4)
        // The samples contain every sequence of disposals and blends for four frames. Test about 12 of the samples.
        for animation in stride(from: 0, to: samples.count, by: max(1, samples.count / 12)).map({ samples[$0] }) {
            let file = try format.file(animation)
            let reference = try format.open(file)
            let expected = try animation.frames.indices.map { bytes(try reference.frame(at: $0)) }
            for checks in 0..<40 {
                let coder = try format.open(file)
                let countdown = DeadlineCountdown(checks: checks)
                for index in [0, 2, 3, 1, 3] {
                    let failure = DecodeDeadline.$countdown.withValue(countdown) { () -> WebImageError? in
                        do throws(WebImageError) {
                            _ = try coder.frame(at: index)
                            return nil
                        } catch { return error }
                    }
                    if let failure {
                        #expect(failure.code == .limitExceeded)
                        ends += 1
                    }
                    #expect(bytes(try coder.frame(at: index)) == expected[index], "frame \(index), \(checks) checks")
                }
                if !countdown.hasEnded { break }
            }
        }
        #expect(ends > 0)
    }

    /// Several threads call one decoder at the same time, because a cancelled call may still run when the next call
    /// starts.
    @Test(arguments: AnimatedFormat.allCases)
    func aFrameBesideCancelledCallsIsTheSamePicture(_ format: AnimatedFormat) async throws {
        let samples = format.samples(frameCount: 4)
        for animation in [samples[0], samples[samples.count / 2], samples[samples.count - 1]] {
            let file = try format.file(animation)
            let reference = try format.open(file)
            let expected = try animation.frames.indices.map { bytes(try reference.frame(at: $0)) }
            for round in 0..<12 {
                let coder = try format.open(file)
                for index in [0, 3, 1, 2, 3] {
                    let calls = [index, 3 - index].map { other in
                        Task.detached { try? coder.frame(at: other).pixelSize }
                    }
                    for _ in 0..<round % 4 { await Task.yield() }
                    calls.forEach { $0.cancel() }
                    #expect(
                        bytes(try coder.frame(at: index)) == expected[index], "frame \(index) beside a cancelled call")
                    for call in calls { _ = await call.value }
                    #expect(
                        bytes(try coder.frame(at: index)) == expected[index], "frame \(index) after a cancelled call")
                }
            }
        }
    }

    /// A cancelled load can abandon its stream after any byte. An abandoned stream must not affect the next stream.
    @Test(arguments: StreamingSample.allCases)
    func abandonedStreamFreesItsDecoder(_ sample: StreamingSample) throws {
        let whole = try sample.data
        for end in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
            let stream = sample.makeStream()
            try stream.append(whole.slice(0..<end / 2), finished: false)
            _ = stream.incrementalImage(options: nil)
            try stream.append(whole.slice(end / 2..<end), finished: false)
            if end % 2 == 0 { _ = stream.incrementalImage(options: nil) }
        }
        let stream = sample.makeStream()
        try stream.append(whole, finished: true)
        let image = try #require(stream.incrementalImage(options: nil))
        #expect(image.pixelSize == (try sample.decoded().pixelSize))
    }

    @Test(arguments: AnimatedFormat.allCases)
    func aFrameOfADamagedFileFailsOrIsTheSameEachTime(_ format: AnimatedFormat) throws {
        let animation = format.samples(frameCount: 3)[1]
        let whole = try format.file(animation)
        for place in stride(from: 12, to: whole.count, by: max(1, whole.count / 400)) {
            var data = whole
            data[place] ^= 0x55
            guard let coder = try? format.open(data) else { continue }
            for index in (0..<min(coder.animatedImageFrameCount, 3)).reversed() {
                let first = try? bytes(coder.frame(at: index))
                #expect(first == (try? bytes(coder.frame(at: index))), "frame \(index), byte \(place)")
            }
        }
    }

    /// Damages one byte at a time and decodes the file in pieces, with a partial image after each piece. After the
    /// first error, the stream throws the same error for every later piece.
    @Test(arguments: StreamingSample.allCases)
    func failedStreamStaysFailed(_ sample: StreamingSample) throws {
        let whole = try sample.data
        var failures = 0
        for place in stride(from: 2, to: whole.count, by: max(1, whole.count / 150)) {
            var data = whole
            data[place] ^= 0xFF
            let stream = sample.makeStream()
            var failure: WebImageError?
            for start in stride(from: 0, to: data.count, by: 97) {
                let end = min(start + 97, data.count)
                do throws(WebImageError) {
                    try stream.append(data.slice(start..<end), finished: end == data.count)
                    #expect(failure == nil)
                } catch {
                    if let failure { #expect("\(error)" == "\(failure)") } else { failures += 1 }
                    failure = error
                }
                let revision = stream.incrementalRevision
                let preview = stream.incrementalImage(options: nil)
                #expect(stream.incrementalRevision == revision)
                if failure != nil { #expect(preview?.isIncremental ?? true) }
            }
        }
        #expect(failures > 0)
    }

    /// The last scan of a progressive JPEG is damaged. After the error, the decoder returns no partial image, although
    /// the scans before the damage are complete.
    @Test func noScanIsDrawnAfterAnError() throws {
        let whole = JPEGSample.progressive
        // Insert a second frame header before the last scan. libjpeg rejects a second frame header.
        let last = try #require(whole.lastRange(of: Data([0xFF, 0xDA])))
        let header = try #require(whole.firstRange(of: Data([0xFF, 0xC2])))
        let damaged = whole[..<last.lowerBound] + whole[header.lowerBound...].prefix(19) + whole[last.lowerBound...]
        let stream = ImageJPEGCoder(incremental: DecodingOptions())
        #expect(throws: WebImageError.self) { try stream.append(Data(damaged), finished: false) }
        #expect(stream.incrementalImage(options: nil) == nil)
        #expect(throws: WebImageError.self) { try stream.append(Data(), finished: true) }
    }
}
