import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The dynamic range is not a part of the key of a variant.
@Suite(.timeLimit(minutes: 1))
struct DynamicRangeVariantTests {
    private let url = EntryFixture.url("https://host/a.jpg")

    private static let ranges: [DecodingOptions.DynamicRange?] = [nil, .keep, .high(headroom: 2), .high(headroom: 4)]

    /// The transformers have one key. So a picture from the disk has the blue value of the first load.
    @Test(arguments: ranges, ranges) func pictureOfAnotherRangeIsNotTakenFromTheDisk(
        stored: DecodingOptions.DynamicRange?, asked: DecodingOptions.DynamicRange?
    ) async throws {
        let fixture = try EntryFixture()
        try fixture.answer(url, blue: 10)
        try await fixture.load(url, [], context(stored, BlueTransformer(blue: 1)))
        let restarted = try fixture.restarted()
        try restarted.answer(url, blue: 10)
        let isTaken = stored == nil && asked == nil
        #expect(try await restarted.load(url, [], context(asked, BlueTransformer(blue: 2))).blue == (isTaken ? 11 : 12))
    }

    /// A gain map and its picture come through the caches, also after a restart, and whoever asked before.
    @Test(arguments: [nil, DecodingOptions.DynamicRange.keep]) func mapOfAVariantSurvivesARestart(
        _ before: DecodingOptions.DynamicRange?
    ) async throws {
        let coder = ImageJPEGCoder.shared
        func jpeg(_ width: Int, _ height: Int) throws -> Data {
            let image = try Image.generated(width: width, height: height) { x, _ in
                let value = UInt8(255 * x / (width - 1))
                return (value, value, value, 255)
            }
            return try coder.encode(image, format: .jpeg, options: EncodingOptions())
        }
        let file = GainMapSample(
            base: try jpeg(64, 48), map: try jpeg(16, 12), channels: [[0, 2, 1, 0.02, 0.02]], headrooms: (0, 2)
        ).file()
        let flip = ImageFlippingTransformer(horizontal: true, vertical: false)
        var fixture = try EntryFixture()
        fixture.loader.answer(url, with: .success(file))
        _ = try await fixture.load(url, [], context(before, flip))
        for _ in 0..<2 {
            fixture = try fixture.restarted()
            fixture.loader.answer(url, with: .success(file))
            for _ in 0..<2 {
                let image = try await fixture.load(url, [], context(.keep, flip)).result.image
                let map = try #require(image.hdr?.gainMap?.pixels)
                let ends = map.withUnsafeBytes { (Int($0[0]), Int($0[(map.width - 1) * map.format.bytesPerPixel])) }
                #expect(map.width == 16 && ends.0 > 240 && ends.1 < 15)
            }
            let plain = try await fixture.load(url, [], context(nil, flip)).result.image
            #expect(plain.hdr == nil)
        }
    }

    private func context(
        _ range: DecodingOptions.DynamicRange?, _ transformer: any ImageTransformer
    ) -> WebImageContext {
        guard let range else { return [.imageTransformer: transformer] }
        let options: ImageCoderOptions = [.decodeDynamicRange: range]
        return [.imageTransformer: transformer, .imageDecodeOptions: options]
    }
}
