package import WebImageCore

extension ColorProfile {
    /// The device colour space in the profile's header (ICC.1:2022 §7.2.8), such as `RGB ` or `GRAY`.
    package var deviceSpace: String { String(decoding: iccData.dropFirst(16).prefix(4), as: UTF8.self) }

    /// Returns the profile that describes the same colours for pixels of `format`.
    ///
    /// A grey profile is expanded for RGB pixels, and the neutral colours of an RGB profile describe grey pixels. Any
    /// other profile cannot describe grey or RGB pixels; the result is then nil. Encoders call this function, because
    /// readers ignore or refuse a profile for other channels than those of the file.
    package func matching(_ format: PixelFormat) -> ColorProfile? {
        switch (deviceSpace, format) {
        case ("GRAY", .gray8): self
        case ("RGB ", .gray8): ICCProfile(iccData)?.reducedToGray()?.saved.map(ColorProfile.init(iccData:))
        case ("RGB ", _): self
        case ("GRAY", _): ICCProfile(iccData)?.expandedToRGB()?.saved.map(ColorProfile.init(iccData:))
        default: nil
        }
    }

    /// Whether 8 bits per channel are too few for values that are converted from this profile to sRGB: two neighbouring
    /// grey values differ by more than two steps after the conversion. True for linear light. Also true for the curves
    /// for high dynamic range.
    package var needsDepth: Bool {
        if hdr != nil { return true }
        guard let transform = ColorTransformCache.transform(from: self, format: .rgba8, to: .rgba8),
            let ramp = try? PixelBuffer(width: 256, height: 1, format: .rgba8)
        else { return false }
        return ramp.withUnsafeMutableBytes { bytes in
            for value in 0..<256 * 4 { bytes[value] = UInt8(value / 4) }
            transform.apply(from: ramp, to: ramp)
            return (1..<256).contains { Int(bytes[$0 * 4 + 1]) - Int(bytes[$0 * 4 - 3]) > 2 }
        }
    }
}
