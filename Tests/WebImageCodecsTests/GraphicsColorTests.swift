import Foundation
import Testing
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
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
    }

    /// The neutral colours of an RGB profile apply to grey pixels.
    @Test func rgbProfilesConvertGrey() throws {
        let gray = try Sample.buffer(4, 4, .gray8) { _, _, _ in 128 }
        let converted = try gray.convertedToSRGB(from: ColorProfile(iccData: ICCSample.linearRGB))
        #expect(Sample.pixel(converted, 2, 2) == [188])
        let same = try gray.convertedToSRGB(from: ColorProfile(iccData: ICCSample.displayP3))
        #expect(abs(Sample.pixel(same, 2, 2)[0] - 128) <= 1)
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
