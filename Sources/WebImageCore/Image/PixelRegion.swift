/// A part of a picture, in pixels from the top left. Its edges can lie between two pixels.
package struct PixelRegion: Sendable, Hashable, CustomStringConvertible {
    package var left: Double
    package var top: Double
    package var width: Double
    package var height: Double

    package init(left: Double, top: Double, width: Double, height: Double) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    /// The whole picture.
    package init(_ size: PixelSize) {
        self.init(left: 0, top: 0, width: Double(size.width), height: Double(size.height))
    }

    package var right: Double { left + width }
    package var bottom: Double { top + height }

    /// The region as text, such as `100.5x80+3+2.25`: width, height, left edge and top edge.
    package var description: String { "\(width)x\(height)+\(left)+\(top)" }

    /// The part of the region that lies inside a picture. It is never empty.
    package func limited(to size: PixelSize) -> PixelRegion {
        func side(from start: Double, to end: Double, limit: Double) -> (Double, Double) {
            let first = min(max(start, 0), max(limit - 1, 0))
            return (first, max(min(end, limit) - first, 1e-3))
        }
        let (left, width) = side(from: left, to: right, limit: Double(size.width))
        let (top, height) = side(from: top, to: bottom, limit: Double(size.height))
        return PixelRegion(left: left, top: top, width: width, height: height)
    }

    /// The same part of a picture whose sides are multiplied by these factors.
    package func scaled(x: Double, y: Double) -> PixelRegion {
        PixelRegion(left: left * x, top: top * y, width: width * x, height: height * y)
    }

    /// The same part of the stored picture. The receiver is a part of the upright picture, which `orientation` makes
    /// from the stored picture.
    ///
    /// - Parameter stored: The size of the stored picture.
    package func stored(_ orientation: ImageOrientation, in stored: PixelSize) -> PixelRegion {
        var region =
            orientation.swapsSides ? PixelRegion(left: top, top: left, width: height, height: width) : self
        if [.upMirrored, .down, .rightMirrored, .left].contains(orientation) {
            region.left = Double(stored.width) - region.right
        }
        if [.down, .downMirrored, .right, .rightMirrored].contains(orientation) {
            region.top = Double(stored.height) - region.bottom
        }
        return region
    }
}

/// The one step that makes a result from a decoded picture: which part of the stored picture is scaled to which size.
package struct Resampling: Sendable, Hashable {
    /// The part of the stored picture, in pixels of its full size.
    package let region: PixelRegion
    /// The size of the result before the orientation is applied.
    package let target: PixelSize
    /// The full size of the stored picture.
    package let stored: PixelSize

    /// How many pixels of the picture become one pixel of the result, along the side that shrinks less.
    package var ratio: Double {
        min(region.width / Double(target.width), region.height / Double(target.height))
    }

    /// Returns the smallest scale, in eighths, at which a decoder of JPEG may write the picture.
    ///
    /// The planes of 1/8, 1/4 and 1/2 are means of square blocks. The plane must be at least twice as large as the result:
    /// from a smaller plane, the pattern of the blocks becomes visible. A small picture and a small result have more detail in
    /// each pixel, most of all in colours, so their plane must be larger, and a smaller picture still is decoded in full; this
    /// costs about a millisecond at most. A plane has no side under 64 px, because few blocks leave no detail for the filter at
    /// the borders. Other scales than these four have no vector code in libjpeg-turbo: a decode at 5/8 takes twice as long as
    /// at 8/8.
    package var eighths: Int {
        guard stored.pixelCount >= Self.fewestPixels else { return 8 }
        let isSmall = stored.pixelCount < Self.manyPixels || target.pixelCount <= Self.smallResult
        let leastRatio = isSmall ? 4 : Self.leastRatio
        return [1, 2, 4].first { eighths in
            ratio * Double(eighths) >= 8 * leastRatio && min(stored.width, stored.height) * eighths >= 8 * 64
        } ?? 8
    }

    /// How many times larger than the result a plane of means must be.
    package static let leastRatio = 2.0
    /// The pixels of the smallest picture for which a plane is used, and of the smallest one that does not need a larger plane
    /// than ``leastRatio``.
    private static let (fewestPixels, manyPixels) = (307_200, 1_250_000)
    /// The pixels of the largest result that has so much detail in each pixel that it needs larger planes.
    package static let smallResult = 30_000
}

extension DecodingOptions {
    /// Returns the resampling of a picture with the full size `stored`, which `orientation` turns upright.
    package func resampling(of stored: PixelSize, _ orientation: ImageOrientation, frameCount: Int = 1) -> Resampling {
        let upright = stored.oriented(orientation)
        let region = thumbnailPixelSize == nil ? nil : sourceRegion?.limited(to: upright)
        return Resampling(
            region: (region ?? PixelRegion(upright)).stored(orientation, in: stored),
            target: targetSize(for: upright, frameCount: frameCount).oriented(orientation), stored: stored)
    }
}

extension DecodingOptions {
    /// Returns the size in pixels at which a drawing, such as an SVG document, is drawn. In contrast to a bitmap, it is
    /// also scaled up.
    package func vectorSize(for size: PixelSize) -> PixelSize {
        guard scaleDownLimitBytes == nil, let box = thumbnailPixelSize else { return targetSize(for: size) }
        return ImageScaling.size(of: size, in: box, preserveAspectRatio: preserveAspectRatio, allowsEnlarging: true)
    }
}
