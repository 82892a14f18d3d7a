extension DecodingOptions {
    /// The options for a picture of such depth: to keep high dynamic range is to keep 16 bits, as integers unless asked for otherwise, and the file's own colours.
    package func resolved(bitDepth: Int) -> DecodingOptions {
        guard decodesToHDR, bitDepth > 8 else { return self }
        var options = self
        if options.pixelFormat != .rgbaHalf { options.pixelFormat = .rgba16 }
        options.colorConversion = .asStored
        return options
    }
}
