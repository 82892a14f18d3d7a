import Foundation
import Testing
import WebImageCore
import WebImageGraphics
import WebImageTesting

/// A map with fewer values than the base has pixels: values are at the centres of their areas and are interpolated between them.
@Suite struct GainMapSamplingTests {
    private static let base = PixelSize(width: 48, height: 40)

    @Test(arguments: [(48, 40), (24, 20), (12, 10), (13, 7), (1, 1), (5, 80)])
    func valuesAreAtTheCentresOfTheirAreas(_ width: Int, _ height: Int) throws {
        let values = try PixelBuffer(width: width, height: height, format: .gray8)
        var random = SeededRandom(seed: 59)
        var stored = [[Double]](repeating: Array(repeating: 0, count: width), count: height)
        values.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let value = UInt8.random(in: 0...255, using: &random)
                    bytes[y * values.bytesPerRow + x] = value
                    stored[y][x] = Double(value)
                }
            }
        }
        let map = GainMap(
            metadata: GainMapMetadata(
                channels: [.init(minimum: 0, maximum: 2, baseOffset: 0, alternateOffset: 0)], alternateHeadroom: 2),
            pixels: values)
        let white = try PixelBuffer(width: Self.base.width, height: Self.base.height, format: .rgba8)
        white.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = 255 } }
        let result = try map.applied(to: white, profile: nil, headroom: 4).pixels
        /// The two values around a place, and the part of the second one.
        func place(_ index: Int, of count: Int, in values: Int) -> (Int, Int, Double) {
            let position = min(max((Double(index) + 0.5) * Double(values) / Double(count) - 0.5, 0), Double(values - 1))
            let first = Int(position)
            return (first, min(first + 1, values - 1), position - Double(first))
        }
        var worst = 0.0
        for y in 0..<Self.base.height {
            for x in 0..<Self.base.width {
                let (left, right, across) = place(x, of: Self.base.width, in: width)
                let (top, bottom, down) = place(y, of: Self.base.height, in: height)
                let above = stored[top][left] + (stored[top][right] - stored[top][left]) * across
                let below = stored[bottom][left] + (stored[bottom][right] - stored[bottom][left]) * across
                let wanted = exp2(2 * (above + (below - above) * down) / 255)
                let bits = result.withUnsafeBytes {
                    $0.load(fromByteOffset: y * result.bytesPerRow + 8 * x, as: UInt16.self)
                }
                worst = max(worst, abs(Double(Float16(bitPattern: bits)) / wanted - 1))
            }
        }
        #expect(worst < 0.001, "\(worst)")
    }

    /// Factors for the channels of an alternate picture in BT.2020: they apply to the light of the base in these primaries.
    @Test func factorsBelongToTheColoursOfTheAlternatePicture() throws {
        let values = try PixelBuffer(width: 1, height: 1, format: .rgb8)
        values.withUnsafeMutableBytes { bytes in (bytes[0], bytes[1], bytes[2]) = (255, 0, 128) }
        let channel = GainMapMetadata.Channel(minimum: 0, maximum: 2, baseOffset: 0, alternateOffset: 0)
        var map = GainMap(
            metadata: GainMapMetadata(
                channels: [channel, channel, channel], alternateHeadroom: 2, usesBaseColorSpace: false), pixels: values)
        map.alternateProfile = ColorProfile(primaries: 9, transfer: 16)
        let base = try PixelBuffer(width: 1, height: 1, format: .rgba8)
        base.withUnsafeMutableBytes { bytes in (bytes[0], bytes[1], bytes[2], bytes[3]) = (230, 120, 40, 255) }
        let result = try map.applied(to: base, profile: nil, headroom: 4)
        let light = [230.0, 120, 40].map { pow(($0 / 255 + 0.055) / 1.055, 2.4) }
        // From BT.709 to BT.2020 (ITU-R BT.2087).
        let rows = [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]
        for (index, row) in rows.enumerated() {
            let wanted = zip(row, light).reduce(0) { $0 + $1.0 * $1.1 } * [4, 1, exp2(2 * 128.0 / 255)][index]
            let bits = result.pixels.withUnsafeBytes { $0.load(fromByteOffset: 2 * index, as: UInt16.self) }
            #expect(abs(Double(Float16(bitPattern: bits)) / wanted - 1) < 0.005, "\(index)")
        }
    }
}
