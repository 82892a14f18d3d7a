import Foundation

/// Whether an image in memory is what a load wants: keys hold neither byte limits nor dynamic range, so one load's
/// result may be too small for the next.
enum MemoryMatch {
    /// The image as the load wants it; nil when it must be made anew.
    static func adapted(_ image: Image, options: WebImageOptions, context: WebImageContext?) -> Image? {
        if let decoding = image.decodingOptions, !isSufficient(image, decoding, options, context) { return nil }
        guard !options.isDisjoint(with: [.decodeFirstFrameOnly, .matchAnimatedImageClass]) else { return image }
        return CacheDecoding.adapted(image, options: options, context: context)
    }

    private static func isSufficient(
        _ image: Image, _ decoding: DecodingOptions, _ options: WebImageOptions, _ context: WebImageContext?
    ) -> Bool {
        if let limit = decoding.scaleDownLimitBytes, mayBeScaledDown(image, decoding, limit) {
            guard let wanted = wantedLimit(options, context), wanted <= limit else { return false }
        }
        let further = context?[.imageDecodeOptions] as? ImageCoderOptions
        let wantsHDR =
            (context?.readNumber(.imageDecodeToHDR) ?? further?.readNumber(.decodeToHDR) ?? 0) != 0
        if decoding.firstFrameOnly, !options.contains(.decodeFirstFrameOnly), context?[.animatedImageClass] != nil {
            return false
        }
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

    private static func wantedLimit(_ options: WebImageOptions, _ context: WebImageContext?) -> Int? {
        if let limit = context?.readNumber(.imageScaleDownLimitBytes), limit > 0 { return Int(min(limit, 1e15)) }
        let further = context?[.imageDecodeOptions] as? ImageCoderOptions
        if let limit = further?.readNumber(.decodeScaleDownLimitBytes), limit > 0 { return Int(min(limit, 1e15)) }
        return options.contains(.scaleDownLargeImages) ? ImageScaling.defaultScaleDownLimitBytes : nil
    }
}
