import Foundation
import WebImage

/// Compares the pixels that two competitors produce. This comparison before the measurement shows that both
/// competitors do the same job.
enum ResultComparison {
    /// Returns the pixels of an image as RGBA rows with straight alpha and without padding. Throws if `image` is nil or
    /// if the image does not have four bytes per pixel.
    static func rgba(_ image: Image?) throws -> [UInt8] {
        guard let pixels = image?.pixels, pixels.format.bytesPerPixel == 4 else { throw ScenarioError.peerFailed }
        let isPremultiplied = pixels.format.isPremultiplied
        var result: [UInt8] = []
        result.reserveCapacity(pixels.width * pixels.height * 4)
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                for x in 0..<pixels.width {
                    let place = y * pixels.bytesPerRow + x * 4
                    let alpha = Int(bytes[place + 3])
                    for channel in 0..<3 {
                        let value = Int(bytes[place + (isPremultiplied ? 2 - channel : channel)])
                        let straight =
                            isPremultiplied && alpha > 0 ? min((value * 255 + alpha / 2) / alpha, 255) : value
                        result.append(UInt8(straight))
                    }
                    result.append(UInt8(alpha))
                }
            }
        }
        return result
    }

    /// Throws if two pictures differ by more than `limit` of 255 levels on average. The pictures are RGBA rows with
    /// straight alpha. Before the comparison, colours are multiplied by alpha, because the colour of a transparent
    /// pixel is invisible.
    static func check(_ mine: [UInt8], _ theirs: [UInt8], within limit: Double, _ what: String) throws {
        guard mine.count == theirs.count, !mine.isEmpty else { throw ScenarioError.disagree("\(what): sizes differ") }
        var sum = 0.0
        for pixel in stride(from: 0, to: mine.count, by: 4) {
            let (a, b) = (Double(mine[pixel + 3]) / 255, Double(theirs[pixel + 3]) / 255)
            for channel in pixel..<pixel + 3 {
                let (own, other) = (Double(mine[channel]) * a, Double(theirs[channel]) * b)
                sum += abs(own - other)
            }
            sum += abs(a - b) * 255
        }
        let mean = sum / Double(mine.count)
        guard mean <= limit else { throw ScenarioError.disagree("\(what): \(mean) levels apart") }
        print("\(what): results within \(String(format: "%.2f", mean)) levels on average")
    }

    /// Converts RGB rows to opaque RGBA rows.
    static func rgba(rgb: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(rgb.count / 3 * 4)
        for place in stride(from: 0, to: rgb.count, by: 3) {
            result += rgb[place..<place + 3]
            result.append(255)
        }
        return result
    }

    /// Converts RGBA rows to RGB rows. Removes the alpha values and does not change the colours.
    static func rgb(_ rgba: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(rgba.count / 4 * 3)
        for place in stride(from: 0, to: rgba.count, by: 4) { result += rgba[place..<place + 3] }
        return result
    }

    /// Returns the peak signal-to-noise ratio (PSNR) in dB. Compares the colours of RGBA rows with a reference. The
    /// reference consists of RGB rows in floating point.
    static func psnr(_ rgba: [UInt8], _ reference: [Double]) -> Double {
        var sum = 0.0
        for pixel in 0..<rgba.count / 4 {
            for channel in 0..<3 {
                let difference = Double(rgba[pixel * 4 + channel]) - reference[pixel * 3 + channel]
                sum += difference * difference
            }
        }
        return 10 * log10(255 * 255 / max(sum / Double(reference.count), 1e-12))
    }
}

/// Scales pictures with a Lanczos 3 filter in floating point. Fast scalers approximate this filter with integers. The
/// result of this type is therefore the reference for the precision of fast scalers.
enum LanczosReference {
    /// Returns RGB rows that are scaled to another size. The values are clamped to 0…255.
    static func scaled(_ rgb: [UInt8], width: Int, height: Int, to size: PixelSize) -> [Double] {
        let (across, down) = (taps(width, size.width), taps(height, size.height))
        var rows = [Double](repeating: 0, count: size.width * height * 3)
        for y in 0..<height {
            for (x, tap) in across.enumerated() {
                for (place, weight) in tap {
                    for channel in 0..<3 {
                        let value = Double(rgb[(y * width + place) * 3 + channel])
                        rows[(y * size.width + x) * 3 + channel] += value * weight
                    }
                }
            }
        }
        var result = [Double](repeating: 0, count: size.width * size.height * 3)
        for (y, tap) in down.enumerated() {
            for (place, weight) in tap {
                for index in 0..<size.width * 3 {
                    result[y * size.width * 3 + index] += rows[place * size.width * 3 + index] * weight
                }
            }
        }
        return result.map { min(max($0, 0), 255) }
    }

    /// Returns the source positions and their weights for each of `wanted` new positions. A position outside the
    /// picture is replaced by the position of the nearest edge pixel.
    private static func taps(_ count: Int, _ wanted: Int) -> [[(Int, Double)]] {
        let ratio = Double(count) / Double(wanted)
        let width = max(ratio, 1)
        func lanczos(_ x: Double) -> Double {
            if abs(x) < 1e-9 { return 1 }
            guard abs(x) < 3 else { return 0 }
            let angle: Double = .pi * x
            return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
        }
        return (0..<wanted).map { index in
            let center = (Double(index) + 0.5) * ratio
            let places = Int((center - 3 * width).rounded(.down))...Int((center + 3 * width).rounded(.up))
            let weights = places.map { ($0, lanczos((Double($0) + 0.5 - center) / width)) }
            let sum = weights.reduce(0) { $0 + $1.1 }
            return weights.filter { $0.1 != 0 }.map { (min(max($0.0, 0), count - 1), $0.1 / sum) }
        }
    }
}
