import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits

/// Compares decoded colours with the formulas of the standards, which are computed here with doubles.
@Suite(.timeLimit(minutes: 5))
struct PNGColorTests {
    private let values = [0, 10, 40, 90, 128, 180, 230, 255]

    @Test(arguments: [100_000, 55556, 35000])
    func gammaIsConvertedToSRGB(_ stored: Int) throws {
        let image = try decoded(before: PNGBytes.chunk("gAMA", PNGBytes.bigEndian(stored)))
        for (x, value) in values.enumerated() {
            let light = pow(Double(value) / 255, 100_000 / Double(stored))
            let expected = Int((encoded(light) * 255).rounded())
            let pixel = Sample.pixel(image.pixels, x, 0)
            #expect(abs(pixel[0] - expected) <= 1, "\(value) became \(pixel)")
            #expect(pixel[0] == pixel[1] && pixel[1] == pixel[2])
        }
    }

    @Test func greyGammaIsConvertedToo() throws {
        let rows = [values.map { UInt8($0) }]
        let data = PNGBytes.file(
            header: PNGBytes.header(8, 1, color: 0), before: PNGBytes.chunk("gAMA", PNGBytes.bigEndian(100_000)),
            rows: rows)
        let image = try ImagePNGCoder.shared.decode(data, options: DecodingOptions())
        for (x, value) in values.enumerated() {
            let expected = Int((encoded(Double(value) / 255) * 255).rounded())
            #expect(abs(Sample.pixel(image.pixels, x, 0)[1] - expected) <= 1)
        }
    }

    /// The file declares the primaries of Display P3 and the sRGB curve as code points. PNG photos with a wide gamut
    /// use the same code points.
    @Test func codePointsOfP3AreConverted() throws {
        let pixel: [UInt8] = [200, 100, 50]
        let data = PNGBytes.file(
            header: PNGBytes.header(1, 1, color: 2), before: PNGBytes.chunk("cICP", Data([12, 13, 0, 1])),
            rows: [pixel])
        let image = try ImagePNGCoder.shared.decode(data, options: DecodingOptions())
        // The matrix converts linear P3 (D65) to linear sRGB.
        let matrix = [[1.2249, -0.2247, 0], [-0.0420, 1.0419, 0], [-0.0197, -0.0786, 1.0979]]
        let light = pixel.map { linear(Double($0) / 255) }
        let expected = matrix.map { row in
            Int((encoded(min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)) * 255).rounded())
        }
        let shown = Sample.pixel(image.pixels, 0, 0)
        #expect(Sample.largestDifference([shown[2], shown[1], shown[0]], expected) <= 2, "\(shown) for \(expected)")
    }

    @Test func chromaticitiesOfP3AreConverted() throws {
        let p3 = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000].reduce(Data()) { $0 + PNGBytes.bigEndian($1) }
        let gamma = PNGBytes.chunk("gAMA", PNGBytes.bigEndian(45455))
        let rows: [[UInt8]] = [[200, 100, 50]]
        let wide = PNGBytes.file(
            header: PNGBytes.header(1, 1, color: 2), before: gamma + PNGBytes.chunk("cHRM", p3), rows: rows)
        let shown = Sample.pixel(try ImagePNGCoder.shared.decode(wide, options: DecodingOptions()).pixels, 0, 0)
        // In sRGB, the colour needs a larger red value and a smaller blue value than in P3.
        #expect(shown[2] > 205 && shown[0] < 47, "\(shown)")
    }

    @Test(
        "Files that say sRGB in other words stay as they are",
        arguments: [
            PNGBytes.chunk("cICP", Data([1, 13, 0, 1])),
            PNGBytes.chunk("gAMA", PNGBytes.bigEndian(45455)),
            PNGBytes.chunk("gAMA", PNGBytes.bigEndian(100_000)) + PNGBytes.chunk("sRGB", Data([0])),
            PNGBytes.chunk("gAMA", PNGBytes.bigEndian(100_000)) + PNGBytes.chunk("cICP", Data([1, 13, 0, 1])),
            PNGBytes.chunk("gAMA", PNGBytes.bigEndian(0)), PNGBytes.chunk("cICP", Data([9, 17, 0, 1])),
            PNGBytes.chunk("cICP", Data([2, 2, 0, 1])),
            PNGBytes.chunk("gAMA", Data([1])),
        ])
    func staysAsItIs(_ before: Data) throws {
        let image = try decoded(before: before)
        for (x, value) in values.enumerated() { #expect(Sample.pixel(image.pixels, x, 0)[0] == value) }
    }

    @Test func colourSpaceAsStoredConvertsNothing() throws {
        var options = DecodingOptions()
        options.colorConversion = .asStored
        let image = try decoded(before: PNGBytes.chunk("gAMA", PNGBytes.bigEndian(100_000)), options)
        for (x, value) in values.enumerated() { #expect(Sample.pixel(image.pixels, x, 0)[0] == value) }
        // The image has a profile that describes its values.
        let profile = try #require(image.colorProfile)
        let converted = try image.pixels.convertedToSRGB(from: profile, isOpaque: true)
        #expect(abs(Sample.pixel(converted, 4, 0)[0] - 188) <= 1)
    }

    @Test func transformsAreKeptAndBounded() throws {
        for stored in 0..<20 {
            _ = try decoded(before: PNGBytes.chunk("gAMA", PNGBytes.bigEndian(60000 + stored * 100)))
        }
        #expect((1...8).contains(ColorTransformCache.count))
    }

    private func decoded(before: Data, _ options: DecodingOptions = DecodingOptions()) throws -> Image {
        let row = values.flatMap { [UInt8]([UInt8($0), UInt8($0), UInt8($0)]) }
        let data = PNGBytes.file(header: PNGBytes.header(8, 1, color: 2), before: before, rows: [row])
        return try ImagePNGCoder.shared.decode(data, options: options)
    }

    /// Returns the encoded sRGB value of linear light (IEC 61966-2-1).
    private func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    private func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}
