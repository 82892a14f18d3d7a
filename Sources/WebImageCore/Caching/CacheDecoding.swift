import Foundation

/// Turning a cache entry's bytes into an image, by the options and context of a query.
enum CacheDecoding {
    /// What a decode of an entry came to.
    enum Outcome {
        case image(Image)
        /// The bytes are good, but nobody here can or may read them.
        case unreadable
        /// The bytes are no picture: the entry is worth nothing.
        case corrupt
    }

    static func decode(_ data: Data, key: String, options: WebImageOptions, context: WebImageContext?) -> Outcome {
        let custom = context?.read(.imageCoder, as: (any ImageCoder).self)
        let manager = ImageCodersManager.shared
        let decoding = self.options(key: key, options: options, context: context)
        do throws(WebImageError) {
            let image = try (custom ?? manager).decodeWithReason(data, options: decoding)
            image.decodingOptions = decoding
            return .image(image)
        } catch let error {
            guard error.code == .badImageData, custom == nil, !manager.coders.isEmpty else { return .unreadable }
            // A known format without a coder is somebody else's picture, not a damaged one.
            return manager.canDecode(from: data) || ImageFormat(sniffing: data) == .undefined ? .corrupt : .unreadable
        }
    }

    /// The decoding options that a query's options and context mean.
    static func options(key: String, options: WebImageOptions, context: WebImageContext?) -> DecodingOptions {
        var decoding = DecodingOptions(context?.read(.imageDecodeOptions, as: ImageCoderOptions.self))
        decoding.firstFrameOnly = options.contains(.decodeFirstFrameOnly)
        let scale = context?.readNumber(.imageScaleFactor) ?? 0
        decoding.scaleFactor = scale >= 1 ? scale : CacheKey.scaleFactor(key)
        decoding.preserveAspectRatio = context?.read(.imagePreserveAspectRatio, as: Bool.self) ?? true
        decoding.thumbnailPixelSize = context?.read(.imageThumbnailPixelSize, as: CGSize.self)
            .flatMap(PixelSize.init(box:))
        decoding.scaleDownLimitBytes = context?.readByteCount(.imageScaleDownLimitBytes)
        if let hdr = context?.readNumber(.imageDecodeToHDR) { decoding.decodesToHDR = hdr != 0 }
        if let limits = context?.read(.decodingLimits, as: DecodingLimits.self) { decoding.limits = limits }
        return decoding
    }

    /// A memory hit as the query wants it; nil when it is of another class than asked for.
    static func adapted(_ image: Image, options: WebImageOptions, context: WebImageContext?) -> Image? {
        if options.contains(.decodeFirstFrameOnly) {
            guard image.isAnimated else { return image }
            let still = Image(
                pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
            still.copyMetadata(from: image)
            return still
        }
        guard options.contains(.matchAnimatedImageClass),
            let wanted = context?.read(.animatedImageClass, as: Image.Type.self)
        else { return image }
        return isInstance(image, of: wanted) ? image : nil
    }

    private static func isInstance(_ image: Image, of wanted: Any.Type) -> Bool {
        func check<Wanted>(_: Wanted.Type) -> Bool { image is Wanted }
        return _openExistential(wanted, do: check)
    }
}
