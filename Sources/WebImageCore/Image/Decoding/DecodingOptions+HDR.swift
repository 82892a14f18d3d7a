extension DecodingOptions {
    /// Returns the options for an image of this bit depth. If ``decodesToHDR`` is set and the image has more
    /// than 8 bits, the pixel format becomes ``PixelFormat/rgba16`` (``PixelFormat/rgbaHalf`` if requested),
    /// and colours are not converted.
    package func resolved(bitDepth: Int) -> DecodingOptions {
        guard decodesToHDR, bitDepth > 8 else { return self }
        var options = self
        if options.pixelFormat != .rgbaHalf { options.pixelFormat = .rgba16 }
        options.colorConversion = .asStored
        return options
    }
}
