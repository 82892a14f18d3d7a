import Foundation
import WebImageCore

/// Checks whether an image in memory has the properties that a load or a query requests.
///
/// The memory key is not sufficient, because it does not contain the byte limit, the dynamic range and the pixel
/// layout, nor the options of other coders. Two loads that differ only in these properties have the same key.
struct ImageMatcher: Sendable {
    let options: WebImageOptions
    let context: RequestContext

    /// Returns the image in the requested form; nil when the image must be decoded again. The scale of the result is that
    /// of the load, because the memory key does not contain it.
    ///
    /// - Parameters:
    ///   - key: The key of the original, which can contain a scale; nil for a look-up by string.
    ///   - takesPosters: Whether an image with only the first frame is accepted if all frames are requested.
    func adapted(_ image: Image, key: String? = nil, takesPosters: Bool = false) -> Image? {
        let decoding = image.decodingOptions
        guard let found = found(image, decoding, takesPosters: takesPosters) else { return nil }
        guard let decoding,
            decoding.scaleFactor != 1 || context.scale != nil || key.map(Self.canNameScale) == true,
            let key = key ?? context.scale.map({ _ in "" })
        else { return found }
        let wanted = NumberLimits.scale(DecodingOptions.scaleFactor(context, key: key))
        guard wanted != decoding.scaleFactor, found.scale == CGFloat(decoding.scaleFactor) else { return found }
        let copy = found.rescaled(to: CGFloat(wanted))
        copy.copyMetadata(from: found)
        copy.decodingOptions?.scaleFactor = wanted
        // Copy the recorded entries. They contain the version of the original, and a refresh needs this version.
        copy.copyEntries(from: found)
        return copy
    }

    /// Whether a key may name a scale, as `photo@2x.png` and `photo%402x.png` do. A fast test, because nearly every key names none.
    static func canNameScale(_ key: String) -> Bool {
        key.utf8.withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, Int32(UInt8(ascii: "@")), bytes.count) != nil
                || memchr(start, Int32(UInt8(ascii: "%")), bytes.count) != nil
        } ?? true
    }

    private func found(_ image: Image, _ decoding: DecodingOptions?, takesPosters: Bool) -> Image? {
        if !takesPosters, image.omitsFrames, !options.contains(.decodeFirstFrameOnly) { return nil }
        if let decoding, !isSufficient(image, decoding) { return nil }
        if options.isDisjoint(with: Self.adapting) { return image }
        if options.contains(.decodeFirstFrameOnly) { return Self.still(image) }
        guard let wanted = context.animatedImageType else { return image }
        return Self.isInstance(image, of: wanted) ? image : nil
    }

    // A constant, because a literal in `adapted` would cost three allocations per call in a debug build.
    private static let adapting: WebImageOptions = [.decodeFirstFrameOnly, .matchAnimatedImageClass]

    private func isSufficient(_ image: Image, _ decoding: DecodingOptions) -> Bool {
        let further = context.decodeOptions
        if let limit = decoding.scaleDownLimitBytes, Self.mayBeScaledDown(image, decoding: decoding, limit: limit) {
            guard let wanted = wantedLimit(further), wanted <= limit else { return false }
        }
        if decoding.firstFrameOnly, !options.contains(.decodeFirstFrameOnly), context.animatedImageClass != nil {
            return false
        }
        guard further != nil || context.keepsHighDynamicRange != nil else { return decoding.givesPixels(of: .plain) }
        var wanted = DecodingOptions(further)
        if let keepsRange = context.keepsHighDynamicRange { wanted.decodesToHDR = keepsRange }
        return decoding.givesPixels(of: wanted)
    }

    /// Whether the decoder may have reduced the size of the image because of the byte limit. It did not reduce the size
    /// if even an image that is 2 pixels wider and 2 pixels higher would fit the limit. True for a thumbnail, because the
    /// decoder ignores its box if there is a limit, and for a transformed image, whose size is not that of the decode.
    private static func mayBeScaledDown(_ image: Image, decoding: DecodingOptions, limit: Int) -> Bool {
        if image.isTransformed || decoding.thumbnailPixelSize != nil { return true }
        let size = image.pixelSize
        let larger = PixelSize(width: size.width + 2, height: size.height + 2)
        let (bytes, overflow) = larger.pixelCount.multipliedReportingOverflow(
            by: decoding.pixelFormat.bytesPerPixel * max(image.imageFrameCount, 1))
        return overflow || bytes > limit
    }

    private func wantedLimit(_ further: ImageCoderOptions?) -> Int? {
        context.scaleDownLimitBytes ?? further?.readByteCount(.decodeScaleDownLimitBytes)
            ?? (options.contains(.scaleDownLargeImages) ? ImageScaling.defaultScaleDownLimitBytes : nil)
    }

    private static func still(_ image: Image) -> Image {
        guard image.isAnimated else { return image }
        let still = Image(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        still.copyMetadata(from: image)
        // Copy the recorded entries. They contain the version of the original, and a refresh needs this version.
        still.copyEntries(from: image)
        still.omitsFrames = true
        return still
    }

    private static func isInstance(_ image: Image, of wanted: Any.Type) -> Bool {
        func check<Wanted>(_: Wanted.Type) -> Bool { image is Wanted }
        return _openExistential(wanted, do: check)
    }
}
