import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageJXL
import WebImageTIFF
import WebImageTestTraits

/// An opened coder reuses one decoder of its library. A call that fails must not change the images that later calls
/// return.
@Suite(.timeLimit(minutes: 5))
struct DecoderStateTests {
    enum File: String, CaseIterable { case jxl, jxlAnimation, avif, tiff }

    private func data(_ file: File) throws -> Data {
        switch file {
        case .jxl:
            var options = EncodingOptions()
            options.lossless = true
            return try ImageJPEGXLCoder.shared.encode(try noise(), format: .jpegXL, options: options)
        case .jxlAnimation: return Samples.animatedJXL
        case .avif: return try ImageAVIFCoder.shared.encode(try frames(), loopCount: 0, format: .avif, options: .init())
        case .tiff: return try ImageTIFFCoder.shared.encode(try frames(), loopCount: 0, format: .tiff, options: .init())
        }
    }

    private func open(_ file: File, _ data: Data) throws -> any AnimatedImageCoder {
        switch file {
        case .jxl, .jxlAnimation: try ImageJPEGXLCoder(animation: data, options: DecodingOptions())
        case .avif: try ImageAVIFCoder(animation: data, options: DecodingOptions())
        case .tiff: try ImageTIFFCoder(animation: data, options: DecodingOptions())
        }
    }

    private func frames() throws -> [ImageFrame] {
        try [0, 60, 120].map { ImageFrame(image: try Samples.picture(shift: $0), duration: 0.25) }
    }

    /// Returns an image whose file exceeds 256 KB, so that libjxl requests more input while it writes pixels.
    private func noise() throws -> Image {
        let pixels = try PixelBuffer(width: 320, height: 320, format: .rgb8)
        var state: UInt64 = 7
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = UInt8(truncatingIfNeeded: state >> 40)
            }
        }
        return Image(pixels: pixels)
    }

    private func bytes(_ image: Image) -> Data { image.pixels.withUnsafeBytes { Data($0) } }

    @Test(arguments: File.allCases)
    func aFrameAfterADeadlineIsTheSamePicture(_ file: File) throws {
        let data = try data(file)
        let reference = try open(file, data)
        let expected = try (0..<reference.animatedImageFrameCount).map { bytes(try reference.frame(at: $0)) }
        var ends = 0
        for checks in 0..<64 {
            let coder = try open(file, data)
            let countdown = DeadlineCountdown(checks: checks)
            // Keep these buffers allocated, so that the next call's pixels get another address. If the decoder still
            // writes to the address of the failed call, the next call returns a wrong image.
            var held: [PixelBuffer] = []
            for index in [0, expected.count - 1, 0] {
                let failure = DecodeDeadline.$countdown.withValue(countdown) { () -> WebImageError? in
                    do throws(WebImageError) {
                        _ = try coder.frame(at: index)
                        return nil
                    } catch { return error }
                }
                if let failure {
                    #expect(failure.code == .limitExceeded)
                    ends += 1
                    for _ in 0..<4 {
                        let size = try reference.frame(at: index).pixelSize
                        for format in [PixelFormat.rgba8, .bgra8Premultiplied, .rgb8] {
                            held.append(try PixelBuffer(width: size.width, height: size.height, format: format))
                        }
                    }
                }
                #expect(bytes(try coder.frame(at: index)) == expected[index], "frame \(index) after \(checks) checks")
            }
            if !countdown.hasEnded { break }
            withExtendedLifetime(held) {}
        }
        #expect(ends > 0)
    }

    /// Several threads call one decoder at the same time, because a cancelled call may still run when the next call
    /// starts.
    @Test(arguments: File.allCases)
    func aFrameBesideCancelledCallsIsTheSamePicture(_ file: File) async throws {
        let data = try data(file)
        let reference = try open(file, data)
        let expected = try (0..<reference.animatedImageFrameCount).map { bytes(try reference.frame(at: $0)) }
        let last = expected.count - 1
        for round in 0..<8 {
            let coder = try open(file, data)
            for index in [0, last, last / 2, 0] {
                let calls = [index, last - index].map { other in
                    Task.detached { try? coder.frame(at: other).pixelSize }
                }
                for _ in 0..<round % 4 { await Task.yield() }
                calls.forEach { $0.cancel() }
                #expect(bytes(try coder.frame(at: index)) == expected[index], "frame \(index) beside a cancelled call")
                for call in calls { _ = await call.value }
                #expect(bytes(try coder.frame(at: index)) == expected[index], "frame \(index) after a cancelled call")
            }
        }
    }

    @Test(arguments: [File.jxlAnimation, .avif, .tiff])
    func aFrameOfADamagedFileFailsOrIsTheSameEachTime(_ file: File) throws {
        let whole = try data(file)
        var failures = 0
        for place in stride(from: 12, to: whole.count, by: max(1, whole.count / 250)) {
            var data = whole
            data[place] ^= 0x55
            guard let coder = try? open(file, data) else { continue }
            for index in (0..<min(coder.animatedImageFrameCount, 4)).reversed() {
                let first = try? bytes(coder.frame(at: index))
                let second = try? bytes(coder.frame(at: index))
                #expect(first == second, "frame \(index), byte \(place)")
                if first == nil { failures += 1 }
            }
        }
        #expect(failures > 0)
    }
}
