package import WebImageCore

extension GainMap {
    /// Returns the image that the options request of a base picture and this map: the base with the map beside it, or the
    /// light for a display.
    ///
    /// - Parameter base: Decodes the base with the options that it receives.
    package func image(
        _ options: DecodingOptions, base: (DecodingOptions) throws(WebImageError) -> Image
    ) throws(WebImageError) -> Image {
        var own = options
        own.dynamicRange = .standard
        own.decodesToHDR = false
        let headroom = options.appliedHeadroom(of: metadata)
        if headroom != nil { own.pixelFormat = .rgba8 }
        // A conversion of the base would change the channels that the factors belong to.
        if headroom != nil || metadata.channels.count > 1 || channelCount > 1 { own.colorConversion = .asStored }
        let image = try base(own)
        guard let headroom else {
            image.hdr = HDRDescription(gainMap: self)
            return image
        }
        let applied = try applied(to: image.pixels, profile: image.colorProfile, headroom: headroom)
        let result = Image(
            pixels: applied.pixels, scale: image.scale, colorProfile: applied.profile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
        result.copyMetadata(from: image)
        return result
    }
}
