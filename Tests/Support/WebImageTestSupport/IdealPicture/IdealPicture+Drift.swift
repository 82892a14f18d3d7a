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
        var squares = 0.0
        one.withUnsafeBufferPointer { one in
            two.withUnsafeBufferPointer { two in
                sums.withUnsafeMutableBufferPointer { sums in
                    products.withUnsafeMutableBufferPointer { products in
                        for y in rows {
                            var place = y &* width &+ columns.lowerBound
                            let end = y &* width &+ columns.upperBound
                            while place < end {
                                // The slopes of both pictures, so that neither of them is preferred.
                                let across = one[place &+ 1] - one[place &- 1] + two[place &+ 1] - two[place &- 1]
                                let down =
                                    one[place &+ width] - one[place &- width] + two[place &+ width]
                                    - two[place &- width]
                                let (x, y, value) = (Double(-across / 4), Double(-down / 4), Double(one[place]))
                                let difference = Double(two[place] - one[place])
                                products[0] += x * difference
                                products[1] += y * difference
                                products[2] += value * difference
                                products[3] += difference
                                sums[0] += x * x
                                sums[1] += x * y
                                sums[2] += x * value
                                sums[3] += x
                                sums[5] += y * y
                                sums[6] += y * value
                                sums[7] += y
                                sums[10] += value * value
                                sums[11] += value
                                squares += difference * difference
                                place &+= 1
                            }
                        }
                    }
                }
            }
        }
        let count = Double(rows.count * columns.count)
        sums[15] = count
        for i in 0..<4 { for j in 0..<i { sums[4 * i + j] = sums[4 * j + i] } }
        guard count > 40, let found = solved(sums, products) else { return nil }
        let explained = zip(found, products).reduce(0) { $0 + $1.0 * $1.1 }
        // The blur makes the errors of neighbours alike: so many pixels tell as much as one with an error of its own.
        let alike = 13.4
        let variance = max((squares - explained) / count, 1e-4) * alike
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
            let alphas = (0..<width).map { x in
                guard hasAlpha else { return 1.0 }
                return min(max((holesX[x] * holesY[y] / 1764 + 0.4) * Double(min(width, height)) / 16, 0), 1)
            }
            for channel in 0..<4 {
                let (column, offset) = (channel < 3 ? columns[channel] : [], channel < 3 ? 128 + rows[channel][y] : 255)
                column.withUnsafeBufferPointer { column in
                    alphas.withUnsafeBufferPointer { alphas in
                        var (x, place) = (0, channel < 3 ? 2 - channel : 3)
                        while x < width {
                            // All values lie between 44 and 255, so that they need no limit.
                            let value = channel < 3 ? offset + column[x] : offset
                            row[place] = UInt8((value * alphas[x]).rounded())
                            x &+= 1
                            place &+= 4
                        }
                    }
                }
            }
        }
        return Image(pixels: buffer, hasAlpha: hasAlpha)
    }
}
