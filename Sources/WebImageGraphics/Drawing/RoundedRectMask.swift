import CWebImagePixelLoops
import Foundation
import WebImageCore

/// A rounded rectangle in pixels. Computes how much of each pixel the rectangle or its outline covers.
struct RoundedRectMask {
    /// The shape, in the form that the C function for the coverage requires.
    private let shape: webimage_rounded_rect
    /// Three ranges of rows: the rows of the top corners, the rows between the corners, the rows of the bottom corners.
    /// `columns` contains the three corresponding ranges of columns, from left to right. All rows between the corners
    /// have the same coverage. All columns between the corners also have the same coverage.
    private let rows: [Range<Int>]
    private let columns: [Range<Int>]

    /// Creates a rectangle that is `inset` pixels inside the edges of a picture. The radius is limited to half the
    /// smaller side.
    ///
    /// - Parameter halfStroke: Half the width of the outline in pixels; nil fills the rectangle.
    init(size: PixelSize, inset: Double, radius: Double, corners: RectCorner, halfStroke: Double? = nil) {
        let (right, bottom) = (Double(size.width) - inset, Double(size.height) - inset)
        let radius = max(0, min(radius, (right - inset) / 2, (bottom - inset) / 2))
        func part(_ corner: RectCorner) -> Double { corners.contains(corner) ? radius : 0 }
        shape = webimage_rounded_rect(
            left: inset, top: inset, right: right, bottom: bottom,
            radii: (part(.topLeft), part(.topRight), part(.bottomLeft), part(.bottomRight)),
            half_stroke: halfStroke ?? -1)
        let reach = radius + (halfStroke ?? 0) + 2
        func parts(_ length: Int, _ end: Double) -> [Range<Int>] {
            let first = min(max(Int((inset + reach).rounded(.up)), 0), length)
            let last = max(min(Int((end - reach).rounded(.down)), length), first)
            return [0..<first, first..<last, last..<length]
        }
        rows = parts(size.height, bottom)
        columns = parts(size.width, right)
    }

    /// Returns the parts of the picture whose coverage can differ from `value`. Omits a part between the corners if all
    /// its pixels have the coverage `value`. The coverage of each part is an alpha plane.
    func parts(otherThan value: UInt8) throws(WebImageError) -> [(place: PixelRect, coverage: PixelBuffer)] {
        var parts: [(PixelRect, PixelBuffer)] = []
        var corner: PixelBuffer?
        for (row, y) in rows.enumerated() where !y.isEmpty {
            for (column, x) in columns.enumerated() where !x.isEmpty {
                let place = PixelRect(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count)
                if let corner, let turn = mirroring(row, column), corner.size == place.size {
                    parts.append((place, try corner.oriented(turn)))
                } else if let plane = try plane(columns: x, rows: y, otherThan: value) {
                    if row == 0, column == 0 { corner = plane }
                    parts.append((place, plane))
                }
            }
        }
        return parts
    }

    /// Returns the orientation that converts the coverage of the top left corner to the coverage of this part. Returns
    /// nil if this part is not one of the other three corners, or if the corners have different radii.
    private func mirroring(_ row: Int, _ column: Int) -> ImageOrientation? {
        let radii = shape.radii
        guard radii.0 == radii.1, radii.0 == radii.2, radii.0 == radii.3 else { return nil }
        switch (row, column) {
        case (0, 2): return .upMirrored
        case (2, 0): return .downMirrored
        case (2, 2): return .down
        default: return nil
        }
    }

    /// Returns the coverage of one part. Returns nil for a part between the corners if all its pixels have the coverage
    /// `value`. Corners are not checked for `value`, so the coverage of a corner is always returned.
    private func plane(
        columns: Range<Int>, rows: Range<Int>, otherThan value: UInt8
    ) throws(WebImageError) -> PixelBuffer? {
        let (rowsAreAlike, columnsAreAlike) = (rows == self.rows[1], columns == self.columns[1])
        let (width, height) = (columnsAreAlike ? 1 : columns.count, rowsAreAlike ? 1 : rows.count)
        let sample = try PixelBuffer(width: width, height: height, format: .gray8)
        webimage_rounded_rect_cover(
            shape, columns.lowerBound, rows.lowerBound, width, height, sample.bytes(ofRow: 0), sample.bytesPerRow)
        guard rowsAreAlike || columnsAreAlike else { return sample }
        let isPlain = webimage_bytes_are(sample.bytes(ofRow: 0), sample.bytesPerRow, width, height, value) != 0
        return isPlain ? nil : try sample.repeated(to: PixelSize(width: columns.count, height: rows.count))
    }
}

extension PixelBuffer {
    /// Returns a grey plane of `size` that consists of copies of the receiver. The receiver must have one row or one
    /// column.
    fileprivate func repeated(to size: PixelSize) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: size.width, height: size.height, format: .gray8)
        let target = result.bytes(ofRow: 0)
        if width == size.width {
            memcpy(target, bytes(ofRow: 0), width)
            // Copy all rows that are already filled, so that their number doubles in each step.
            var count = 1
            while count < size.height {
                let more = min(count, size.height - count)
                memcpy(target + count * result.bytesPerRow, target, more * result.bytesPerRow)
                count += more
            }
        } else {
            let stride = height == 1 ? 0 : bytesPerRow
            webimage_repeat_column(
                bytes(ofRow: 0), stride, target, result.bytesPerRow, size.width, size.height)
        }
        return result
    }
}
