import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTesting

/// Luma and chroma of half the resolution, as WebP stores them.
@Suite struct ChromaHalvingTests {
    private struct Planes {
        var luma: [UInt8], u: [UInt8], v: [UInt8]
        let width: Int, height: Int
        var halfWidth: Int { (width + 1) / 2 }
        var halfHeight: Int { (height + 1) / 2 }

        init(of pixels: PixelBuffer, hasFullRange: Bool) throws {
            (width, height) = (pixels.width, pixels.height)
            luma = [UInt8](repeating: 7, count: width * height)
            u = [UInt8](repeating: 7, count: (width + 1) / 2 * ((height + 1) / 2))
            v = u
            let (stride, half) = (width, (width + 1) / 2)
            try luma.withUnsafeMutableBufferPointer { luma in
                try u.withUnsafeMutableBufferPointer { u in
                    try v.withUnsafeMutableBufferPointer { v in
                        try pixels.halveChroma(
                            hasFullRange: hasFullRange, luma: (luma.baseAddress!, stride), u: (u.baseAddress!, half),
                            v: (v.baseAddress!, half))
                    }
                }
            }
        }

        /// Chroma in the middle of four pixels, enlarged by lines between its samples.
        private func enlarged(_ plane: [UInt8], _ x: Int, _ y: Int) -> Double {
            func sample(_ column: Int, _ row: Int) -> Double {
                Double(plane[min(max(row, 0), halfHeight - 1) * halfWidth + min(max(column, 0), halfWidth - 1)])
            }
            let (column, row) = (x / 2, y / 2), (across, down) = (x % 2 * 2 - 1, y % 2 * 2 - 1)
            return
                (9 * sample(column, row) + 3 * sample(column + across, row) + 3 * sample(column, row + down)
                + sample(column + across, row + down)) / 16 - 128
        }

        /// The colour that a reader makes, by BT.601.
        func color(_ x: Int, _ y: Int, hasFullRange: Bool) -> [Double] {
            let scale = hasFullRange ? 1 : 255.0 / 224
            let luma = hasFullRange ? Double(luma[y * width + x]) : (Double(luma[y * width + x]) - 16) * 255 / 219
            let (u, v) = (enlarged(u, x, y) * scale, enlarged(v, x, y) * scale)
            return [luma + 1.402 * v, luma - 0.344136 * u - 0.714136 * v, luma + 1.772 * u]
        }
    }

    private static func luminance(_ color: [Double]) -> Double {
        zip(color, [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + $1.0 * $1.0 * $1.1 }
    }

    private static func pixels(_ width: Int, _ height: Int, _ format: PixelFormat, _ random: inout SeededRandom) throws
        -> PixelBuffer
    {
        let pixels = try PixelBuffer(width: width, height: height, format: format)
        let channels = format.bytesPerPixel
        // Colours far from the border of the cube, so that no other colour of the same chroma is outside.
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 0..<channels {
                        bytes[y * pixels.bytesPerRow + x * channels + channel] =
                            channel == 3 ? 255 : UInt8(128 + Int.random(in: -45...45, using: &random))
                    }
                }
            }
        }
        return pixels
    }

    /// Every pixel has the luminance of the original, within the rounding of luma, although its chroma is an average.
    @Test(arguments: [PixelFormat.rgb8, .rgba8, .bgra8Premultiplied]) func pixelsKeepTheirLuminance(
        _ format: PixelFormat
    ) throws {
        var random = SeededRandom.printingSeed()
        for (width, height) in [(1, 1), (2, 1), (1, 3), (5, 4), (16, 9), (33, 18), (67, 31)] {
            let pixels = try Self.pixels(width, height, format, &random)
            for hasFullRange in [false, true] {
                let planes = try Planes(of: pixels, hasFullRange: hasFullRange)
                for y in 0..<height {
                    for x in 0..<width {
                        let place = y * pixels.bytesPerRow + x * format.bytesPerPixel
                        let stored = pixels.withUnsafeBytes { bytes in (0..<3).map { Double(bytes[place + $0]) } }
                        let color = format == .bgra8Premultiplied ? Array(stored.reversed()) : stored
                        let expected = Self.luminance(color).squareRoot()
                        let actual = Self.luminance(planes.color(x, y, hasFullRange: hasFullRange)).squareRoot()
                        #expect(
                            abs(actual - expected) < 0.8, "\(width)x\(height), \(x), \(y): \(actual), not \(expected)")
                    }
                }
            }
        }
    }

    @Test func greysAreExactAndExtremesStayInRange() throws {
        let width = 19, height = 7
        let pixels = try PixelBuffer(width: width, height: height, format: .rgb8)
        for (kind, color) in [
            (0, [0, 0, 0]), (1, [255, 255, 255]), (2, [255, 0, 0]), (3, [0, 0, 255]), (4, [119, 119, 119]),
        ] {
            pixels.withUnsafeMutableBytes { bytes in
                for y in 0..<height {
                    for place in 0..<3 * width { bytes[y * pixels.bytesPerRow + place] = UInt8(color[place % 3]) }
                }
            }
            let planes = try Planes(of: pixels, hasFullRange: false)
            let flat = [16, 235, 81, 41, 118][kind]
            #expect(planes.luma.allSatisfy { abs(Int($0) - flat) <= 1 }, "\(color): \(planes.luma[0])")
            if color[0] == color[2] { #expect((planes.u + planes.v).allSatisfy { $0 == 128 }) }
        }
    }

    /// Stripes of red and green: without luma for it, a reader's pixels are darker than those of the original.
    @Test func webPStripesKeepTheirLightness() throws {
        let width = 64, height = 64
        let pixels = try PixelBuffer(width: width, height: height, format: .rgb8)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 0..<3 {
                        bytes[y * pixels.bytesPerRow + 3 * x + channel] =
                            [[200, 40, 60], [40, 120, 200]][x % 2][channel]
                    }
                }
            }
        }
        var options = EncodingOptions()
        options.quality = 1
        let file = try ImageWebPCoder.shared.encode(
            Image(pixels: pixels, hasAlpha: false), format: .webP, options: options)
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgb8
        let back = try ImageWebPCoder.shared.decode(file, options: decoding).pixels
        func mean(_ pixels: PixelBuffer) -> Double {
            pixels.withUnsafeBytes { bytes in
                var sum = 0.0
                for y in 8..<56 {
                    for x in 8..<56 {
                        sum += Self.luminance((0..<3).map { Double(bytes[y * pixels.bytesPerRow + 3 * x + $0]) })
                    }
                }
                return (sum / (48 * 48)).squareRoot()
            }
        }
        #expect(abs(mean(back) - mean(pixels)) < 1, "\(mean(back)), not \(mean(pixels))")
    }
}
