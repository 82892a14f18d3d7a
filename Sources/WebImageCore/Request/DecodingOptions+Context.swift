import Foundation

extension DecodingOptions {
    /// What a load's options and context say about decoding; a context key wins over its entry in
    /// `.imageDecodeOptions`.
    init(_ options: WebImageOptions, context: WebImageContext?, key: String, thumbnail: LoadKeys.Thumbnail?) {
        self.init(context?.read(.imageDecodeOptions, as: ImageCoderOptions.self))
        firstFrameOnly = options.contains(.decodeFirstFrameOnly)
        let scale = context?.readNumber(.imageScaleFactor) ?? 0
        scaleFactor = scale >= 1 && scale.isFinite ? scale : max(scaleFactor, CacheKey.scaleFactor(key))
        thumbnailPixelSize = thumbnail.flatMap { PixelSize(box: $0.box) }
        if let thumbnail { preserveAspectRatio = thumbnail.preservesAspectRatio }
        if let limit = context?.readByteCount(.imageScaleDownLimitBytes) {
            scaleDownLimitBytes = limit
        } else if options.contains(.scaleDownLargeImages), scaleDownLimitBytes == nil {
            scaleDownLimitBytes = ImageScaling.defaultScaleDownLimitBytes
        }
        if let limits = context?.read(.decodingLimits, as: DecodingLimits.self) { self.limits = limits }
        if let dynamicRange = context?.readNumber(.imageDecodeToHDR) { decodesToHDR = dynamicRange != 0 }
        addHints(context, key: key)
    }

    /// Hints for coders that want them; the built-in ones look at the content.
    private mutating func addHints(_ context: WebImageContext?, key: String) {
        if context?[.imageTypeIdentifierHint] is NSNull { return }
        if let hint = context?.read(.imageTypeIdentifierHint, as: String.self) {
            further[.decodeTypeIdentifierHint] = hint
            return
        }
        let fileExtension = (key as NSString).pathExtension
        if !fileExtension.isEmpty { further[.decodeFileExtensionHint] = fileExtension }
    }
}
