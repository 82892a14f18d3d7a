public import Foundation
public import WebImageCore
public import WebImageGraphics
public import WebImageLoading

/// Makes checked pictures of several sizes from a file that a stranger uploaded. Store and send only these pictures, never
/// the uploaded bytes.
///
/// ```swift
/// let avatars = ImageUploadProcessor(variants: [
///     .init("large", size: PixelSize(width: 512, height: 512), mode: .aspectFill),
///     .init("small", size: PixelSize(width: 64, height: 64), mode: .aspectFill),
/// ])
/// let upload = try await avatars.process(body)
/// ```
///
/// The content alone decides about the format: names and declared types are not read. The file is decoded once, within the
/// limits, upright and in sRGB, and each variant is scaled from this picture by one resampling. Variants contain no EXIF,
/// XMP, comments or profile of the file, and nothing that followed the picture. Of an animation or a file with several
/// pages, the first is used. Where `WebImageSandbox` is enabled, decoder processes read the file. Safe on any thread.
public struct ImageUploadProcessor: Sendable {
    /// One picture to make.
    public struct Variant: Sendable, Hashable {
        /// The name under which the result has the picture.
        public var name: String
        /// The box in pixels; nil keeps the size of the upload. A picture is never enlarged.
        public var size: PixelSize?
        /// How the picture is placed in the box. `.aspectFit` makes it fit into the box. `.aspectFill` cuts off the parts
        /// outside the centred area with the aspect ratio of the box, so that every result has this ratio. `.fill`
        /// stretches it.
        public var mode: ImageScaleMode
        /// The format of the variant. `.undefined`, the default, selects by content: PNG for a picture with transparency
        /// or from a format that is always lossless (PNG, GIF, BMP, ICO, TIFF), otherwise JPEG.
        public var format: ImageFormat
        /// The parameters of the encoder.
        public var options: EncodingOptions

        /// Describes one picture.
        ///
        /// - Parameter quality: The quality for lossy formats, 0…1.
        public init(
            _ name: String, size: PixelSize? = nil, mode: ImageScaleMode = .aspectFit, format: ImageFormat = .undefined,
            quality: Double = 0.85
        ) {
            self.name = name
            self.size = size
            self.mode = mode
            self.format = format
            options = EncodingOptions()
            options.quality = quality
        }
    }

    /// The pictures that were made from one upload.
    public struct Result: Sendable {
        /// The description of the uploaded file, from its header: the format that the content has, the size, the frames.
        public let info: ImageInfo
        /// The pictures by the names of their variants.
        public let images: [String: EncodedImage]
    }

    /// The pictures to make. Each needs a name of its own.
    public var variants: [Variant]
    /// The limits of a file. The time also limits scaling and encoding.
    public var limits: DecodingLimits
    /// The coders that read the upload and write the variants.
    public var coders: ImageCodersManager

    /// Limits for uploads: 20 MB, 50 megapixels, 1 GiB of memory and 8 s.
    public static let defaultLimits = DecodingLimits(
        maxEncodedBytes: 20_000_000, maxPixels: 50_000_000, maxAnimationPixels: 400_000_000, maxDecodeBytes: 1 << 30)

    /// Describes what is made from uploads.
    public init(
        variants: [Variant], limits: DecodingLimits = ImageUploadProcessor.defaultLimits,
        coders: ImageCodersManager = .shared
    ) {
        self.variants = variants
        self.limits = limits
        self.coders = coders
    }

    /// Returns the variants of an uploaded file.
    ///
    /// The work runs on the threads that decode, at most as much at once as the process decodes otherwise. The limits are
    /// checked on the header before anything is allocated.
    /// - Throws: `.limitExceeded` if the file exceeds a limit; `.badImageData` if it is no picture or damaged;
    ///   `.unsupportedFormat` if no coder reads it; `.encodingFailed` if a variant cannot be written; `.cancelled` if the
    ///   surrounding task is cancelled. Answer a client with `error.code.words`.
    public func process(_ data: Data) async throws(WebImageError) -> Result {
        try limits.checkEncodedBytes(data.count)
        let budget = WorkBudget(time: limits.maxDecodeTime, maxBytes: limits.maxDecodeBytes)
        var options = DecodingOptions()
        options.limits = limits
        options.firstFrameOnly = true
        let (coders, decoding) = (coders, options)
        let (info, image) = try await DecodePool.shared.run(
            // No other file has the owner of an upload, so a decoder process that it takes over sees no other file.
            measuring: {
                let info = try? FileOwner.unknown.run { () throws(WebImageError) in
                    try coders.imageInfo(of: data, limits: decoding.limits)
                }
                return info.map { min($0.decodeBytes(decoding), .max / 2) } ?? 0
            }, budget: budget
        ) { () throws(WebImageError) in
            try FileOwner.unknown.run { () throws(WebImageError) in
                (
                    try coders.imageInfo(of: data, limits: decoding.limits),
                    try coders.decode(data, options: decoding)
                )
            }
        }
        var images: [String: EncodedImage] = [:]
        for variant in variants {
            images[variant.name] = try await DecodePool.shared.run(cost: image.pixels.byteCount, budget: budget) {
                () throws(WebImageError) in
                try variant.encoded(from: image, info.format, coders)
            }
        }
        return Result(info: info, images: images)
    }
}

extension ImageUploadProcessor.Variant {
    fileprivate func encoded(
        from upload: Image, _ format: ImageFormat, _ coders: ImageCodersManager
    ) throws(WebImageError) -> EncodedImage {
        let target = pixelSize(of: upload.pixelSize)
        let points = CGSize(
            width: Double(target.width) / upload.scale, height: Double(target.height) / upload.scale)
        // The target has the aspect ratio already, but for the rounding to whole pixels.
        guard
            let scaled = target == upload.pixelSize
                ? upload : upload.resizedImage(with: points, scaleMode: mode == .aspectFill ? .aspectFill : .fill)
        else {
            try WorkBudget.current?.check()
            throw WebImageError(
                .encodingFailed, stage: .encode,
                underlying: .message("the variant \(name) cannot be scaled to \(target)"),
                hint: "Choose a smaller size.")
        }
        let chosen =
            self.format != .undefined ? self.format : upload.hasAlpha || format.isAlwaysLossless ? .png : .jpeg
        let data = try coders.encode(scaled, format: chosen, options: options)
        return EncodedImage(data: data, format: chosen, pixelSize: scaled.pixelSize)
    }

    private func pixelSize(of upload: PixelSize) -> PixelSize {
        guard let size, size.width > 0, size.height > 0 else { return upload }
        guard mode == .aspectFill else {
            return ImageScaling.size(
                of: upload, in: size, preserveAspectRatio: mode == .aspectFit, allowsEnlarging: false)
        }
        // The box itself becomes smaller for a smaller picture, so that its aspect ratio stays.
        let factor = min(
            1, Double(upload.width) / Double(size.width), Double(upload.height) / Double(size.height))
        return PixelSize(
            width: max(Int((Double(size.width) * factor).rounded()), 1),
            height: max(Int((Double(size.height) * factor).rounded()), 1))
    }
}
