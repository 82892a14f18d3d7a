package import Foundation

/// One decode with everything a load's options and context say about it.
package struct ImageDecoding: Sendable {
    package var coder: any ImageCoder
    package var options: DecodingOptions
    /// Tried before the coder, unless the first frame alone is wanted.
    package var animatedClass: (any AnimatedImageProtocol.Type)?
    package var preloadsAllFrames = false
    /// Whether the animated class must succeed.
    package var requiresAnimatedClass = false

    package init(coder: any ImageCoder, options: DecodingOptions) {
        self.coder = coder
        self.options = options
    }

    package init(
        coder: any ImageCoder, options: DecodingOptions, loadOptions: WebImageOptions, context: WebImageContext?
    ) {
        self.init(coder: coder, options: options)
        guard !loadOptions.contains(.decodeFirstFrameOnly) else { return }
        animatedClass = context?.read(.animatedImageClass, as: (any AnimatedImageProtocol.Type).self)
        preloadsAllFrames = loadOptions.contains(.preloadAllFrames)
        requiresAnimatedClass = loadOptions.contains(.matchAnimatedImageClass)
    }

    /// Decodes; blocks for as long as that takes.
    package func decode(_ data: Data) throws(WebImageError) -> Image {
        if let image = try animated(data) { return image }
        let image = try coder.decodeWithReason(data, options: options)
        image.decodingOptions = options
        return image
    }

    private func animated(_ data: Data) throws(WebImageError) -> Image? {
        guard let animatedClass else { return nil }
        let scale = CGFloat(max(options.scaleFactor, 1))
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
        guard let detailed = coder as? any DetailedImageCoder,
            let info = try? detailed.imageInfo(of: data, limits: options.limits)
        else { return nil }
        return options.targetSize(for: info.pixelSize, frameCount: info.frameCount)
    }

    /// Bytes the decoded picture will take, from its header; 0 when the coder cannot tell.
    package func cost(of data: Data) -> Int {
        guard let target = size(of: data) else { return 0 }
        let (bytes, overflow) = target.pixelCount.multipliedReportingOverflow(by: options.pixelFormat.bytesPerPixel)
        return overflow ? .max / 2 : bytes
    }
}
