package import WebImageCore

extension GainMap {
    /// Returns the options with which the picture of a described map is decoded for a result of `options`, and the orientation
    /// that the pixels get afterwards: that of the base, because a map has none of its own.
    package func decoding(
        _ options: DecodingOptions, in info: ImageInfo
    ) -> (options: DecodingOptions, orientation: ImageOrientation) {
        let resampling = options.resampling(of: info.storedSize, info.orientation)
        let part = resampling.region.scaled(
            x: Double(size.width) / Double(resampling.stored.width),
            y: Double(size.height) / Double(resampling.stored.height)
        ).limited(to: size)
        var own = DecodingOptions()
        own.limits = options.limits
        own.pixelFormat = channelCount == 1 ? .gray8 : .rgb8
        own.colorConversion = .asStored
        let target = Self.size(of: part, region: resampling.region, target: resampling.target)
        if target != size || part != PixelRegion(size) { (own.thumbnailPixelSize, own.sourceRegion) = (target, part) }
        return (own, info.orientation)
    }

    /// Returns the options with which the upright picture of a described map is decoded for a result of `options`, if the
    /// file declares the orientation of the map itself.
    package func decodingUpright(_ options: DecodingOptions, in info: ImageInfo) -> DecodingOptions {
        var upright = info
        (upright.storedSize, upright.orientation) = (info.pixelSize, .up)
        return decoding(options, in: upright).options
    }
}

extension ToneMapItem {
    /// The map without its values.
    package func description(size: PixelSize, channelCount: Int) -> GainMap {
        var map = GainMap(metadata: metadata, size: size, channelCount: channelCount)
        map.alternateProfile = alternateProfile
        return map
    }
}
