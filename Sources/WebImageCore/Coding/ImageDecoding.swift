package import Foundation

/// One decode with everything a load's options and context say about it.
package struct ImageDecoding: Sendable {
    package var coder: any ImageCoder
    package var options: DecodingOptions
    /// The coders that judge bytes which one of them could not decode.
    var registered: ImageCodersManager
    /// Tried before the coder, unless the first frame alone is wanted.
    package var animatedClass: (any AnimatedImageProtocol.Type)?
    package var preloadsAllFrames = false
    /// Whether the animated class must succeed.
    package var requiresAnimatedClass = false

    package init(coder: any ImageCoder, options: DecodingOptions, registered: ImageCodersManager = .shared) {
        self.coder = coder
        self.options = options
        self.registered = registered
    }

    /// Decodes; blocks for as long as that takes.
    package func decode(_ data: Data) throws(WebImageError) -> Image {
        if let image = try animated(data) { return image }
        let image = try coder.decodeWithReason(data, options: options)
        if preloadsAllFrames { (image as? any AnimatedImageProtocol)?.preloadAllFrames() }
        image.decodingOptions = options
        return image
    }

    /// What previews of an arriving animation are instances of; nil where the first frame alone is wanted.
    var previewClass: (any AnimatedImageProtocol.Type)? {
        options.firstFrameOnly ? nil : animatedClass ?? AnimatedImage.self
    }

    private func animated(_ data: Data) throws(WebImageError) -> Image? {
        guard let animatedClass else { return nil }
        let scale = CGFloat(Number.scale(options.scaleFactor))
        if let image = animatedClass.init(data: data, scale: scale, options: options.dictionary) {
            if preloadsAllFrames { image.preloadAllFrames() }
            image.decodingOptions = options
            return image
        }
        guard !requiresAnimatedClass else { throw .badData("\(animatedClass)", "cannot read this picture") }
        return nil
    }

    /// The coder that will give the frames of an animation that starts so; nil when none does.
    package func animatedCoder(for data: Data) -> (any AnimatedImageCoder)? {
        let coders = (coder as? ImageCodersManager)?.coders ?? [coder]
        return coders.last { $0.canDecode(from: data) } as? any AnimatedImageCoder
    }

    /// The size the picture will be decoded to, from its header; nil while or where the coder cannot tell.
    package func size(of data: Data) -> PixelSize? {
        header(of: data).map { options.targetSize(for: $0.pixelSize, frameCount: $0.frameCount) }
    }

    /// Bytes the decode will take, the library's own among them, from the header; 0 when the coder cannot tell.
    package func cost(of data: Data) -> Int {
        // Half of all numbers, so that a few such costs still add up.
        header(of: data).map { min($0.decodeBytes(options), .max / 2) } ?? 0
    }

    /// Never by decoding: what that takes is not known yet.
    private func header(of data: Data) -> ImageInfo? {
        if let manager = coder as? ImageCodersManager { return manager.headerInfo(of: data, limits: options.limits) }
        return try? (coder as? any DetailedImageCoder)?.imageInfo(of: data, limits: options.limits)
    }
}
