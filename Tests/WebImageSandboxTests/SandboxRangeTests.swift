import Foundation
import Testing
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

/// A worker decodes the gain map of a picture, and applies it, as this process does.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxRangeTests {
    private func file() throws -> Data {
        let base = try Image.generated(width: 64, height: 48) { x, y in (128, UInt8(5 * y), UInt8(4 * x), 255) }
        let map = try Image.generated(width: 16, height: 12) { x, y in (UInt8(17 * x), UInt8(20 * y), UInt8(8 * x), 255)
        }
        let coder = ImageJPEGCoder.shared
        return GainMapSample(
            base: try coder.encode(base, format: .jpeg, options: EncodingOptions()),
            map: try coder.encode(map, format: .jpeg, options: EncodingOptions()),
            channels: [[0, 2, 1, 0.015625, 0.015625], [0, 1, 1, 0, 0], [-1, 1, 1.5, 0, 0]], headrooms: (0, 2)
        ).file()
    }

    private func bytes(_ pixels: PixelBuffer?) -> [UInt8] {
        guard let pixels else { return [] }
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + count] }
        }
    }

    @Test(arguments: [nil, PixelSize(width: 30, height: 22)]) func mapComesThroughTheWorker(_ size: PixelSize?) throws {
        let file = try file()
        for range in [DecodingOptions.DynamicRange.keep, .high(headroom: 3), .standard] {
            var options = DecodingOptions()
            (options.dynamicRange, options.thumbnailPixelSize) = (range, size)
            options.pixelFormat = .rgba8
            let (own, here) = (
                try TestSandbox.coders.decode(file, options: options),
                try TestSandbox.here.decode(file, options: options)
            )
            #expect(bytes(own.pixels) == bytes(here.pixels) && own.pixels.format == here.pixels.format, "\(range)")
            #expect(own.colorProfile == here.colorProfile, "\(range)")
            let (map, other) = (own.hdr?.gainMap, here.hdr?.gainMap)
            #expect((map == nil) == (range != .keep) && map?.metadata == other?.metadata, "\(range)")
            #expect(bytes(map?.pixels) == bytes(other?.pixels), "\(range)")
        }
        let info = try TestSandbox.coders.imageInfo(of: file, limits: .default)
        let here = try TestSandbox.here.imageInfo(of: file, limits: .default)
        #expect(info.hdr == here.hdr && info.hdr != nil)
    }
}
