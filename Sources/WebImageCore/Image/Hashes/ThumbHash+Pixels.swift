import Foundation

extension ThumbHash {
    /// Returns the blurred preview as an image. The preview has the approximate aspect ratio of the real image. Its
    /// longer side has 32 px.
    public func image() -> Image? {
        let ratio = aspectRatio
        let size = PixelSize(
            width: max(Int((ratio > 1 ? 32 : 32 * ratio).rounded()), 1),
            height: max(Int((ratio > 1 ? 32 / ratio : 32).rounded()), 1))
        let across = Self.waves(7, over: size.width)
        let down = Self.waves(7, over: size.height)
        let parts = [channels.lightness, channels.yellowBlue, channels.redGreen] + (channels.alpha.map { [$0] } ?? [])
        let waves = parts.map { Channel.waves(columns: $0.columns, rows: $0.rows) }
        return Image.computed(size, hasAlpha: hasAlpha) { row, y in
            for x in 0..<size.width {
                let values = zip(parts, waves).map { channel, waves in
                    zip(channel.factors, waves).reduce(channel.mean) { sum, pair in
                        sum + pair.0 * across[pair.1.x][x] * down[pair.1.y][y] * 2
                    }
                }
                let color = Channels.color(
                    lightness: values[0], yellowBlue: values[1], redGreen: values[2],
                    alpha: hasAlpha ? values[3] : 1)
                func byte(_ value: Double) -> UInt8 { UInt8((value * color.alpha * 255).rounded()) }
                row[x] = (byte(color.blue), byte(color.green), byte(color.red), byte(1))
            }
        }
    }

    /// Computes the hash of an RGBA image with straight alpha and at most 100 pixels per side.
    package init?(pixels: PixelBuffer) {
        guard pixels.format == .rgba8, max(pixels.width, pixels.height) <= 100 else { return nil }
        let (width, height) = (pixels.width, pixels.height)
        let colors = pixels.withUnsafeBytes { bytes in
            (0..<width * height).map { place in
                let start = place / width * pixels.bytesPerRow + place % width * 4
                return SIMD4(0, 1, 2, 3).map { Double(bytes[start + $0]) / 255 }
            }
        }
        let opacity = colors.reduce(0) { $0 + $1.w }
        let sum = colors.reduce(SIMD4<Double>()) { $0 + $1 * $1.w }
        let mean = opacity > 0 ? sum / opacity : SIMD4()
        let hasAlpha = opacity < Double(colors.count)
        // Blend transparent pixels with the mean colour, because this colour adds nothing to the waves.
        let solid = colors.map { mean * (1 - $0.w) + $0 * $0.w }
        let longest = Double(max(width, height))
        let limit = hasAlpha ? 5.0 : 7
        let columns = max(1, Int((limit * Double(width) / longest).rounded()))
        let rows = max(1, Int((limit * Double(height) / longest).rounded()))

        let transform = CosineTransform(width: width, height: height)
        let lightness = transform.channel(
            solid.map { ($0.x + $0.y + $0.z) / 3 }, columns: max(3, columns), rows: max(3, rows))
        let yellowBlue = transform.channel(solid.map { ($0.x + $0.y) / 2 - $0.z }, columns: 3, rows: 3)
        let redGreen = transform.channel(solid.map { $0.x - $0.y }, columns: 3, rows: 3)
        let alpha = hasAlpha ? transform.channel(colors.map(\.w), columns: 5, rows: 5) : nil

        func quantized(_ value: Double, _ steps: Double) -> Int { Int(min(max(value * steps, 0), steps).rounded()) }
        let first =
            quantized(lightness.mean, 63) | quantized((yellowBlue.mean + 1) / 2, 63) << 6
            | quantized((redGreen.mean + 1) / 2, 63) << 12 | quantized(lightness.scale, 31) << 18
            | (hasAlpha ? 1 << 23 : 0)
        let isLandscape = width > height
        let second =
            (isLandscape ? rows : columns) | quantized(yellowBlue.scale, 63) << 3 | quantized(redGreen.scale, 63) << 9
            | (isLandscape ? 1 << 15 : 0)
        var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 255) }
        if let alpha { bytes.append(UInt8(quantized(alpha.mean, 15) | quantized(alpha.scale, 15) << 4)) }
        let channels = [lightness, yellowBlue, redGreen] + (alpha.map { [$0] } ?? [])
        let nibbles = channels.flatMap { channel in
            channel.factors.map { factor in
                quantized(channel.scale > 0 ? 0.5 + 0.5 / channel.scale * factor : 0, 15)
            }
        }
        for start in stride(from: 0, to: nibbles.count, by: 2) {
            let upper = start + 1 < nibbles.count ? nibbles[start + 1] : 0
            bytes.append(UInt8(nibbles[start] | upper << 4))
        }
        self.init(Data(bytes))
    }

    fileprivate static func waves(_ count: Int, over side: Int) -> [[Double]] {
        (0..<count).map { (wave: Int) -> [Double] in
            let wave: Double = .pi * Double(wave)
            return (0..<side).map { (place: Int) -> Double in cos(wave * (Double(place) + 0.5) / Double(side)) }
        }
    }
}

/// Computes the cosine transforms of channels that have the same size.
private struct CosineTransform {
    private let across: [[Double]]
    private let down: [[Double]]

    init(width: Int, height: Int) {
        across = ThumbHash.waves(7, over: width)
        down = ThumbHash.waves(7, over: height)
    }

    func channel(_ values: [Double], columns: Int, rows: Int) -> ThumbHash.Channel {
        var channel = ThumbHash.Channel(columns: columns, rows: rows, mean: factor(values, x: 0, y: 0))
        channel.factors = ThumbHash.Channel.waves(columns: columns, rows: rows).map { factor(values, x: $0.x, y: $0.y) }
        channel.scale = channel.factors.map(abs).max() ?? 0
        return channel
    }

    private func factor(_ values: [Double], x: Int, y: Int) -> Double {
        let (waveX, waveY) = (across[x], down[y])
        var sum = 0.0
        for row in 0..<waveY.count {
            var line = 0.0
            for column in 0..<waveX.count { line += values[row * waveX.count + column] * waveX[column] }
            sum += line * waveY[row]
        }
        return sum / Double(values.count)
    }
}

extension SIMD4 {
    fileprivate func map<Result: SIMDScalar>(_ change: (Scalar) -> Result) -> SIMD4<Result> {
        SIMD4<Result>(change(x), change(y), change(z), change(w))
    }
}
