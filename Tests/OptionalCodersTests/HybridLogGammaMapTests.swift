import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// A gain map over a base in HLG: the factors apply to the light of a display of 1,000 nits.
@Suite(.timeLimit(minutes: 5))
struct HybridLogGammaMapTests {
    private static let metadata = GainMapMetadata(
        channels: [.init(minimum: -0.25, maximum: 2.25, baseOffset: 0.03, alternateOffset: 0.02)],
        baseHeadroom: log2(1000.0 / 203), alternateHeadroom: 0)
    private let size = PixelSize(width: 48, height: 32)

    /// A signal from 0 to 1 in each channel. Pixels have all hues, because the light of a channel depends on the others.
    private func signal(_ x: Int, _ y: Int) -> [Double] {
        [Double(x) / 47, Double(y) / 31, Double((x + 2 * y) % 32) / 31].map { ($0 * 4095).rounded() / 4095 }
    }

    private func gain(_ x: Int, _ y: Int) -> UInt8 { UInt8((5 * x + 3 * y) % 256) }

    private func file() throws -> Data {
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: .rgba16)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    for (channel, value) in (signal(x, y) + [1]).enumerated() {
                        bytes.storeBytes(
                            of: UInt16((value * 65535).rounded()),
                            toByteOffset: y * pixels.bytesPerRow + 8 * x + 2 * channel, as: UInt16.self)
                    }
                }
            }
        }
        let base = Image(pixels: pixels, colorProfile: ColorProfile(primaries: 9, transfer: 18), hasAlpha: false)
        let map = try Image.generated(width: size.width, height: size.height) { x, y in
            (gain(x, y), gain(x, y), gain(x, y), 255)
        }
        var options = EncodingOptions()
        (options.lossless, options.keepsHDR) = (true, true)
        let coded = try [base, map].map { image in
            try #require(
                HEIFBytes.coded(in: try ImageAVIFCoder.shared.encode(image, format: .avif, options: options), .av1))
        }
        var sample = ToneMapSample(
            .av1, base: coded[0], map: coded[1], sizes: ((48, 32), (48, 32)), metadata: Self.metadata.isoPayload)
        (sample.baseColors, sample.alternateColors) = ((9, 18, 0), (1, 13, 0))
        return sample.file
    }

    /// ITU-R BT.2100: the inverse of the curve, and the system gamma of 1.2 on the luminance of the scene.
    private func light(_ signal: [Double]) -> [Double] {
        let scene = signal.map { $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - 0.55991073) / 0.17883277) + 0.28466892) / 12 }
        let luminance: Double = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
        return scene.map { 1000.0 / 203 * pow(luminance, 0.2) * $0 }
    }

    @Test(arguments: [1.0, 2, 3, 8]) func factorsApplyToTheLightOfADisplay(_ headroom: Double) throws {
        var options = DecodingOptions()
        options.dynamicRange = .high(headroom: headroom)
        let image = try ImageAVIFCoder.shared.decode(try file(), options: options)
        #expect(image.pixels.format == .rgbaHalf && image.hdr == nil)
        let weight = Self.metadata.weight(headroom: headroom)
        let numbers = Self.metadata.channels[0]
        var worst = 0.0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let stops = numbers.minimum + (numbers.maximum - numbers.minimum) * Double(gain(x, y)) / 255
                for (channel, light) in light(signal(x, y)).enumerated() {
                    let applied: Double = (light + numbers.baseOffset) * exp2(stops * weight) - numbers.alternateOffset
                    let wanted: Double = weight == 0 ? light : max(applied, 0)
                    let place = y * image.pixels.bytesPerRow + 8 * x + 2 * channel
                    let bits = image.pixels.withUnsafeBytes { $0.load(fromByteOffset: place, as: UInt16.self) }
                    worst = max(worst, abs(Double(Float16(bitPattern: bits)) - wanted) / max(wanted, 0.1))
                }
            }
        }
        // A half has 11 bits, and the luminance of the primaries comes from a profile with 16 bits.
        #expect(worst <= 0.003, "\(worst)")
    }

    /// The picture of standard dynamic range is the author's, not that of the tone curve.
    @Test func authorsPictureIsShown() throws {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let shown = try ImageAVIFCoder.shared.decode(try file(), options: options)
        var (worst, count) = (0.0, 0)
        for (x, y) in (0..<size.width * size.height).map({ ($0 % size.width, $0 / size.width) }) {
            let stops = -0.25 + 2.5 * Double(gain(x, y)) / 255
            let wide = light(signal(x, y)).map { max(($0 + 0.03) * exp2(-stops) - 0.02, 0) }
            // From BT.2020 to BT.709.
            let rows = [
                [1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349], [-0.018151, -0.100579, 1.118730],
            ]
            let narrow = rows.map { row in zip(row, wide).reduce(0) { $0 + $1.0 * $1.1 } }
            // Colours outside of sRGB are limited in a way that is not of interest here.
            guard (wide + narrow).allSatisfy({ (0...1).contains($0) }) else { continue }
            count += 1
            for (channel, linear) in narrow.enumerated() {
                let value: Double = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
                let place = y * shown.pixels.bytesPerRow + 4 * x + channel
                worst = max(worst, abs(shown.pixels.withUnsafeBytes { Double($0[place]) } - 255 * value))
            }
        }
        #expect(worst <= 2 && count > 150, "\(worst) levels in \(count) pixels")
    }
}
