import Foundation
import WebImageCore

extension DecodingOptions {
    /// Creates the decoding parameters of a load from its options and context. A context key overrides the
    /// corresponding entry of `.imageDecodeOptions`.
    init(_ options: WebImageOptions, context: RequestContext, key: String, thumbnail: LoadKeys.Thumbnail?) {
        self.init(context.decodeOptions)
        firstFrameOnly = options.contains(.decodeFirstFrameOnly)
        let scale = context.scale ?? 0
        scaleFactor = scale >= 1 && scale.isFinite ? scale : max(scaleFactor, CacheKey.scaleFactor(key))
        thumbnailPixelSize = thumbnail.flatMap { PixelSize(box: $0.box) }
        if let thumbnail { preserveAspectRatio = thumbnail.preservesAspectRatio }
        if let limit = context.scaleDownLimitBytes {
            scaleDownLimitBytes = limit
        } else if options.contains(.scaleDownLargeImages), scaleDownLimitBytes == nil {
            scaleDownLimitBytes = ImageScaling.defaultScaleDownLimitBytes
        }
        if let limits = context.limits { self.limits = limits }
        if let keepsRange = context.keepsHighDynamicRange { decodesToHDR = keepsRange }
        addHints(context, key: key)
    }

    /// Adds hints about the format for custom coders. The built-in coders do not need these hints, because they detect
    /// the format from the content.
    private mutating func addHints(_ context: RequestContext, key: String) {
        switch context.typeHint {
        case .refused: break
        case .identifier(let identifier): foreignOptions[.decodeTypeIdentifierHint] = identifier
        case nil:
            let fileExtension = key.fileExtension
            if !fileExtension.isEmpty { foreignOptions[.decodeFileExtensionHint] = fileExtension }
        }
    }
}

extension ImageDecoding {
    /// Creates the coder and the decoding parameters of a load or a query from its options and context. `key` is the
    /// cache key of the image. It supplies the default scale and the file extension.
    init(
        _ options: WebImageOptions, context: RequestContext, key: String, thumbnail: LoadKeys.Thumbnail?,
        coders: ImageCodersManager = .shared
    ) {
        self.init(
            coder: context.coder ?? coders,
            options: DecodingOptions(options, context: context, key: key, thumbnail: thumbnail), registered: coders)
        guard !options.contains(.decodeFirstFrameOnly) else { return }
        animatedClass = context.animatedImageClass
        preloadsAllFrames = options.contains(.preloadAllFrames)
        requiresAnimatedClass = options.contains(.matchAnimatedImageClass)
    }
}
