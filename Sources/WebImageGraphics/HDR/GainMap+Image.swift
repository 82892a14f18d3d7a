package import WebImageCore

extension GainMap {
    /// Returns the image that the options request of a file: the base picture alone if the options do not read the map, or if
    /// the map cannot be decoded; otherwise both together, see ``image(_:base:)``.
    ///
    /// - Parameters:
    ///   - described: The map without its values; nil if the file has none.
    ///   - map: Decodes the map.
    ///   - base: Decodes the base with the options that it receives.
    package static func image(
        _ options: DecodingOptions, of described: GainMap?, deadline: DecodeDeadline,
        map: () throws(WebImageError) -> GainMap?, base: (DecodingOptions) throws(WebImageError) -> Image
    ) throws(WebImageError) -> Image {
        guard let described, described.isRead(options) else { return try base(options) }
        var found: GainMap?
        do throws(WebImageError) {
            found = try map()
        } catch {
            // A damaged map is no fault of the base, but the time limit applies to both together.
            try deadline.check()
        }
        guard let found else { return try base(options) }
        return try found.image(options, base: base)
    }

    /// Decodes the part of a described map that belongs to a result of the base. Each of the two pictures has its own
    /// orientation.
    ///
    /// - Parameters:
    ///   - info: The properties of the base.
    ///   - own: The properties of the picture with the map.
    ///   - picture: Decodes this picture.
    package func decoded(
        _ options: DecodingOptions, base info: ImageInfo, own: ImageInfo,
        picture: (DecodingOptions) throws(WebImageError) -> DecodedPicture
    ) throws(WebImageError) -> GainMap {
        let options = decodingUpright(options, in: info)
        try options.checkMemory(for: own)
        return with(try picture(options).finished(options: options, fullSize: own.storedSize).pixels)
    }

    /// Returns the image that the options request of a base picture and this map: the base with the map beside it, or the
    /// light for a display. If the base has the higher dynamic range, the map leads to the picture of standard dynamic range
    /// that the author chose.
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
        if metadata.isBaseHDR { (own.pixelFormat, own.colorConversion) = (.rgba16, .asStored) }
        let image = try base(own)
        guard let headroom else {
            var range = metadata.isBaseHDR ? image.hdr ?? HDRDescription() : HDRDescription()
            range.gainMap = self
            image.hdr = range
            return image
        }
        var (pixels, profile) = try applied(to: image.pixels, profile: image.colorProfile, headroom: headroom)
        if options.dynamicRange == .standard, !options.decodesToHDR {
            if let light = profile { pixels = try pixels.convertedToSRGB(from: light, isOpaque: !image.hasAlpha) }
            pixels = try pixels.converted(to: options.pixelFormat, isOpaque: !image.hasAlpha)
            profile = nil
        }
        let result = Image(
            pixels: pixels, scale: image.scale, colorProfile: profile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
        result.copyMetadata(from: image)
        return result
    }

    /// Whether a decode with these options reads the map of a file. Colours as they are stored are those of the base.
    package func isRead(_ options: DecodingOptions) -> Bool {
        options.dynamicRange != .standard || options.decodesToHDR
            || metadata.isBaseHDR && options.colorConversion != .asStored
    }
}
