import Foundation
package import WebImageCore

extension IdealPicture {
    /// Returns how far the content of another picture of the same size is displaced against this one, in pixels: the
    /// greatest displacement in up to 9 windows. Nil if no window has enough detail to tell.
    ///
    /// In each window, least squares find the displacement, the gain and the offset that explain the difference best.
    package func drift(of other: IdealPicture) -> Double? {
        let shortest = min(width, height)
        guard shortest >= 12 else { return nil }
        let count = shortest >= 60 ? 3 : shortest >= 32 ? 2 : 1
        let (one, two) = (Self.blurred(luma, width), Self.blurred(other.luma, width))
        var worst: Double?
        for row in 0..<count {
            for column in 0..<count {
                let rows = max(row * height / count, 2)..<min((row + 1) * height / count, height - 2)
                let columns = max(column * width / count, 2)..<min((column + 1) * width / count, width - 2)
                guard let found = Self.displacement(from: one, to: two, width: width, rows: rows, columns: columns)
                else { continue }
                worst = max(worst ?? 0, found)
            }
        }
        return worst
    }

    /// Blurs a plane with the weights 1, 2, 1 twice in each direction, so that slopes are well defined.
    private static func blurred(_ plane: [Float], _ width: Int) -> [Float] {
        var result = plane
        let height = plane.count / width
        for step in [1, width, 1, width] {
            let source = result
            let (lines, length) = step == 1 ? (height, width) : (width, height)
            let lineStep = step == 1 ? width : 1
            source.withUnsafeBufferPointer { source in
                result.withUnsafeMutableBufferPointer { target in
                    var line = 0
                    while line < lines {
                        var index = 1
                        while index < length - 1 {
                            let place = line &* lineStep &+ index &* step
                            target[place] = (source[place &- step] + 2 * source[place] + source[place &+ step]) / 4
                            index &+= 1
                        }
                        line &+= 1
                    }
                }
            }
        }
        return result
    }

    /// The displacement in one window; nil if its standard error is over 0.015 px.
    private static func displacement(
        from one: [Float], to two: [Float], width: Int, rows: Range<Int>, columns: Range<Int>
    ) -> Double? {
        var sums = [Double](repeating: 0, count: 16)
        var products = [Double](repeating: 0, count: 4)
        var (squares, count) = (0.0, 0.0)
        var terms = [Double](repeating: 1, count: 4)
        for y in rows {
            for x in columns {
                let place = y * width + x
                // The slopes of both pictures, so that neither of them is preferred.
                let across = one[place + 1] - one[place - 1] + two[place + 1] - two[place - 1]
                let down = one[place + width] - one[place - width] + two[place + width] - two[place - width]
                terms[0] = Double(-across / 4)
                terms[1] = Double(-down / 4)
                terms[2] = Double(one[place])
                let difference = Double(two[place] - one[place])
                for i in 0..<4 {
                    products[i] += terms[i] * difference
                    for j in i..<4 { sums[4 * i + j] += terms[i] * terms[j] }
                }
                squares += difference * difference
                count += 1
            }
        }
        for i in 0..<4 { for j in 0..<i { sums[4 * i + j] = sums[4 * j + i] } }
        guard count > 40, let found = solved(sums, products) else { return nil }
        let explained = zip(found, products).reduce(0) { $0 + $1.0 * $1.1 }
        let variance = max((squares - explained) / count, 1e-4)
        for axis in 0..<2 {
            var unit = [0.0, 0, 0, 0]
            unit[axis] = 1
            guard let row = solved(sums, unit), (variance * abs(row[axis])).squareRoot() < 0.015 else { return nil }
        }
        return max(abs(found[0]), abs(found[1]))
    }

    /// Solves four linear equations by elimination.
    private static func solved(_ matrix: [Double], _ right: [Double]) -> [Double]? {
        var (rows, values) = ((0..<4).map { Array(matrix[4 * $0..<4 * $0 + 4]) }, right)
        for pivot in 0..<4 {
            guard let best = (pivot..<4).max(by: { abs(rows[$0][pivot]) < abs(rows[$1][pivot]) }),
                abs(rows[best][pivot]) > 1e-9
            else { return nil }
            rows.swapAt(pivot, best)
            values.swapAt(pivot, best)
            for row in pivot + 1..<4 {
                let factor = rows[row][pivot] / rows[pivot][pivot]
                for column in pivot..<4 { rows[row][column] -= factor * rows[pivot][column] }
                values[row] -= factor * values[pivot]
            }
        }
        var result = [0.0, 0, 0, 0]
        for row in (0..<4).reversed() {
            let rest = (row + 1..<4).reduce(values[row]) { $0 - rows[row][$1] * result[$1] }
            result[row] = rest / rows[row][row]
        }
        return result
    }
}

extension IdealPicture {
    /// Returns a picture of smooth waves and spots, whose content is at the same fractions of its sides at every size.
    ///
    /// - Parameter hasAlpha: Whether the picture has transparent holes with soft edges.
    package static func waves(width: Int, height: Int, hasAlpha: Bool = false) throws(WebImageError) -> Image {
        func wave(_ count: Int, slow: Double, fast: Double, phase: Double) -> [Double] {
            (0..<count).map {
                let place = (Double($0) + 0.5) / Double(count)
                return 42 * sin(2 * .pi * (slow * place + fast * place * place + phase))
            }
        }
        let columns = (0..<3).map { wave(width, slow: 3, fast: 4, phase: Double($0) / 3) }
        let rows = (0..<3).map { wave(height, slow: 2, fast: 5, phase: Double($0) / 7) }
        let (holesX, holesY) = (wave(width, slow: 3, fast: 0, phase: 0), wave(height, slow: 2.5, fast: 0, phase: 0.2))
        let buffer = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        for y in 0..<height {
            let row = (buffer.baseAddress + y * buffer.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            for x in 0..<width {
                var alpha = 1.0
                if hasAlpha {
                    alpha = min(max((holesX[x] * holesY[y] / 1764 + 0.4) * Double(min(width, height)) / 16, 0), 1)
                }
                for channel in 0..<3 {
                    let value = 128 + columns[channel][x] + rows[channel][y]
                    row[4 * x + 2 - channel] = UInt8(min(max(value * alpha, 0), 255).rounded())
                }
                row[4 * x + 3] = UInt8((alpha * 255).rounded())
            }
        }
        return Image(pixels: buffer, hasAlpha: hasAlpha)
    }
}
