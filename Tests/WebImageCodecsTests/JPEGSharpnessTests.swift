import CWebImageJPEGSamples
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
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

    // MARK: Ink

    /// The colours of a file of CMYK or YCCK without a profile, in real numbers. The file stores the light of each ink and
    /// the light that black leaves. A colour is the product of both.
    private func colors(ofInk file: Data) throws -> IdealPicture {
        let (width, height, inks) = try #require(ThumbnailSample.complete(file, bytes: 4))
        let bytes = [UInt8](inks)
        let planes = (0..<3).map { channel in
            (0..<width * height).map { Float(bytes[$0 * 4 + channel]) * Float(bytes[$0 * 4 + 3]) / 255 }
        }
        return IdealPicture(width: width, height: height, planes: planes)
    }

    /// The upright picture of a stored one.
    private func upright(_ stored: IdealPicture, _ orientation: ImageOrientation) -> IdealPicture {
        let size = stored.size.oriented(orientation)
        let number = orientation.rawValue
        let mirrors = (columns: [2, 3, 7, 8].contains(number), rows: [3, 4, 6, 7].contains(number))
        let planes = stored.planes.map { plane in
            (0..<size.height).flatMap { y in
                (0..<size.width).map { x in
                    let (column, row) = orientation.swapsSides ? (y, x) : (x, y)
                    let place = (mirrors.rows ? stored.height - 1 - row : row) * stored.width
                    return plane[place + (mirrors.columns ? stored.width - 1 - column : column)]
                }
            }
        }
        return IdealPicture(width: size.width, height: size.height, planes: planes)
    }

    /// The result of every scale of libjpeg-turbo has its content in place, in the right colours, also in a turned picture, for
    /// every way to store ink. The ideal is made of the stored inks without our decoder.
    @Test(
        arguments: [WEBIMAGE_JPEG_SAMPLE_CMYK, WEBIMAGE_JPEG_SAMPLE_YCCK],
        [(1, .never), (2, .never), (1, .always(windowBytes: 4096)), (2, .always(windowBytes: 4096))]
            as [(UInt8, JPEGThumbnailLoop.Use)])
    func inkIsScaledInPlaceAndInItsColors(color: Int, way: (factor: UInt8, use: JPEGThumbnailLoop.Use)) throws {
        let factor = way.factor
        // The product leaves pictures with fewer pixels to libjpeg-turbo: their smallest results have few samples at a border.
        let leastPixels = if case .never = way.use { 0 } else { 307_200 }
        var random = SeededRandom.printingSeed()
        for (width, height) in [(1501, 1003), (803, 601), (479, 333)] where width * height >= leastPixels {
            var sample = ThumbnailSample.plain(width, height)
            sample.color = Int32(color)
            sample.quality = 95
            sample.seed = random.next()
            sample.kind = Int32([0, 0, 1, 2].randomElement(using: &random) ?? 0)
            // Black has the resolution of the colours, or of their brightness.
            (sample.horizontal, sample.vertical) = ((factor, 1, 1, factor), (factor, 1, 1, factor))
            var plain = try #require(ThumbnailSample.file(sample))
            // Without the marker of Adobe, four components are CMYK.
            let mark = try #require(plain.range(of: Data([0xff, 0xee, 0, 14])))
            if color == WEBIMAGE_JPEG_SAMPLE_CMYK, Bool.random(using: &random) {
                plain.removeSubrange(mark.lowerBound..<mark.lowerBound + 16)
            }
            let full = try colors(ofInk: plain)
            let orientation = ImageOrientation(rawValue: .random(in: 1...8, using: &random)) ?? .up
            let file = JPEGSample.inserting(0xe1, JPEGSample.exif(orientation), into: plain)
            for ratio in [1, 4.2, 17, 33, .random(in: 1.3...20, using: &random)] {
                var options = DecodingOptions()
                if ratio > 1 {
                    let side = Int(Double(width) / ratio)
                    options.thumbnailPixelSize = PixelSize(width: side, height: side)
                }
                let image = try JPEGThumbnailLoop.$use.withValue(way.use) {
                    try ImageJPEGCoder.shared.decode(file, options: options)
                }
                let result = IdealPicture(image.pixels, hasAlpha: false)
                let stored = image.pixelSize.oriented(orientation)
                let ideal = upright(full.scaled(to: stored), orientation)
                let name = "\(width) x \(height) \(orientation) kind \(sample.kind) to \(image.pixelSize)"
                #expect(ideal.fault(of: result, leastNoise: 46) == nil, "\(name)")
                for (wanted, found) in zip(ideal.planes, result.planes) {
                    let difference = (found.reduce(0, +) - wanted.reduce(0, +)) / Float(wanted.count)
                    #expect(abs(difference) < 0.7, "\(name): \(difference)")
                }
            }
        }
    }
}
