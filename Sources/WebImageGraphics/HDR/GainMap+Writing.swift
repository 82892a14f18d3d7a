package import WebImageCore

extension GainMap {
    /// Returns the map of a picture that is written with these options, which can make the picture smaller, and the picture
    /// of its values with the options to encode it. Nil if only the metadata was read.
    ///
    /// - Parameter size: The size of the picture before.
    package func written(
        of size: PixelSize, _ options: EncodingOptions
    ) throws(WebImageError) -> (map: GainMap, values: Image, options: EncodingOptions)? {
        let target =
            options.maxPixelSize.map {
                ImageScaling.size(of: size, in: $0, preserveAspectRatio: true, allowsEnlarging: false)
            } ?? size
        let fitting = try resampled(from: PixelRegion(size), of: size, to: target)
        guard let pixels = fitting.pixels else { return nil }
        var own = EncodingOptions()
        // Values are logarithms of factors, so that their errors are larger in the result.
        (own.lossless, own.quality) = (options.lossless, max(options.quality, 0.9))
        let values = Image(pixels: try pixels.converted(to: pixels.format == .gray8 ? .gray8 : .rgb8), hasAlpha: false)
        return (fitting, values, own)
    }

    /// Returns the map with factors for the channels of the base, for formats that store no other colours. Nil if the
    /// alternate picture, to which the factors belong, has other primaries.
    package func inColors(of base: ColorProfile?) -> GainMap? {
        var map = self
        map.metadata.usesBaseColorSpace = true
        guard !metadata.usesBaseColorSpace, let alternateProfile else { return map }
        let own = base.map { ICCProfile($0.iccData) } ?? ICCProfile.sRGB()
        guard let one = own?.colorants, let other = ICCProfile(alternateProfile.iccData)?.colorants else { return nil }
        return zip(one.joined(), other.joined()).allSatisfy { abs($0 - $1) < 0.002 } ? map : nil
    }

    /// The content of the box `colr` of the alternate picture in a HEIF file: PQ if it has the higher range, otherwise the curve
    /// of sRGB.
    ///
    /// - Parameter base: The profile of the base picture; nil for sRGB.
    package func alternateColors(of base: ColorProfile?) -> [UInt8] {
        func codes(_ primaries: Int, _ transfer: Int) -> [UInt8] {
            Array("nclx".utf8) + [UInt8(primaries >> 8), UInt8(primaries & 255), 0, UInt8(transfer), 0, 0, 0x80]
        }
        let transfer = metadata.isBaseHDR ? 13 : 16
        if !metadata.usesBaseColorSpace, let alternateProfile {
            if let points = alternateProfile.codePoints { return codes(points.primaries, transfer) }
            return ICCProfile(alternateProfile.iccData)?.isSRGB == true
                ? codes(1, transfer)
                : Array("prof".utf8) + alternateProfile.iccData
        }
        // 2 stands for primaries that are not named: those of the ICC profile of the base.
        return codes(base.map { $0.codePoints?.primaries ?? 2 } ?? 1, transfer)
    }
}
