package import Foundation

/// One decode with all parameters from a load's options and context.
package struct ImageDecoding: Sendable {
    package var coder: any ImageCoder
    package var options: DecodingOptions
    /// The coders that decide whether bytes that one of them could not decode are useless.
    var registered: ImageCodersManager
    /// The class tried before the coder, unless only the first frame is requested.
    package var animatedClass: (any AnimatedImageProtocol.Type)?
    package var preloadsAllFrames = false
    /// Whether the animated class must succeed.
    package var requiresAnimatedClass = false

    package init(coder: any ImageCoder, options: DecodingOptions, registered: ImageCodersManager = .shared) {
        self.coder = coder
        self.options = options
        self.registered = registered
    }

    /// Decodes the data; blocks until it is done.
    package func decode(_ data: Data) throws(WebImageError) -> Image {
        if let image = try animated(data) { return image }
        let image = try coder.decodeWithReason(data, options: options)
        if preloadsAllFrames { (image as? any AnimatedImageProtocol)?.preloadAllFrames() }
        image.decodingOptions = options
        return image
    }

    /// The class of the partial images of an arriving animation; nil if only the first frame is requested.
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

    /// Returns the size to which the image will be decoded, from its header; nil if the coder cannot determine it
    /// (yet).
    package func size(of data: Data) -> PixelSize? {
        header(of: data).map { options.targetSize(for: $0.pixelSize, frameCount: $0.frameCount) }
    }

    /// Returns the bytes that the decode will take, including the library's own memory, from the header; 0 if unknown.
    package func cost(of data: Data) -> Int {
        // At most half of the largest integer, so that a few such costs can be added without overflow.
        header(of: data).map { min($0.decodeBytes(options), .max / 2) } ?? 0
    }

    /// Reads the header without decoding, because the cost of a decode is not known yet.
    private func header(of data: Data) -> ImageInfo? {
        if let manager = coder as? ImageCodersManager { return manager.headerInfo(of: data, limits: options.limits) }
        return try? (coder as? any DetailedImageCoder)?.imageInfo(of: data, limits: options.limits)
    }
}
