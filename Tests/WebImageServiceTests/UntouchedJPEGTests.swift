import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageGraphics
import WebImageJXL
import WebImageTestTraits

@testable import WebImageService

/// A JPEG source whose processing a target skips: JPEG XL for clients that accept it, with the same bytes inside.
@Suite(.timeLimit(minutes: 1))
struct UntouchedJPEGTests {
    private static let accept: ServiceHeaders = ["Accept": "image/jxl,image/webp"]

    private func photo(side: Int = 300) throws -> Data {
        let pixels = try PixelBuffer(width: side, height: side, format: .rgb8)
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices {
                let (row, column) = (index / pixels.bytesPerRow, index % pixels.bytesPerRow)
                bytes[index] = UInt8(truncatingIfNeeded: row + column / 5 + (row * column) % 5 * 4)
            }
        }
        var options = EncodingOptions()
        options.quality = 0.8
        return try ImageJPEGCoder.shared.encode(
            Image(pixels: pixels, hasAlpha: false), format: .jpeg, options: options)
    }

    private func bench(_ source: Data, coders: [any ImageCoder] = [ImageJPEGXLCoder.shared]) throws -> ServiceBench {
        let builtIn: [any ImageCoder] = [
            ImageJPEGCoder.shared, ImagePNGCoder.shared, ImageGIFCoder.shared, ImageWebPCoder.shared,
        ]
        let bench = try ServiceBench(coders: ImageCodersManager(coders: builtIn + coders))
        bench.server.answer(ServiceBench.url, source)
        return bench
    }

    @Test func jpegXLHoldsEveryByteOfTheSource() async throws {
        let source = try photo()
        let bench = try bench(source)
        let answer = await bench.picture("skp:jpg", Self.accept)
        #expect(answer.headers["Content-Type"] == "image/jxl" && answer.headers["Vary"] == "Accept")
        let body = answer.data
        #expect(Double(body.count) <= 0.82 * Double(source.count))
        #expect(try ImageJPEGXLCoder.shared.originalJPEG(in: body, limits: .default) == source)
        // The second answer comes from the cache.
        #expect(await bench.picture("skp:jpg", Self.accept).logEntry.outcome == .memory)
        for (options, accept) in [("skp:jpg", "image/webp"), ("skp:jpg", "image/jxl;q=0"), ("skp:jpg", "*/*")] {
            let other = await bench.picture(options, ["Accept": accept])
            #expect(other.headers["Content-Type"] != "image/jxl", "\(accept)")
            if accept == "*/*" { #expect(other.data == source) }
        }
        // A processed picture is not encoded in JPEG XL unless the configuration says so.
        #expect(await bench.picture("w:40", Self.accept).headers["Content-Type"] == "image/webp")
        #expect(await bench.picture("skp:png", Self.accept).headers["Content-Type"] == "image/webp")
    }

    /// "Transcodes" to a given part of the size, or fails.
    private final class FakeTranscoder: JPEGTranscodingCoder {
        let part: Double?

        init(part: Double?) { self.part = part }

        func canDecode(from data: Data) -> Bool { false }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            throw .badData("fake", "no image")
        }
        func transcoded(jpeg data: Data, limits: DecodingLimits) throws(WebImageError) -> Data {
            guard let part else { throw .badData("fake", "cannot hold it") }
            return data.prefix(Int(Double(data.count) * part))
        }
        func originalJPEG(in data: Data, limits: DecodingLimits) throws(WebImageError) -> Data? { nil }
    }

    @Test(arguments: [(0.5, true), (0.81, true), (0.83, false), (nil, false)] as [(Double?, Bool)])
    func tooLittleGainAndFailuresLeaveTheJPEG(_ part: Double?, isSent: Bool) async throws {
        let source = try photo(side: 60)
        let bench = try bench(source, coders: [FakeTranscoder(part: part)])
        let answer = await bench.picture("skp:jpg", ["Accept": "image/jxl"])
        #expect(answer.status == 200 && answer.headers["Content-Type"] == (isSent ? "image/jxl" : "image/jpeg"))
        if !isSent { #expect(answer.data == source) }
    }
}
