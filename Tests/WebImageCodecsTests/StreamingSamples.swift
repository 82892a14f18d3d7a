import Foundation
import WebImageCodecs
import WebImageCore
import WebImageTestSupport

/// One sample file for each kind of file from which the coders can decode partial images.
enum StreamingSample: String, CaseIterable, Sendable {
    case baseline, progressive, turned, png, pngWithAlpha, interlaced, webP, losslessWebP, gif

    var data: Data {
        get throws {
            switch self {
            case .baseline: try JPEGSample.gradient(97, 61, quality: 0.8)
            case .progressive: JPEGSample.progressive
            case .turned:
                try JPEGSample.inserting(0xe1, JPEGSample.exif(.right), into: JPEGSample.gradient(64, 48))
            case .png: try Self.encoded(try Sample.gradient(90, 70, .rgb8), ImagePNGCoder.shared, .png)
            case .pngWithAlpha: try Self.encoded(try Self.translucent(90, 70), ImagePNGCoder.shared, .png)
            case .interlaced: Self.interlacedFile
            case .webP: try Self.encoded(try Sample.gradient(90, 70, .rgb8), ImageWebPCoder.shared, .webP)
            case .losslessWebP:
                try Self.encoded(try Self.translucent(90, 70), ImageWebPCoder.shared, .webP, lossless: true)
            case .gif:
                GIFBytes.file(
                    GIFBytes.screen(40, 30), GIFBytes.loop(0), GIFBytes.control(delay: 5, transparent: 9),
                    GIFBytes.image(width: 40, height: 30, indices: (0..<1200).map { UInt8($0 % 100) }),
                    GIFBytes.image(width: 40, height: 30, indices: [UInt8](repeating: 3, count: 1200)))
            }
        }
    }

    var coder: any StreamingImageCoder {
        switch self {
        case .baseline, .progressive, .turned: ImageJPEGCoder.shared
        case .png, .pngWithAlpha, .interlaced: ImagePNGCoder.shared
        case .webP, .losslessWebP: ImageWebPCoder.shared
        case .gif: ImageGIFCoder.shared
        }
    }

    func makeStream(_ options: DecodingOptions = DecodingOptions()) -> any StreamingImageCoder {
        type(of: coder).init(incremental: options)
    }

    func decoded(_ options: DecodingOptions = DecodingOptions()) throws -> Image {
        try coder.decode(try data, options: options)
    }

    static func translucent(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try Sample.buffer(width, height, .rgba8) { x, y, channel in
            channel == 3 ? (x * 3 + y) % 256 : (x * (channel + 1) + y * 2) % 256
        }
    }

    private static func encoded(
        _ pixels: PixelBuffer, _ coder: any ImageCoder, _ format: ImageFormat, lossless: Bool = false
    ) throws -> Data {
        var options = EncodingOptions()
        options.lossless = lossless
        options.quality = 0.8
        return try coder.encode(Image(pixels: pixels), format: format, options: options)
    }

    /// An interlaced PNG of 16 × 16 px in translucent grey, with seven passes (PNG third edition, §8.2).
    private static var interlacedFile: Data {
        let passes: [[Int]] = [
            [0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2],
        ]
        var rows: [[UInt8]] = []
        for pass in passes {
            for y in stride(from: pass[1], to: 16, by: pass[3]) {
                var row: [UInt8] = []
                for x in stride(from: pass[0], to: 16, by: pass[2]) {
                    row += [UInt8(x * 15 + y), UInt8(255 - x * 8)]
                }
                rows.append(row)
            }
        }
        return PNGBytes.file(header: PNGBytes.header(16, 16, color: 4, interlaced: true), rows: rows)
    }
}
