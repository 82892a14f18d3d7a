import CWebImageCodecShim
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

/// The choice of filters by a sample: each picture needs another way.
@Suite(.timeLimit(minutes: 1))
struct PNGFilterChoiceTests {
    enum Content: CaseIterable {
        /// Light with noise: each row by the least sum; without filters twice as large.
        case photo
        /// Rows that differ little from the row above: Up, 12 % smaller than the least sums.
        case steps
        /// Large areas, woven: no filter, 8 % smaller than the fewest pairs and 37 % than least sums.
        case weave
        /// Samples of 16 bits with noise: the lowest level, 3 % smaller.
        case deep

        /// The largest size of the default's file, in parts of the smallest that all ways at the highest level have: 1 % above the
        /// measured share.
        var largestShare: Double {
            switch self {
            case .photo: 1.06
            case .steps: 1.245
            case .weave: 1.15
            case .deep: 1.01
            }
        }

        func value(_ x: Int, _ y: Int, _ channel: Int) -> Int {
            switch self {
            case .photo: (x * (2 + channel) / 3 + y / 2 + x * y / 700 % 40 + noise(x, y, channel, 3)) & 255
            case .steps: (noise(x / 3, y / 16, channel, 6) + y % 16 * 3 + noise(x, y, channel, 1)) & 255
            case .weave:
                noise(x, y / 2, 0, 2) == 0 ? noise(x / 20, y / 20, channel, 8) : noise(x / 16, y / 40, channel + 9, 8)
            case .deep: (x * 90 + y * 50 + x * y / 9 + channel * 5000 + noise(x, y, channel, 7)) & 0xFFFF
            }
        }

        private func noise(_ x: Int, _ y: Int, _ channel: Int, _ bits: Int) -> Int {
            var mixed = UInt64(x * 7919 + y * 104_729 + channel * 31 + 12_345) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
            return Int(mixed >> UInt64(64 - bits))
        }
    }

    @Test(arguments: Content.allCases)
    func chosenFiltersAreNearlyTheBest(content: Content) throws {
        let format = content == .deep ? PixelFormat.rgba16 : .rgb8
        let pixels = try Sample.buffer(320, 320, format) { x, y, channel in
            channel == 3 ? 0xFFFF : content.value(x, y, channel)
        }
        var options = EncodingOptions()
        options.keepsPixelLayout = true
        let file = try ImagePNGCoder.shared.encode(
            Image(pixels: pixels, hasAlpha: false), format: .png, options: options)
        let share = Double(file.count) / Double(try smallest(content))
        #expect(share < content.largestShare, "\(share)")
    }

    /// The bytes of the pixels, compressed in all ways at the highest level.
    private func smallest(_ content: Content) throws -> Int {
        let samples = (0..<320 * 320 * 3).map { content.value($0 / 3 % 320, $0 / 960, $0 % 3) }
        let pixelBytes = content == .deep ? 6 : 3
        let rows = content == .deep ? samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } : samples.map(UInt8.init)
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let rowBytes = 320 * pixelBytes
        try #require(cpng_compress_rows(rows, rowBytes, rowBytes, pixelBytes, 320, 9, nil, &bytes, &count))
        free(bytes)
        return count
    }
}
