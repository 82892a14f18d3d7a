import Foundation

extension BlurHash {
    /// Returns the blurred preview as an opaque image. The caller must stretch it to the size of the real image.
    ///
    /// - Parameters:
    ///   - size: the size in pixels, at most 4096 px per side and 1 megapixel in total. A small size is
    ///     sufficient, because the preview has no details.
    ///   - punch: the contrast; 1 is the contrast of the real image.
    /// - Returns: nil if the size is empty or too large, or if the contrast is not finite.
    public func image(size: PixelSize = PixelSize(width: 32, height: 32), punch: Double = 1) -> Image? {
        guard punch.isFinite, (1...Self.maxSide).contains(size.width), (1...Self.maxSide).contains(size.height),
            size.pixelCount <= 1_000_000
        else { return nil }
        let across = Self.waves(horizontalComponents, over: size.width)
        let down = Self.waves(verticalComponents, over: size.height)
        return Image.computed(size, hasAlpha: false) { row, y in
            // Compute the sums over the vertical waves once per line. Each pixel then adds only the horizontal waves.
            let line = (0..<horizontalComponents).map { i in
                (0..<verticalComponents).reduce(SIMD3<Double>()) { sum, j in
                    let factor = factors[j * horizontalComponents + i]
                    return sum + factor * (i + j == 0 ? 1 : punch) * down[j][y]
                }
            }
            for x in 0..<size.width {
                var light = SIMD3<Double>()
                for i in 0..<horizontalComponents { light += line[i] * across[i][x] }
                let bytes = light.map { UInt8(LinearLight.encodedByte($0)) }
                row[x] = (bytes.z, bytes.y, bytes.x, 255)
            }
        }
    }

    /// Computes the hash of a small RGBA image. The alpha of the image is ignored.
    package init?(pixels: PixelBuffer, horizontalComponents columns: Int, verticalComponents rows: Int) {
        guard pixels.format == .rgba8, (1...9).contains(columns), (1...9).contains(rows) else { return nil }
        let across = Self.waves(columns, over: pixels.width)
        let down = Self.waves(rows, over: pixels.height)
        var factors = [SIMD3<Double>](repeating: SIMD3(), count: columns * rows)
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                var line = [SIMD3<Double>](repeating: SIMD3(), count: columns)
                for x in 0..<pixels.width {
                    let place = y * pixels.bytesPerRow + x * 4
                    let light = SIMD3(0, 1, 2).map { LinearLight.decoding[Int(bytes[place + $0])] }
                    for i in 0..<columns { line[i] += light * across[i][x] }
                }
                for j in 0..<rows {
                    for i in 0..<columns { factors[j * columns + i] += line[i] * down[j][y] }
                }
            }
        }
        for index in factors.indices {
            factors[index] *= (index == 0 ? 1 : 2) / Double(pixels.width * pixels.height)
        }
        self.init(factors: factors, columns: columns, rows: rows)
    }

    private static let maxSide = 4096

    /// Returns the values of the first `count` cosine waves at each position along a side.
    private static func waves(_ count: Int, over side: Int) -> [[Double]] {
        (0..<count).map { wave in
            (0..<side).map { cos(.pi * Double(wave) * Double($0) / Double(side)) }
        }
    }
}

extension Image {
    /// Creates an image in the display format. The closure fills each line with premultiplied blue, green,
    /// red and alpha.
    static func computed(
        _ size: PixelSize, hasAlpha: Bool,
        _ fill: (_ row: UnsafeMutablePointer<(UInt8, UInt8, UInt8, UInt8)>, _ y: Int) -> Void
    ) -> Image? {
        guard let pixels = try? PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied) else {
            return nil
        }
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                let row = bytes.baseAddress! + y * pixels.bytesPerRow
                row.withMemoryRebound(to: (UInt8, UInt8, UInt8, UInt8).self, capacity: size.width) { fill($0, y) }
            }
        }
        return Image(pixels: pixels, hasAlpha: hasAlpha)
    }
}
