import Foundation
import WebImageCore
import WebImageGraphics

/// Chooses the part of a picture that attracts most attention. Edges, strong colours and skin tones attract attention.
///
/// The attention crop of libvips uses the same features. The chosen part has the largest sum of scores. If several
/// parts have the same sum, the part nearest to the centre is chosen.
enum Attention {
    /// Returns the position of a part in a picture.
    ///
    /// - Parameters:
    ///   - size: The size of the part.
    ///   - whole: The size of the picture, in the same unit as `size` and the result.
    ///   - image: Pixels that contain the picture at any scale.
    ///   - region: Where `image` shows the picture, in pixels of `image`.
    static func place(
        _ size: PixelSize, in whole: PixelSize, of image: Image, _ region: PixelRegion
    ) throws(WebImageError) -> PixelPlace {
        guard size != whole else { return PixelPlace(x: 0, y: 0) }
        let factor = min(1, 64 / Double(max(whole.width, whole.height)))
        let small = PixelSize(
            width: Geometry.scaled(whole.width, factor), height: Geometry.scaled(whole.height, factor))
        let flat = try PixelCanvas.flattened(image, over: .white)
        let pixels = try flat.pixels.converted(to: .bgra8Premultiplied, isOpaque: true).scaled(
            to: small, from: region, isOpaque: true)
        let scores = AttentionMap(pixels)
        let window = PixelSize(
            width: min(Geometry.scaled(size.width, factor), small.width),
            height: min(Geometry.scaled(size.height, factor), small.height))
        let best = scores.bestWindow(window)
        func back(_ place: Int, of free: Int, to room: Int) -> Int {
            free == 0 ? room / 2 : min(Int((Double(place) / Double(free) * Double(room)).rounded()), room)
        }
        return PixelPlace(
            x: back(best.x, of: small.width - window.width, to: whole.width - size.width),
            y: back(best.y, of: small.height - window.height, to: whole.height - size.height))
    }
}

/// The attention scores of a scaled-down picture, stored as a summed-area table: each value is the sum of all scores
/// above it and to its left. So the sum of any rectangle is computed from four values.
private struct AttentionMap {
    private let width: Int
    private let height: Int
    private var sums: [Double]

    init(_ pixels: PixelBuffer) {
        (width, height) = (pixels.width, pixels.height)
        var colors: [(red: Double, green: Double, blue: Double)] = []
        pixels.withUnsafeBytes { bytes in
            for row in 0..<pixels.height {
                for column in 0..<pixels.width {
                    let place = row * pixels.bytesPerRow + column * 4
                    colors.append((Double(bytes[place + 2]), Double(bytes[place + 1]), Double(bytes[place])))
                }
            }
        }
        let light = colors.map { 0.2126 * $0.red + 0.7152 * $0.green + 0.0722 * $0.blue }
        sums = [Double](repeating: 0, count: (width + 1) * (height + 1))
        for row in 0..<height {
            var line = 0.0
            for column in 0..<width {
                line += Self.score(colors[row * width + column], edge(light, row: row, column: column))
                sums[(row + 1) * (width + 1) + column + 1] = sums[row * (width + 1) + column + 1] + line
            }
        }
    }

    /// The strength of an edge at a pixel: the absolute value of the Laplacian. Outside the picture, the border
    /// pixels are repeated.
    private func edge(_ light: [Double], row: Int, column: Int) -> Double {
        func at(_ row: Int, _ column: Int) -> Double {
            light[min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)]
        }
        return abs(
            4 * at(row, column) - at(row - 1, column) - at(row + 1, column) - at(row, column - 1) - at(row, column + 1))
    }

    private static func score(_ color: (red: Double, green: Double, blue: Double), _ edge: Double) -> Double {
        let (high, low) = (max(color.red, color.green, color.blue), min(color.red, color.green, color.blue))
        // Dark pixels have no reliable hue, so they get no score for colour or skin.
        let saturation = high > 13 ? (high - low) / high * 255 * 0.2 : 0
        let length = (color.red * color.red + color.green * color.green + color.blue * color.blue).squareRoot()
        var skin = 0.0
        if length > 60 {
            let (red, green, blue) = (
                color.red / length - 0.78, color.green / length - 0.57, color.blue / length - 0.44
            )
            skin = max(0, 1 - (red * red + green * green + blue * blue).squareRoot() / 0.2) * 100
        }
        return edge * 2 + saturation + skin
    }

    func bestWindow(_ window: PixelSize) -> PixelPlace {
        var best = (score: -1.0, distance: 0, place: PixelPlace(x: 0, y: 0))
        for y in 0...(height - window.height) {
            for x in 0...(width - window.width) {
                let score =
                    sum(x + window.width, y + window.height) - sum(x, y + window.height) - sum(x + window.width, y)
                    + sum(x, y)
                let distance = abs(2 * x - (width - window.width)) + abs(2 * y - (height - window.height))
                // Scores that differ by less than the rounding error count as equal.
                if score > best.score + 1e-6 || (score > best.score - 1e-6 && distance < best.distance) {
                    best = (max(score, best.score), distance, PixelPlace(x: x, y: y))
                }
            }
        }
        return best.place
    }

    private func sum(_ x: Int, _ y: Int) -> Double { sums[y * (width + 1) + x] }
}
