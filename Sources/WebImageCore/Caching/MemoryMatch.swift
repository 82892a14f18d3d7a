import Foundation

/// Whether an image in memory is what a load or a query wants: keys hold neither byte limits, dynamic range nor the
/// layout of a pixel, so one load's result may be of no use to the next.
enum MemoryMatch {
    /// The image as it is wanted; nil when it must be made anew.
    ///
    /// - Parameter takesPosters: whether the first frame of an animation serves where the animation is wanted.
    static func adapted(
        _ image: Image, options: WebImageOptions, context: WebImageContext?, takesPosters: Bool = false
    ) -> Image? {
        if !takesPosters, image.omitsFrames, !options.contains(.decodeFirstFrameOnly) { return nil }
        if let decoding = image.decodingOptions, !isSufficient(image, decoding, options, context) { return nil }
        if options.isDisjoint(with: adapting) { return image }
        if options.contains(.decodeFirstFrameOnly) { return still(image) }
        guard let wanted = context?.read(.animatedImageClass, as: Image.Type.self) else { return image }
        return isInstance(image, of: wanted) ? image : nil
    }

    // A constant: a literal above is three allocations in a debug build.
    private static let adapting: WebImageOptions = [.decodeFirstFrameOnly, .matchAnimatedImageClass]

    private static func isSufficient(
        _ image: Image, _ decoding: DecodingOptions, _ options: WebImageOptions, _ context: WebImageContext?
    ) -> Bool {
        let further = context?[.imageDecodeOptions] as? ImageCoderOptions
        if let limit = decoding.scaleDownLimitBytes, mayBeScaledDown(image, decoding, limit) {
            guard let wanted = wantedLimit(options, context, further), wanted <= limit else { return false }
        }
        if decoding.firstFrameOnly, !options.contains(.decodeFirstFrameOnly), context?[.animatedImageClass] != nil {
            return false
        }
        let format = further?[.decodePixelFormat] as? PixelFormat ?? .bgra8Premultiplied
        let conversion = further?[.decodeColorConversion] as? DecodingOptions.ColorConversion ?? .sRGB
        guard format == decoding.pixelFormat, conversion == decoding.colorConversion else { return false }
        let wantsHDR = (context?.readNumber(.imageDecodeToHDR) ?? further?.readNumber(.decodeToHDR) ?? 0) != 0
        return wantsHDR == decoding.decodesToHDR
    }

    /// A picture that could have been larger within its limit was not made smaller by it.
    private static func mayBeScaledDown(_ image: Image, _ decoding: DecodingOptions, _ limit: Int) -> Bool {
        let size = image.pixelSize
        let larger = PixelSize(width: size.width + 2, height: size.height + 2)
        let (bytes, overflow) = larger.pixelCount.multipliedReportingOverflow(
            by: decoding.pixelFormat.bytesPerPixel * max(image.imageFrameCount, 1))
        return overflow || bytes > limit
    }

    private static func wantedLimit(
        _ options: WebImageOptions, _ context: WebImageContext?, _ further: ImageCoderOptions?
    ) -> Int? {
        context?.readByteCount(.imageScaleDownLimitBytes) ?? further?.readByteCount(.decodeScaleDownLimitBytes)
            ?? (options.contains(.scaleDownLargeImages) ? ImageScaling.defaultScaleDownLimitBytes : nil)
    }

    private static func still(_ image: Image) -> Image {
        guard image.isAnimated else { return image }
        let still = Image(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        still.copyMetadata(from: image)
        still.omitsFrames = true
        return still
    }

    private static func isInstance(_ image: Image, of wanted: Any.Type) -> Bool {
        func check<Wanted>(_: Wanted.Type) -> Bool { image is Wanted }
        return _openExistential(wanted, do: check)
    }
}
