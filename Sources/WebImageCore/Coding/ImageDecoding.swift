package import Foundation

/// The parameters of one decode, taken from a load's options and context.
package struct ImageDecoding: Sendable {
    package var coder: any ImageCoder
    package var options: DecodingOptions
    /// The coders that are tried when `coder` has failed, to decide whether the bytes are useless.
    var registered: ImageCodersManager
    /// The image class that is tried before the coder; nil if only the first frame is requested.
    package var animatedClass: (any AnimatedImageProtocol.Type)?
    package var preloadsAllFrames = false
    /// Whether the decode fails if the animated class cannot read the data. If false, the coder is tried next.
    package var requiresAnimatedClass = false

    package init(coder: any ImageCoder, options: DecodingOptions, registered: ImageCodersManager = .shared) {
        self.coder = coder
        self.options = options
        self.registered = registered
    }

    /// Decodes the data. Blocks until the image is decoded.
    package func decode(_ data: Data) throws(WebImageError) -> Image {
        if let image = try animated(data) { return image }
        let image = try coder.decodeWithReason(data, options: options)
        if preloadsAllFrames { (image as? any AnimatedImageProtocol)?.preloadAllFrames() }
        image.decodingOptions = options
        return image
    }

    /// The class of the partial images of an animation that is being downloaded; nil if only the first frame
    /// is requested.
    var previewClass: (any AnimatedImageProtocol.Type)? {
        options.firstFrameOnly ? nil : animatedClass ?? AnimatedImage.self
    }

    private func animated(_ data: Data) throws(WebImageError) -> Image? {
        guard let animatedClass else { return nil }
        let scale = CGFloat(NumberLimits.scale(options.scaleFactor))
        if let image = animatedClass.init(data: data, scale: scale, options: options.dictionary) {
            if preloadsAllFrames { image.preloadAllFrames() }
            image.decodingOptions = options
            return image
        }
        guard !requiresAnimatedClass else { throw .badData("\(animatedClass)", "cannot read this picture") }
        return nil
    }

    /// Returns the coder that will decode the frames of an animation that begins with `data`; nil when there is none.
    package func animatedCoder(for data: Data) -> (any AnimatedImageCoder)? {
        let coders = (coder as? ImageCodersManager)?.coders ?? [coder]
        return coders.last { $0.canDecode(from: data) } as? any AnimatedImageCoder
    }

    /// Returns the size to which the image will be decoded. Reads only the header; nil if the header is
    /// incomplete or the coder cannot read it.
    package func size(of data: Data) -> PixelSize? {
        header(of: data).map { options.targetSize(for: $0.pixelSize, frameCount: $0.frameCount) }
    }

    /// Returns the memory in bytes that the decode will take, including the working memory of the codec
    /// library. Reads only the header; 0 if the cost is unknown.
    package func cost(of data: Data) -> Int {
        // Limited to half of `Int.max`, so that the pool can add the cost to its total without overflow.
        header(of: data).map { min($0.decodeBytes(options), .max / 2) } ?? 0
    }

    /// Reads the header. Does not decode, because the caller needs the cost before it may decode.
    private func header(of data: Data) -> ImageInfo? {
        if let manager = coder as? ImageCodersManager { return manager.headerInfo(of: data, limits: options.limits) }
        return try? (coder as? any DetailedImageCoder)?.imageInfo(of: data, limits: options.limits)
    }
}
