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
            plane.withUnsafeBufferPointer { plane in
                otherPlane.withUnsafeBufferPointer { otherPlane in
                    columns.withUnsafeMutableBufferPointer { columns in
                        for y in inner {
                            var (x, sum) = (across.lowerBound, 0.0)
                            while x < across.upperBound {
                                let place = y &* width &+ x
                                let difference = Double(plane[place] - otherPlane[place])
                                let size = difference < 0 ? -difference : difference
                                columns[x] += size
                                sum += size
                                x &+= 1
                            }
                            rows[y] += sum
                        }
                    }
                }
            }
        }
        let (column, row) = (columns.max() ?? 0, rows.max() ?? 0)
        return max(column / Double(inner.count), row / Double(across.count)) / Double(planes.count)
    }

    /// The mean difference of the first and the last row and of the first and the last column, in levels.
    package func outermostLines(against other: IdealPicture) -> [Double] {
        let (rows, columns) = (0..<height, 0..<width)
        let lines: [[Int]] = [
            columns.map { $0 }, columns.map { (height - 1) * width + $0 },
            rows.map { $0 * width }, rows.map { $0 * width + width - 1 },
        ]
        return lines.map { line in
            let differences = zip(planes, other.planes).flatMap { one, two in line.map { abs(one[$0] - two[$0]) } }
            return Double(differences.reduce(0, +)) / Double(differences.count)
        }
    }

    /// The signal-to-noise ratio in decibels, at most 99.
    package func psnr(against other: IdealPicture) -> Double {
        var sum = 0.0
        for (plane, otherPlane) in zip(planes, other.planes) {
            plane.withUnsafeBufferPointer { plane in
                otherPlane.withUnsafeBufferPointer { otherPlane in
                    var place = 0
                    while place < plane.count {
                        let difference = Double(plane[place] - otherPlane[place])
                        sum += difference * difference
                        place &+= 1
                    }
                }
            }
        }
        let mean = sum / Double(planes.count * width * height)
        return mean < 1e-9 ? 99 : min(99, 10 * log10(255 * 255 / mean))
    }

    /// Returns why another picture of the same size is not this one, or nil if it is: its content is displaced by over
    /// 0.05 px, a column or row differs by over `mostLine` levels, or the signal-to-noise ratio is below `leastNoise` decibels.
    package func fault(of result: IdealPicture, leastNoise: Double = 36, mostLine: Double = 8) -> String? {
        let drift = drift(of: result) ?? 0
        let line = worstLine(against: result)
        let noise = psnr(against: result)
        // Rounding to whole levels alone gives 59 dB. In a smooth picture it forms bands, which look like a displacement.
        let isDisplaced = drift > 0.05 && noise < 55
        guard isDisplaced || line > mostLine || noise < leastNoise else { return nil }
        return "drift \(drift) px, worst line \(line) levels, \(noise) dB"
    }

    /// The contrast of the finest detail of another picture as a share of that of this one: 1 if it is as sharp, less if it
    /// is blurred.
    package func contrast(of other: IdealPicture) -> Double {
        let (one, two) = (luma, other.luma)
        var (products, squares) = (0.0, 0.0)
        for y in Self.margin..<height - Self.margin {
            for place in y * width + Self.margin..<(y + 1) * width - Self.margin {
                func detail(_ plane: [Float]) -> Double {
                    let around = plane[place - 1] + plane[place + 1] + plane[place - width] + plane[place + width]
                    return Double(4 * plane[place] - around)
                }
                let wanted = detail(one)
                products += wanted * detail(two)
                squares += wanted * wanted
            }
        }
        return products / squares
    }
}
