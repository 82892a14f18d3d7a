import CWebImageLCMS
import CWebImagePixelLoops
import Foundation
package import WebImageCore

extension Image {
    /// Returns an image of high dynamic range as a picture of standard dynamic range with a gain map, for formats that hold no
    /// other form (JPEG). Returns nil if the image has the standard range, or has alpha.
    ///
    /// - A base with the higher range and its own map: base and alternate picture change places. The values of the map stay.
    /// - PQ and HLG: the base is the picture that the tone curve shows, in sRGB. The map has one channel, which leads from the
    ///   base to the luminance of the source, and half of the sides. An image that is nowhere brighter than white has none.
    package func withStandardBase() throws(WebImageError) -> Image? {
        guard !hasAlpha, let hdr else { return nil }
        if let map = hdr.gainMap { return map.metadata.isBaseHDR ? try exchanged(map) : nil }
        guard hdr.transfer != nil, let colorProfile else { return nil }
        let pixels = try pixels.converted(to: .rgba16, isOpaque: true)
        let base = try pixels.convertedToSRGB(from: colorProfile, isOpaque: true, narrows: true)
        let result = Image(
            pixels: base.format == .rgba8 ? base : try base.converted(to: .rgba8, isOpaque: true), scale: scale,
            hasAlpha: false, format: imageFormat)
        result.copyMetadata(from: self)
        if let map = try GainMap(from: result.pixels, to: pixels, profile: colorProfile) {
            result.hdr = HDRDescription(gainMap: map)
        }
        return result
    }

    private func exchanged(_ map: GainMap) throws(WebImageError) -> Image? {
        let source = pixels.format == .rgba8 ? pixels : try pixels.converted(to: .rgba16, isOpaque: true)
        guard colorProfile?.hdr?.transfer != .hybridLogGamma else { return nil }
        let light = try map.applied(to: source, profile: colorProfile, headroom: 1)
        // The light keeps its primaries, to which the factors belong, and gets the curve of sRGB.
        guard let sRGB = ICCProfile.sRGB()?.colorants, let plain = ICCProfile.linear(colorants: sRGB)?.saved,
            let own = light.profile.flatMap({ ICCProfile($0.iccData) })?.colorants,
            let profile = ICCProfile.standard(colorants: own)?.saved
        else { return nil }
        let coded = try light.pixels.convertedToSRGB(from: ColorProfile(iccData: plain), isOpaque: true)
        let result = Image(
            pixels: try coded.converted(to: .rgba8, isOpaque: true), scale: scale,
            colorProfile: ColorProfile(iccData: profile), hasAlpha: false, format: imageFormat)
        result.copyMetadata(from: self)
        var other = map
        other.metadata.baseHeadroom = map.metadata.alternateHeadroom
        other.metadata.alternateHeadroom = map.metadata.baseHeadroom
        // The factors apply to the primaries of the new base.
        (other.metadata.usesBaseColorSpace, other.alternateProfile) = (true, nil)
        for index in other.metadata.channels.indices {
            let channel = map.metadata.channels[index]
            other.metadata.channels[index].baseOffset = channel.alternateOffset
            other.metadata.channels[index].alternateOffset = channel.baseOffset
        }
        result.hdr = HDRDescription(gainMap: other)
        return result
    }
}

extension GainMap {
    /// Makes the map from a picture in sRGB to the same picture in PQ or HLG. Nil if the latter is nowhere brighter.
    fileprivate init?(from base: PixelBuffer, to high: PixelBuffer, profile: ColorProfile) throws(WebImageError) {
        guard let stored = ICCProfile(profile.iccData), let plain = ICCProfile.sRGB(),
            let transfer = profile.hdr?.transfer ?? stored.transferForHDR,
            let own = profile.hdr?.primaries.flatMap({ ICCProfile(primaries: $0, transfer: 8, light: nil)?.colorants })
                ?? stored.colorants,
            let parts = ICCProfile.luminance(of: own), let other = plain.colorants.flatMap(ICCProfile.luminance(of:)),
            let low = plain.lightOfValues(count: 256)
        else { return nil }
        let curve = ToneCurve(transfer, light: nil)
        let bright = (0..<65536).map { Float(curve.light(Double($0) / 65535)) }
        var tables = webimage_gain_measure()
        tables.high_luminance = (parts[0], parts[1], parts[2])
        tables.low_luminance = (other[0], other[1], other[2])
        (tables.factor, tables.exponent) = curve.displayLight
        tables.offset = Self.offset
        var range: (Float, Float, Float) = (0, 0, 0)
        func measure(into target: PixelBuffer?) {
            bright.withUnsafeBufferPointer { bright in
                low.withUnsafeBufferPointer { low in
                    (tables.high, tables.low) = (bright.baseAddress, low.baseAddress)
                    withUnsafeMutableBytes(of: &range) { range in
                        webimage_measure_gain(
                            high.baseAddress.assumingMemoryBound(to: UInt16.self), high.bytesPerRow,
                            base.bytes(ofRow: 0), base.bytesPerRow,
                            target?.baseAddress.assumingMemoryBound(to: UInt8.self), target?.bytesPerRow ?? 0,
                            base.width, base.height, &tables, range.assumingMemoryBound(to: Float.self).baseAddress)
                    }
                }
            }
        }
        measure(into: nil)
        // A level of the base above white is no light for which a map is worth its bytes.
        guard range.2 > 1.01 else { return nil }
        range.1 = max(range.1, range.0 + 1.0 / 64)
        let full = try PixelBuffer(width: base.width, height: base.height, format: .gray8)
        measure(into: full)
        let half = PixelSize(width: (base.width + 1) / 2, height: (base.height + 1) / 2)
        let channel = GainMapMetadata.Channel(
            minimum: Double(range.0), maximum: Double(range.1), baseOffset: Double(Self.offset),
            alternateOffset: Double(Self.offset))
        self.init(
            metadata: GainMapMetadata(channels: [channel], alternateHeadroom: log2(Double(range.2))),
            pixels: try full.scaled(to: half, from: PixelRegion(full.size), isOpaque: true))
    }

    private static let offset: Float = 1.0 / 64
}
