import Foundation
import Testing
import WebImageCore
import WebImageGraphics
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct GraphicsColorTests {
    /// Returns the sRGB value of an Adobe RGB colour. It is computed with the formulas of the standards for gamma,
    /// matrices and the sRGB curve.
    private func expected(_ color: [Int]) -> [Int] {
        let linear = color.map { pow(Double($0) / 255, 563 / 256) }
        let xyz = (0..<3).map { row in (0..<3).reduce(0) { $0 + ICCSample.adobeColorants[$1][row] * linear[$1] } }
        let toSRGB = [
            [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540],
            [0.0719453, -0.2289914, 1.4052427],
        ]
        return toSRGB.map { row in
            let value = min(max(zip(row, xyz).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
            let encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
            return Int((encoded * 255).rounded())
        }
    }

    @Test(arguments: [[150, 100, 120], [10, 20, 30], [255, 255, 255], [0, 0, 0], [128, 128, 128], [200, 180, 90]])
    func aKnownProfileIsConverted(color: [Int]) throws {
        let profile = ColorProfile(iccData: ICCSample.adobeLike)
        for format in [PixelFormat.rgb8, .rgba8, .bgra8Premultiplied, .rgba16, .rgbaHalf] {
            let source = try Sample.buffer(5, 3, .rgba8) { _, _, channel in (color + [255])[channel] }
            let converted = try source.converted(to: format).convertedToSRGB(from: profile).converted(to: .rgba8)
            let difference = Sample.largestDifference(Sample.pixel(converted, 4, 2), expected(color) + [255])
            #expect(difference <= 2, "\(format)")
        }
    }

    @Test func colourConversionKeepsAlpha() throws {
        let profile = ColorProfile(iccData: ICCSample.adobeLike)
        let source = try Sample.buffer(256, 1, .rgba8) { x, _, channel in channel == 3 ? x : 150 }
        for format in [PixelFormat.rgba8, .bgra8Premultiplied] {
            let converted = try source.converted(to: format).convertedToSRGB(from: profile)
            #expect((0..<256).allSatisfy { Sample.pixel(converted, $0, 0)[3] == $0 })
        }
    }

    @Test func sRGBAndUnusableProfilesChangeNothing() throws {
        let source = try Sample.gradient(9, 9, .rgb8)
        for data in [ICCSample.sRGB, Data(), Data("nonsense".utf8), ICCSample.adobeLike.prefix(200)] {
            #expect(try source.convertedToSRGB(from: ColorProfile(iccData: data)) === source)
        }
        let gray = try Sample.gradient(9, 9, .gray8)
        #expect(try gray.convertedToSRGB(from: ColorProfile(iccData: ICCSample.adobeLike)) === gray)
    }

    @Test func greyProfilesConvertGreyAndExpandedPixels() throws {
        // A linear value of 128 (0.5) is 188 in sRGB.
        let profile = ColorProfile(iccData: ICCSample.linearGray)
        for format in PixelFormat.allCases {
            let gray = try Sample.buffer(4, 4, .gray8) { _, _, _ in 128 }
            let converted = try gray.converted(to: format).convertedToSRGB(from: profile).converted(to: .rgba8)
            #expect(Sample.largestDifference(Sample.pixel(converted, 2, 2), [188, 188, 188, 255]) <= 1, "\(format)")
        }
    }

    @Test func finishingScalesConvertsRotatesAndSetsTheLayout() throws {
        let stored = try Sample.buffer(40, 20, .rgba8) { x, _, channel in
            channel == 3 ? (x < 20 ? 255 : 0) : [150, 100, 120][channel]
        }
        let picture = DecodedPicture(
            pixels: stored, orientation: .right, profile: ColorProfile(iccData: ICCSample.adobeLike), hasAlpha: true,
            format: .png)
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 10, height: 20)
        options.scaleFactor = 2
        let image = try picture.finished(options: options, fullSize: PixelSize(width: 40, height: 20))
        #expect(image.pixelSize == PixelSize(width: 10, height: 20))
        #expect(image.scale == 2 && image.hasAlpha && image.colorProfile == nil && image.imageFormat == .png)
        let sRGB = expected([150, 100, 120])
        let difference = Sample.largestDifference(Sample.pixel(image.pixels, 5, 3), sRGB.reversed() + [255])
        #expect(difference <= 3)
        #expect(Sample.pixel(image.pixels, 5, 17) == [0, 0, 0, 0])

        options = DecodingOptions()
        options.colorConversion = .asStored
        options.pixelFormat = .rgba8
        let kept = try picture.finished(options: options, fullSize: PixelSize(width: 40, height: 20))
        #expect(kept.colorProfile == picture.profile && kept.pixelSize == PixelSize(width: 20, height: 40))
    }
}

/// ICC profiles with a matrix and curves, built byte by byte (ICC.1:2001-04).
enum ICCSample {
    static let adobeColorants = [
        [0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457],
    ]
    private static let sRGBColorants = [
        [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410],
    ]

    /// A profile with the colorants of Adobe RGB and a gamma of 563/256.
    static let adobeLike = rgb(adobeColorants, curve: gamma(563))
    /// A profile with the colorants and the curve of sRGB.
    static let sRGB = rgb(sRGBColorants, curve: sRGBCurve)
    /// A grey profile whose values are proportional to light.
    static let linearGray = profile("GRAY", [("wtpt", white), ("kTRC", gamma(256))])

    private static let white = xyz([0.9642, 1, 0.8249])

    private static var sRGBCurve: Data {
        var curve = Data("para".utf8)
        curve += number(0, 4)
        curve += number(3, 2)
        curve += number(0, 2)
        let parameters: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        for parameter in parameters { curve += fixed(parameter) }
        return curve
    }

    private static func rgb(_ colorants: [[Double]], curve: Data) -> Data {
        var tags = [("wtpt", white)]
        for (name, colorant) in zip(["rXYZ", "gXYZ", "bXYZ"], colorants) { tags.append((name, xyz(colorant))) }
        for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
        return profile("RGB ", tags)
    }

    private static func profile(_ colorSpace: String, _ tags: [(String, Data)]) -> Data {
        let start = 132 + 12 * tags.count
        var table = Data(number(tags.count, 4))
        var values = Data()
        for (name, value) in tags {
            table += Data(name.utf8)
            table += number(start + values.count, 4)
            table += number(value.count, 4)
            values += value
            values += Data(count: (4 - value.count % 4) % 4)
        }
        var header = Data(number(start + values.count, 4))
        header += Data(count: 4)
        header += number(0x0210_0000, 4)
        header += Data("mntr\(colorSpace)XYZ ".utf8)
        header += Data(count: 12)
        header += Data("acsp".utf8)
        header += Data(count: 28)
        header += white.dropFirst(8)
        header += Data(count: 48)
        return header + table + values
    }

    private static func xyz(_ values: [Double]) -> Data {
        var data = Data("XYZ ".utf8)
        data += number(0, 4)
        for value in values { data += fixed(value) }
        return data
    }

    /// Returns a curve with one exponent. `value` is the exponent × 256.
    private static func gamma(_ value: Int) -> Data {
        var curve = Data("curv".utf8)
        curve += number(0, 4)
        curve += number(1, 4)
        curve += number(value, 2)
        return curve
    }

    private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65536).rounded()), 4) }

    private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
