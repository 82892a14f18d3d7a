import CWebImageLCMS
import CWebImagePixelLoops
import Foundation
import WebImageCore

/// The tables of a conversion to sRGB for pixels of format `rgba16`, from a profile with curves and a matrix.
final class MatrixColors: Sendable {
    private static let valueCount = 65536

    /// The light of each stored value: all values of red, then those of green, then those of blue.
    private let curves: [Float]
    /// The matrix from the light of the profile to the light of sRGB, by rows.
    private let matrix: [Float]

    /// Returns nil if the profile is neither for grey nor for RGB, or has lookup tables.
    convenience init?(_ profile: borrowing ICCProfile) {
        guard profile.colorSpace == cmsSigGrayData else {
            self.init(rgb: profile)
            return
        }
        guard let expanded = profile.expandedToRGB() else { return nil }
        self.init(rgb: expanded)
    }

    private init?(rgb profile: borrowing ICCProfile) {
        guard let own = profile.colorants, let matrix = Self.matrix(from: own),
            let curves = profile.lightOfValues(count: Self.valueCount)
        else { return nil }
        self.curves = curves
        self.matrix = matrix
    }

    /// Returns the matrix, by rows, from light with these colorants to the light of sRGB. Nil only if no memory is left.
    static func matrix(from colorants: [[Double]]) -> [Float]? {
        guard let sRGB = ICCProfile.sRGB()?.colorants, let inverse = sRGB.inverted else { return nil }
        return inverse.flatMap { row in
            (0..<3).map { column in Float((0..<3).reduce(0) { $0 + row[$1] * colorants[$1][column] }) }
        }
    }

    func apply(from source: PixelBuffer, to target: PixelBuffer) {
        curves.withUnsafeBufferPointer { curves in
            Self.encoding.withUnsafeBufferPointer { encoding in
                guard let light = curves.baseAddress else { return }
                var tables = webimage_matrix_tables()
                tables.curves = (light, light + Self.valueCount, light + 2 * Self.valueCount)
                tables.encoding = encoding.baseAddress
                withUnsafeMutableBytes(of: &tables.matrix) { target in
                    matrix.withUnsafeBytes { target.copyMemory(from: $0) }
                }
                webimage_matrix_colors(
                    source.baseAddress.assumingMemoryBound(to: UInt16.self), source.bytesPerRow, target.baseAddress,
                    target.bytesPerRow, source.width, source.height, Int32(target.format.bitsPerComponent), &tables)
            }
        }
    }

    /// The sRGB value of the light i / 65535 (IEC 61966-2-1), for each i.
    static let encoding = (0..<valueCount).map { index -> UInt16 in
        let light = Double(index) / 65535
        let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt16((value * 65535).rounded())
    }
}

extension [[Double]] {
    /// The inverse of a matrix of three rows and columns. Nil if it has none.
    var inverted: [[Double]]? {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b, c, d) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3)
            return self[a][c] * self[b][d] - self[a][d] * self[b][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + self[0][$1] * minor(0, $1) }
        guard abs(determinant) > 1e-9 else { return nil }
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }
}
