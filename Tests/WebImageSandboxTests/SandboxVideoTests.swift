import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting
import WebImageVideo

@testable import WebImageCore
@testable import WebImageSandbox

/// Videos in decoder processes, beside the same in this process.
@Suite(.serialized, .timeLimit(minutes: 30), .enabled(if: VideoSample.isThere), .needsRealDecoderProcesses)
struct SandboxVideoTests {
    private static var choices: [DecodingOptions] {
        var thumbnail = DecodingOptions()
        thumbnail.thumbnailPixelSize = PixelSize(width: 64, height: 64)
        thumbnail.firstFrameOnly = true
        var later = DecodingOptions()
        later.pixelFormat = .rgba8
        later.video.time = 1.3
        var deep = DecodingOptions()
        deep.pixelFormat = .rgba16
        deep.firstFrameOnly = true
        return [DecodingOptions(), thumbnail, later, deep]
    }

    /// A function, because a failed comparison of two pictures would be explained byte by byte, which takes minutes.
    private static func areEqual(_ left: Image, _ right: Image) -> Bool { rows(left) == rows(right) }

    /// Pixel by pixel, for each decoder. The worker has decoded H.264 only before it was locked.
    @Test(arguments: VideoSample.ofDecoders) func picturesAreEqualToThoseOfThisProcess(sample: VideoSample) throws {
        let data = try sample.data
        let worker = try SandboxWorker(.video)
        for options in Self.choices {
            let expected = try ImageVideoCoder.shared.decode(data, options: options)
            let image = try worker.decode(data, options: options)
            #expect(Self.areEqual(image, expected))
            #expect(image.imageFormat == .video && image.omitsFrames == expected.omitsFrames)
        }
        #expect(worker.isUsable)
    }

    @Test(arguments: VideoSample.ofDecoders) func previewsAndFactsAreEqual(sample: VideoSample) throws {
        let data = try sample.data
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let coder = try SandboxProfile.video.workerCoder(of: data)
        var options = DecodingOptions()
        options.video.previewFrameCount = 4
        let animation = try SandboxAnimation(data, pool: pool, coder: coder, options: options)
        let here = try ImageVideoCoder(animation: data, options: options)
        #expect(animation.facts.frameCount == 4 && here.animatedImageFrameCount == 4)
        for index in [0, 3, 1, 2] {
            #expect(try Self.areEqual(animation.frame(at: index), here.frame(at: index)), "\(index)")
        }
        let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: .default)
        let bytes = info.sandboxPayload
        #expect(ImageInfo(sandboxPayload: bytes, formats: [.video]) == info && info.mediaDuration != nil)
    }

    /// Damaged videos give the same error or the same picture as here, and do not end the worker.
    @Test(arguments: VideoSample.ofDecoders) func damagedVideosAreErrorsOrPictures(sample: VideoSample) throws {
        let data = try sample.data
        let worker = try SandboxWorker(.video)
        var options = DecodingOptions()
        options.firstFrameOnly = true
        for part in 1..<16 {
            let cut = data.prefix(data.count * part / 16)
            let here = Result { () throws(WebImageError) in try ImageVideoCoder.shared.decode(cut, options: options) }
            do {
                let image = try worker.decode(cut, options: options)
                #expect(try Self.areEqual(image, here.get()))
            } catch let error as WebImageError {
                guard case .failure(let expected) = here else {
                    Issue.record("\(part): \(error)")
                    continue
                }
                #expect(error.code == expected.code && error.underlying == expected.underlying)
            }
        }
        #expect(worker.isUsable)
    }

    /// Changed bytes at random places. `WEBIMAGE_FUZZ_SECONDS` makes the test longer.
    @Test func changedVideosDoNotCrashTheWorker() throws {
        let seconds = ProcessInfo.processInfo.environment["WEBIMAGE_FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        let seed = ProcessInfo.processInfo.environment["WEBIMAGE_FUZZ_SEED"].flatMap(UInt64.init) ?? 57
        var random = SeededRandom(seed: seed)
        let samples = try VideoSample.ofDecoders.map { try $0.data }
        let end = ContinuousClock.now + .seconds(seconds)
        var worker = try SandboxWorker(.video)
        var (rounds, pictures) = (0, 0)
        while ContinuousClock.now < end {
            var data = samples.randomElement(using: &random) ?? Data()
            for _ in 0..<Int.random(in: 1...16, using: &random) {
                // Most faults are in the header, which is at the start or at the end.
                let place = Int.random(in: 0..<(Bool.random(using: &random) ? data.count : 1500), using: &random)
                data[Bool.random(using: &random) ? place : data.count - 1 - place] = .random(
                    in: 0...255, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                data = Data(data.prefix(Int.random(in: 100..<data.count, using: &random)))
            }
            var options = Self.choices[rounds % 4]
            options.limits.maxPixels = 1 << 20
            options.limits.maxDecodeTime = .seconds(20)
            do {
                _ = try worker.decode(data, options: options)
                pictures += 1
            } catch let error as WebImageError {
                // FFmpeg allocates some sizes that a file names without a limit of its own; the worker's memory has one.
                #expect(
                    [.badImageData, .unsupportedFormat, .limitExceeded, .outOfMemory].contains(error.code),
                    "seed \(seed), round \(rounds): \(error)")
            }
            rounds += 1
            if !worker.isUsable { worker = try SandboxWorker(.video) }
        }
        #expect(rounds > 0 && pictures > 0)
        print("\(rounds) changed videos, \(pictures) pictures, seed \(seed)")
    }

    /// What an attacker could try after a video has taken over its decoder.
    @Test func attemptsAreRefusedAfterAVideo() throws {
        try Attempts.expectRefusals(after: try VideoSample.ofDecoders[0].data, .video)
    }

    @Test func requestsCarryTheOptionsOfVideos() {
        var request = SandboxRequest(.decode)
        request.options.video = VideoOptions(time: 12.25, previewFrameCount: 7)
        #expect(SandboxRequest(request.encoded) == request)
        request.options.video = VideoOptions()
        #expect(SandboxRequest(request.encoded) == request && request.options.video.time == nil)
    }
}
