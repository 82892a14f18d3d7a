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
    /// from a smaller plane, the pattern of the blocks becomes visible. A side of less than 64 px is decoded in full,
    /// because few blocks leave no detail for the filter at the borders. Other scales than these four have no vector code
    /// in libjpeg-turbo: a decode at 5/8 takes twice as long as at 8/8.
    package var eighths: Int {
        [1, 2, 4].first { eighths in
            ratio * Double(eighths) >= 8 * Self.leastRatio && min(stored.width, stored.height) * eighths >= 8 * 64
        } ?? 8
    }

    /// How many times larger than the result a plane of means must be.
    package static let leastRatio = 2.0
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
