extension DecodingOptions {
    /// Returns the options for an image of this bit depth.
    ///
    /// If ``decodesToHDR`` is set and the image has more than 8 bits per channel, the result differs from these options
    /// in two values:
    /// - The pixel format is ``PixelFormat/rgba16``, or ``PixelFormat/rgbaHalf`` if the options request that format.
    /// - The colour conversion is ``DecodingOptions/ColorConversion/asStored``, so colours are not converted.
    package func resolved(bitDepth: Int) -> DecodingOptions {
        guard decodesToHDR, bitDepth > 8 else { return self }
        var options = self
        if options.pixelFormat != .rgbaHalf { options.pixelFormat = .rgba16 }
        options.colorConversion = .asStored
        return options
    }
}
