import CWebImageJPEGSamples
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// Thumbnails of small pictures, whose pixels have more detail than those of large ones, most of all in colours.
@Suite(.timeLimit(minutes: 5))
struct JPEGSharpnessTests {
    /// How a file stores its colours.
    enum Kind: CaseIterable {
        case fewerBoth, fewerColumns, fewerRows, asMany, grey, ink

        func sample(_ size: PixelSize, _ random: inout SeededRandom) -> webimage_jpeg_sample {
            var sample = ThumbnailSample.plain(size.width, size.height)
            sample.quality = 92
            sample.seed = random.next()
            sample.has_own_chroma = 1
            sample.horizontal.0 = [.fewerBoth, .fewerColumns].contains(self) ? 2 : 1
            sample.vertical.0 = [.fewerBoth, .fewerRows].contains(self) ? 2 : 1
            sample.color = Int32(
                self == .grey
                    ? WEBIMAGE_JPEG_SAMPLE_GRAY : self == .ink ? WEBIMAGE_JPEG_SAMPLE_CMYK : WEBIMAGE_JPEG_SAMPLE_YCC)
            return sample
        }
    }

    /// With planes of twice the result's pixels, results had 41 to 52 dB, and lost up to 2.9 points of SSIMULACRA2 against the
    /// complete decode.
    @Test(arguments: Kind.allCases) func smallPicturesLoseNoDetail(kind: Kind) throws {
        var random = SeededRandom.printingSeed()
        let known = [
            (483, 322, 4.13), (480, 360, 4), (560, 420, 4.2), (640, 480, 4.9), (800, 600, 5), (840, 630, 8.4),
            (700, 525, 7), (1000, 750, 10), (1339, 896, 4.07), (1600, 1200, 16),
        ]
        let others = (0..<4).map { _ in
            let width = Int.random(in: 200...1200, using: &random)
            return (
                width, width * Int.random(in: 60...95, using: &random) / 100, Double.random(in: 2...9, using: &random)
            )
        }
        for (width, height, ratio) in known + others {
            let sample = kind.sample(PixelSize(width: width, height: height), &random)
            let file = try #require(ThumbnailSample.file(sample))
            let full = try picture(file)
            let result = try picture(file, side: Int(Double(width) / ratio))
            let ideal = full.scaled(to: result.size)
            // A file with fewer samples of colour in one direction has the least to give at 1/2.
            let least = ratio < 6 ? 52.0 : 47.5
            let noise = ideal.psnr(against: result)
            #expect(noise >= least, "\(width) x \(height) to \(result.size): \(noise) dB")
            #expect(abs(ideal.contrast(of: result) - 1) < 0.04, "\(width) x \(height) to \(result.size)")
        }
    }

    private func picture(_ file: Data, side: Int? = nil) throws -> IdealPicture {
        var options = DecodingOptions()
        options.thumbnailPixelSize = side.map { PixelSize(width: $0, height: $0) }
        return IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
    }
}
