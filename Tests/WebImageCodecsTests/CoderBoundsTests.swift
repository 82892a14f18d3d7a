import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

/// Checks the limits on the time and memory that decoding a file may use. The memory is estimated before decoding.
@Suite(.timeLimit(minutes: 2))
struct CoderBoundsTests {
    /// Returns files with very many small chunks or blocks. Reading all of them takes longer than the time limit.
    private static func endless() -> [(any ImageCoder, Data)] {
        let png = PNGBytes.signature + PNGBytes.header(4, 4)
        let text = PNGBytes.chunk("teSt")
        let webP = WebPBytes.extended(4, 4, flags: 2)
        let empty = WebPBytes.chunk("JUNK", Data())
        let gif = Data(GIFBytes.screen(4, 4))
        func repeated(_ piece: Data, _ count: Int) -> Data {
            var all = Data(capacity: piece.count * count)
            for _ in 0..<count { all.append(piece) }
            return all
        }
        return [
            (ImagePNGCoder.shared, png + repeated(text, 200_000)),
            (ImageWebPCoder.shared, WebPBytes.riff(webP + repeated(empty, 200_000))),
            (ImageGIFCoder.shared, gif + Data([0x21, 0xFE]) + repeated(Data([1, 0x20]), 400_000)),
            (ImageGIFCoder.shared, gif + Data(count: 1_000_000)),
        ]
    }

    @Test func chunkScanEndsAtTheDeadline() throws {
        for (coder, data) in Self.endless() {
            let error = #expect(throws: WebImageError.self) {
                try coder.imageInfo(of: data, limits: DecodingLimits(maxDecodeTime: .nanoseconds(1)))
            }
            #expect(error?.underlying == .limit(.decodeTime, actual: 0, allowed: 0), "\(type(of: coder))")
        }
    }

    @Test func pictureInAMillionChunksIsRefused() throws {
        var data = PNGBytes.signature + PNGBytes.header(4, 4)
        let empty = PNGBytes.chunk("IDAT")
        for _ in 0...(1 << 20) { data.append(empty) }
        // Use a long time limit. On a busy machine, the default time limit could end the decode before the limit
        // under test is reached.
        let error = #expect(throws: WebImageError.self) {
            try ImagePNGCoder.shared.imageInfo(of: data, limits: DecodingLimits(maxDecodeTime: .seconds(600)))
        }
        #expect(error?.code == .badImageData)
    }

    @Test func frameLimitAppliesDuringTheScan() throws {
        var data = PNGBytes.signature + PNGBytes.header(4, 4) + PNGBytes.animationControl(frames: 2, plays: 0)
        for index in 0..<20 { data.append(PNGBytes.frameControl(index, 4, 4)) }
        // A second `acTL` chunk at the end makes the file a still image. The coder must apply the limit earlier, while
        // it still treats the file as an animation.
        data += PNGBytes.animationControl(frames: 2, plays: 0)
        let error = #expect(throws: WebImageError.self) {
            try ImagePNGCoder.shared.imageInfo(of: data, limits: DecodingLimits(maxFrameCount: 10))
        }
        #expect(error?.underlying == .limit(.frameCount, actual: 11, allowed: 10))
    }

    @Test func thumbnailOfALargeProgressiveJPEGNeedsMemoryForItsCoefficients() throws {
        var encoding = EncodingOptions()
        let image = Image(pixels: try Sample.gradient(800, 600, .rgb8))
        let baseline = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
        encoding.progressive = true
        let progressive = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 80, height: 60)
        func cost(_ data: Data) -> Int { ImageDecoding(coder: ImageJPEGCoder.shared, options: options).cost(of: data) }
        // For each of the three components of a progressive JPEG, libjpeg stores one 16-bit coefficient per pixel.
        #expect(cost(progressive) - cost(baseline) == 800 * 600 * 3 * 2)
        #expect(cost(baseline) >= 80 * 60 * 4 && cost(baseline) < 800 * 600 * 4)

        options.limits.maxDecodeBytes = 1 << 20
        #expect(throws: Never.self) { try ImageJPEGCoder.shared.decode(baseline, options: options) }
        let error = #expect(throws: WebImageError.self) {
            try ImageJPEGCoder.shared.decode(progressive, options: options)
        }
        #expect(error?.underlying == .limit(.decodeBytes, actual: cost(progressive), allowed: 1 << 20))
        let stream = ImageJPEGCoder(incremental: options)
        #expect(throws: WebImageError.self) { try stream.append(progressive, finished: true) }
    }

    @Test func infoReportsLosslessCompression() throws {
        let pixels = try Sample.gradient(16, 12, .rgb8)
        var options = EncodingOptions()
        let lossy = try ImageWebPCoder.shared.encode(Image(pixels: pixels), format: .webP, options: options)
        options.lossless = true
        let lossless = try ImageWebPCoder.shared.encode(Image(pixels: pixels), format: .webP, options: options)
        // `VP8L` is the name of the lossless chunk. A junk chunk that contains this name does not make the file
        // lossless.
        let lying = WebPBytes.riff(
            WebPBytes.extended(16, 12, flags: 0) + WebPBytes.chunk("JUNK", Data("VP8L".utf8)) + lossy.dropFirst(12))
        let stills: [(Data, Bool)] = [(lossy, false), (lossless, true), (lying, false)]
        for (data, isLossless) in stills {
            #expect(try ImageWebPCoder.shared.imageInfo(of: data, limits: .default).isLossless == isLossless)
            let stream = ImageWebPCoder(incremental: DecodingOptions())
            try stream.append(data, finished: true)
            #expect(stream.incrementalInfo?.isLossless == isLossless)
        }
        let mixed = WebPBytes.riff(
            WebPBytes.extended(16, 12, flags: 2) + WebPBytes.animation(loops: 0)
                + WebPBytes.frame(x: 0, y: 0, width: 16, height: 12, delay: 1, bitstream: Data(lossless.dropFirst(12)))
                + WebPBytes.frame(x: 0, y: 0, width: 16, height: 12, delay: 1, bitstream: Data(lossy.dropFirst(12))))
        #expect(try !ImageWebPCoder.shared.imageInfo(of: mixed, limits: .default).isLossless)
        let png = try ImagePNGCoder.shared.encode(Image(pixels: pixels), format: .png, options: options)
        #expect(try ImagePNGCoder.shared.imageInfo(of: png, limits: .default).isLossless)
        #expect(try !ImageJPEGCoder.shared.imageInfo(of: JPEGSample.gradient(8, 8), limits: .default).isLossless)
    }
}
