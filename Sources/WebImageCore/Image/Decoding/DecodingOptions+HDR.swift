extension DecodingOptions {
    /// Returns the options for an image of this bit depth. High dynamic range means 16 bits, as integers unless `pixelFormat`
    /// requests another layout, and the file's own colours.
    package func resolved(bitDepth: Int) -> DecodingOptions {
        guard decodesToHDR, bitDepth > 8 else { return self }
        var options = self
        if options.pixelFormat != .rgbaHalf { options.pixelFormat = .rgba16 }
        options.colorConversion = .asStored
        return options
    }
}
