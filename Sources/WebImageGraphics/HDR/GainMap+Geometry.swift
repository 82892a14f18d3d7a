package import WebImageCore

extension GainMap {
    /// Returns the map of a part of a picture that is scaled to `target`.
    ///
    /// The map keeps its resolution in proportion to the picture, and is never enlarged. The edges of the part can lie between
    /// two values of the map: with whole values, a map of a quarter of the sides would move by up to two pixels of the
    /// picture. The values are logarithms, so they are scaled as they are, without colour conversion.
    ///
    /// - Parameters:
    ///   - region: The part of the upright picture.
    ///   - picture: The size of the upright picture.
    package func resampled(
        from region: PixelRegion, of picture: PixelSize, to target: PixelSize
    ) throws(WebImageError) -> GainMap {
        guard let pixels else { return self }
        let (x, y) = (Double(size.width) / Double(picture.width), Double(size.height) / Double(picture.height))
        let part = region.scaled(x: x, y: y).limited(to: size)
        let wanted = Self.size(of: part, region: region, target: target)
        return with(try pixels.scaled(to: wanted, from: part, isOpaque: true))
    }

    /// Returns the map of a picture that is turned by `orientation`.
    package func oriented(_ orientation: ImageOrientation) throws(WebImageError) -> GainMap {
        guard let pixels else { return self }
        return with(try pixels.oriented(orientation))
    }

    /// The same map with other values.
    package func with(_ pixels: PixelBuffer) -> GainMap {
        var map = GainMap(metadata: metadata, pixels: pixels)
        map.alternateProfile = alternateProfile
        return map
    }

    /// The size of a map that is scaled together with its picture.
    ///
    /// - Parameters:
    ///   - part: The part of the map that belongs to `region`, in values of the map.
    ///   - region: The part of the picture.
    ///   - target: The size of the picture that is made from the part.
    package static func size(of part: PixelRegion, region: PixelRegion, target: PixelSize) -> PixelSize {
        func side(of target: Int, part: Double, region: Double) -> Int {
            // Numbers that should be whole can be a little more.
            let wanted = (min(Double(target) * part / region, part) - 1e-6).rounded(.up)
            return max(Int(min(wanted, 1e9)), 1)
        }
        return PixelSize(
            width: side(of: target.width, part: part.width, region: region.width),
            height: side(of: target.height, part: part.height, region: region.height)
        )
    }
}
