import Foundation

extension IdealPicture {
    /// Pixels at the borders that comparisons of levels leave out, because filters continue a picture in different ways.
    package static let margin = 4

    /// Returns the greatest mean difference of a column or a row, in levels, without the pixels at the borders.
    package func worstLine(against other: IdealPicture) -> Double {
        let margin = min(Self.margin, (min(width, height) - 1) / 4)
        var (columns, rows) = ([Double](repeating: 0, count: width), [Double](repeating: 0, count: height))
        let (inner, across) = (margin..<(height - margin), margin..<(width - margin))
        for (plane, otherPlane) in zip(planes, other.planes) {
            for y in inner {
                for x in across {
                    let difference = Double(abs(plane[y * width + x] - otherPlane[y * width + x]))
                    columns[x] += difference / Double(inner.count * planes.count)
                    rows[y] += difference / Double(across.count * planes.count)
                }
            }
        }
        return max(columns.max() ?? 0, rows.max() ?? 0)
    }

    /// The signal-to-noise ratio in decibels, at most 99.
    package func psnr(against other: IdealPicture) -> Double {
        var sum = 0.0
        for (plane, otherPlane) in zip(planes, other.planes) {
            for (one, two) in zip(plane, otherPlane) { sum += Double((one - two) * (one - two)) }
        }
        let mean = sum / Double(planes.count * width * height)
        return mean < 1e-9 ? 99 : min(99, 10 * log10(255 * 255 / mean))
    }
}
