import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageGraphics
import WebImageTestTraits

/// A picture in PQ or HLG is written to JPEG as the picture that the tone curve shows, with a gain map that leads back.
@Suite(.timeLimit(minutes: 5))
struct MadeGainMapTests {
    private let coder = ImageJPEGCoder.shared

    private func pq(_ nits: Double) -> Double {
        let power = pow(max(nits, 0) / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    private func hlg(_ nits: Double) -> Double {
        // The light of a display of 1,000 nits has the scene's to the power 1.2.
        let scene = pow(nits / 1000, 1 / 1.2)
        return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
    }

    /// Grey light from 0 at the left to `most` nits at the right, a little brighter further down.
    private func nits(_ x: Int, _ y: Int, most: Double) -> Double {
        let (across, down): (Double, Double) = (Double(x) / 255, Double(y) / 160)
        return most * across * across * (0.7 + down)
    }

    private func image(_ transfer: Int, most: Double) throws -> Image {
        let pixels = try PixelBuffer(width: 256, height: 48, format: .rgba16)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<48 {
                for x in 0..<256 {
                    let light = nits(x, y, most: most)
                    let value = UInt16(min(max((transfer == 16 ? pq(light) : hlg(light)) * 65535, 0), 65535).rounded())
                    for channel in 0..<4 {
                        bytes.storeBytes(
                            of: channel < 3 ? value : 65535,
                            toByteOffset: y * pixels.bytesPerRow + 8 * x + 2 * channel, as: UInt16.self)
                    }
                }
            }
        }
        let profile = ColorProfile(primaries: 9, transfer: transfer)
        let image = Image(pixels: pixels, colorProfile: profile, hasAlpha: false)
        image.hdr = profile?.hdr
        return image
    }

    private func file(_ image: Image, keeps: Bool = true) throws -> Data {
        var options = EncodingOptions()
        (options.keepsHDR, options.quality) = (keeps, 0.95)
        return try coder.encode(image, format: .jpeg, options: options)
    }

    private func decode(_ data: Data, _ range: DecodingOptions.DynamicRange) throws -> Image {
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange) = (.rgba8, range)
        return try coder.decode(data, options: options)
    }

    private func half(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> Double {
        pixels.withUnsafeBytes { bytes in
            let bits = bytes.load(fromByteOffset: y * pixels.bytesPerRow + 8 * x, as: UInt16.self)
            let (exponent, fraction) = (Int(bits >> 10), Double(bits & 1023))
            return exponent == 0 ? fraction / 16_777_216 : (1 + fraction / 1024) * exp2(Double(exponent - 15))
        }
    }

    @Test(arguments: [16, 18]) func mapLeadsBackToTheLight(_ transfer: Int) throws {
        let image = try image(transfer, most: 990)
        let file = try file(image)
        let info = try coder.imageInfo(of: file, limits: .default)
        let map = try #require(info.hdr?.gainMap)
        #expect(map.size == PixelSize(width: 128, height: 24) && map.channelCount == 1)
        let headroom = try #require(info.hdr?.headroom)
        let brightest: Double = nits(255, 47, most: 990) / 203
        #expect(abs(headroom - brightest) < 0.1)
        // The base is the picture that every program without gain maps shows: that of the tone curve.
        let shown = try decode(file, .standard)
        let profile = try #require(image.colorProfile)
        let toned = Image(
            pixels: try image.pixels.convertedToSRGB(from: profile, isOpaque: true, narrows: true), hasAlpha: false)
        #expect(try Samples.difference(shown, toned) <= 4)
        let light = try decode(file, .high(headroom: headroom))
        var (sum, worst) = (0.0, 0.0)
        for y in stride(from: 1, to: 47, by: 3) {
            for x in 2..<254 {
                let wanted = nits(x, y, most: 990) / 203
                // A difference that is seen is relative; below 1/50 of white, JPEG's own steps are larger.
                let error = abs(half(light.pixels, x, y) - wanted) / max(wanted, 0.02)
                (sum, worst) = (sum + error, max(worst, error))
            }
        }
        let mean: Double = sum / 4032
        #expect(mean < 0.02 && worst < 0.15, "mean \(mean), worst \(worst)")
    }

    /// Without the option, the values of PQ are written with their profile, and have no map.
    @Test func onlyTheOptionMakesAMap() throws {
        let info = try coder.imageInfo(of: try file(try image(16, most: 990), keeps: false), limits: .default)
        #expect(info.hdr?.gainMap == nil)
    }

    /// A picture that is nowhere brighter than white needs no map.
    @Test func darkPictureHasNoMap() throws {
        let file = try file(try image(16, most: 200))
        #expect(try coder.imageInfo(of: file, limits: .default).hdr == nil)
        #expect(file.range(of: Data("hdrgm".utf8)) == nil && file.range(of: Data("MPF\0".utf8)) == nil)
        let image = try decode(file, .standard)
        #expect(image.colorProfile == nil)
    }

    /// A base with the higher range and the picture of the standard range change places. The values of the map stay.
    @Test(arguments: [true, false]) func baseAndAlternateChangePlaces(_ usesBase: Bool) throws {
        let image = try image(16, most: 800)
        let values = try PixelBuffer(width: 256, height: 48, format: .gray8)
        values.withUnsafeMutableBytes { bytes in
            for y in 0..<48 { for x in 0..<256 { bytes[y * values.bytesPerRow + x] = UInt8(x) } }
        }
        let metadata = GainMapMetadata(
            channels: [.init(minimum: 0, maximum: 2, baseOffset: 0.03, alternateOffset: 0.02)], baseHeadroom: 2,
            alternateHeadroom: 0, usesBaseColorSpace: usesBase)
        image.hdr?.gainMap = GainMap(metadata: metadata, pixels: values)
        let file = try file(image)
        let map = try #require(try coder.imageInfo(of: file, limits: .default).hdr?.gainMap)
        #expect(!map.metadata.isBaseHDR && map.metadata.alternateHeadroom == 2 && map.metadata.usesBaseColorSpace)
        let channel = try #require(map.metadata.channels.first)
        #expect(abs(channel.baseOffset - 0.02) < 1e-4 && abs(channel.alternateOffset - 0.03) < 1e-4)
        let (shown, light) = (try decode(file, .standard), try decode(file, .high(headroom: 4)))
        for x in stride(from: 8, to: 200, by: 16) {
            let wanted = nits(x, 20, most: 800) / 203
            let bright: Double = half(light.pixels, x, 20)
            let allowed: Double = max(0.06 * wanted, 0.012)
            #expect(abs(bright - wanted) <= allowed, "\(x)")
            let gain: Double = 2 * Double(x) / 255
            let linear: Double = max((wanted + 0.03) * exp2(-gain) - 0.02, 0)
            let coded: Double = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
            let value: Double = 255 * coded
            let seen = shown.pixels.withUnsafeBytes { Double($0[20 * shown.pixels.bytesPerRow + 4 * x]) }
            #expect(abs(seen - value) <= 5, "\(x): \(seen) for \(value)")
        }
    }
}
