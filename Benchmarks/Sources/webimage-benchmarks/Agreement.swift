import Foundation
import WebImage

/// Whether competitors gave the same picture: nobody is timed for another job than the others'.
enum Agreement {
    /// Straight RGBA rows without gaps.
    static func rgba(_ image: Image?) throws -> [UInt8] {
        guard let image, let pixels = try? image.pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha) else {
            throw ScenarioError.peerFailed
        }
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { row in
                bytes[row * pixels.bytesPerRow..<row * pixels.bytesPerRow + pixels.width * 4]
            }
        }
    }

    /// Throws when two pictures differ by more than so many levels on average, colours weighed by alpha.
    static func check(_ mine: [UInt8], _ theirs: [UInt8], within limit: Double, _ what: String) throws {
        guard mine.count == theirs.count, !mine.isEmpty else { throw ScenarioError.disagree("\(what): sizes differ") }
        var sum = 0.0
        for pixel in stride(from: 0, to: mine.count, by: 4) {
            let (a, b) = (Double(mine[pixel + 3]) / 255, Double(theirs[pixel + 3]) / 255)
            for channel in 0..<3 { sum += abs(Double(mine[pixel + channel]) * a - Double(theirs[pixel + channel]) * b) }
            sum += abs(a - b) * 255
        }
        let mean = sum / Double(mine.count)
        guard mean <= limit else { throw ScenarioError.disagree("\(what): \(mean) levels apart") }
        print("\(what): results within \(String(format: "%.2f", mean)) levels on average")
    }

    /// RGB rows as RGBA.
    static func rgba(rgb: [UInt8]) -> [UInt8] {
        stride(from: 0, to: rgb.count, by: 3).flatMap { [rgb[$0], rgb[$0 + 1], rgb[$0 + 2], 255] }
    }

    /// RGBA rows as RGB.
    static func rgb(_ rgba: [UInt8]) -> [UInt8] {
        stride(from: 0, to: rgba.count, by: 4).flatMap { [rgba[$0], rgba[$0 + 1], rgba[$0 + 2]] }
    }

    /// Peak signal-to-noise ratio of RGB against floating point, in decibels.
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

/// Lanczos 3 in floating point: the picture that fast scalers come near.
enum LanczosReference {
    /// RGB rows at another size, clamped to 0…255.
    static func scaled(_ rgb: [UInt8], width: Int, height: Int, to size: PixelSize) -> [Double] {
        let (across, down) = (taps(width, size.width), taps(height, size.height))
        var rows = [Double](repeating: 0, count: size.width * height * 3)
        for y in 0..<height {
            for (x, tap) in across.enumerated() {
                for (place, weight) in tap {
                    for channel in 0..<3 {
                        rows[(y * size.width + x) * 3 + channel] += Double(rgb[(y * width + place) * 3 + channel]) * weight
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

    /// Which places count for each of the new ones, and how much; edges go on outside.
    private static func taps(_ count: Int, _ wanted: Int) -> [[(Int, Double)]] {
        let ratio = Double(count) / Double(wanted)
        let width = max(ratio, 1)
        func lanczos(_ x: Double) -> Double {
            if abs(x) < 1e-9 { return 1 }
            return abs(x) >= 3 ? 0 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
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
