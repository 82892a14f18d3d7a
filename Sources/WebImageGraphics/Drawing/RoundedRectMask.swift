import Foundation
import WebImageCore

/// A rounded rectangle in pixels, and how much of each pixel it or its outline covers.
struct RoundedRectMask {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double
    var radius: Double
    var corners: RectCorner
    /// Half the width of an outline; nil fills the rectangle.
    var halfStroke: Double?

    /// A rectangle inset from the edges of a picture; the radius is at most half the smaller side.
    init(size: PixelSize, inset: Double, radius: Double, corners: RectCorner, halfStroke: Double? = nil) {
        left = inset
        top = inset
        right = Double(size.width) - inset
        bottom = Double(size.height) - inset
        self.radius = max(0, min(radius, (right - left) / 2, (bottom - top) / 2))
        self.corners = corners
        self.halfStroke = halfStroke
    }

    /// Coverage as a plane of alpha. Rows between the corners are alike: computed once and copied.
    func plane(_ size: PixelSize) throws(WebImageError) -> PixelBuffer {
        let plane = try PixelBuffer(width: size.width, height: size.height, format: .gray8)
        let reach = radius + (halfStroke ?? 0) + 2
        let firstStraight = min(max(Int((top + reach).rounded(.up)), 0), size.height)
        let lastStraight = max(min(Int((bottom - reach).rounded(.down)), size.height), firstStraight)
        plane.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                let start = bytes.baseAddress! + y * plane.bytesPerRow
                if y > firstStraight, y < lastStraight {
                    memcpy(start, bytes.baseAddress! + firstStraight * plane.bytesPerRow, size.width)
                } else {
                    fill(start.assumingMemoryBound(to: UInt8.self), y, size.width, reach)
                }
            }
        }
        return plane
    }

    private func fill(_ row: UnsafeMutablePointer<UInt8>, _ y: Int, _ width: Int, _ reach: Double) {
        let leftEnd = min(max(Int((left + reach).rounded(.up)), 0), width)
        let rightStart = min(max(Int((right - reach).rounded(.down)), leftEnd), width)
        for x in 0..<leftEnd { row[x] = coverage(x, y) }
        if rightStart > leftEnd { memset(row + leftEnd, Int32(coverage(leftEnd, y)), rightStart - leftEnd) }
        for x in rightStart..<width { row[x] = coverage(x, y) }
    }

    /// From the distance of the pixel's centre to the edge, which is exact for straight edges.
    private func coverage(_ column: Int, _ line: Int) -> UInt8 {
        let x = Double(column) + 0.5
        let y = Double(line) + 0.5
        let (centerX, centerY) = ((left + right) / 2, (top + bottom) / 2)
        let isLeft = x < centerX
        let isTop = y < centerY
        let corner: RectCorner = isTop ? (isLeft ? .topLeft : .topRight) : (isLeft ? .bottomLeft : .bottomRight)
        let radius = corners.contains(corner) ? radius : 0
        let dx = abs(x - centerX) - (right - left) / 2 + radius
        let dy = abs(y - centerY) - (bottom - top) / 2 + radius
        let outside = (max(dx, 0) * max(dx, 0) + max(dy, 0) * max(dy, 0)).squareRoot()
        let distance = min(max(dx, dy), 0) + outside - radius
        let edge = halfStroke.map { abs(distance) - $0 } ?? distance
        return UInt8(min(max(0.5 - edge, 0), 1) * 255 + 0.5)
    }
}
