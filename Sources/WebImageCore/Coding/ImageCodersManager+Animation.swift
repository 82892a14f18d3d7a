public import Foundation

extension ImageCodersManager {
    /// Opens an animation with the coder that recognises the content. Returns nil if this coder cannot decode
    /// animations.
    ///
    /// - Throws: `.badImageData` when no coder recognises the data or the coder cannot read the data, `.limitExceeded`
    ///   when the animation exceeds the limits in `options`.
    public func animation(
        of data: Data, options: DecodingOptions
    ) throws(WebImageError) -> (any AnimatedImageCoder)? {
        try options.limits.checkEncodedBytes(data.count)
        guard let coder = decoder(for: data) else {
            throw .badData("sniffer", "no coder reads this data", hint: "Add a coder for its format.")
        }
        if let detailed = coder.detailedAnimated {
            return try type(of: detailed).init(animation: data, options: options)
        }
        guard let animated = coder.animated else { return nil }
        guard let opened = type(of: animated).init(animatedImageData: data, options: options.dictionary) else {
            throw .badData("\(type(of: animated))", "returned no animation")
        }
        return opened
    }
}

extension ImageCodersManager: FrameEncodingImageCoder {
    /// Returns the encoded animation. If several coders can write animations in the format, the last of them in
    /// the list is used.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard let coder = frameEncoder(for: format) else {
            throw WebImageError(
                .encodingFailed, stage: .encode, underlying: .message("no coder writes animations as \(format)"),
                hint: "Choose GIF, PNG or WebP, or add a coder for this format.")
        }
        return try coder.encode(
            frameCount: frameCount, loopCount: loopCount, format: format, options: options, frame: frame)
    }

    /// Returns whether any coder writes animations in the format.
    public func canEncodeFrames(to format: ImageFormat) -> Bool {
        frameEncoder(for: format) != nil
    }

    private func frameEncoder(for format: ImageFormat) -> (any FrameEncodingImageCoder)? {
        resolvedCoders.last { $0.frameEncoding?.canEncode(to: format) ?? false }?.frameEncoding
    }
}

extension AnimatedImageCoder {
    /// Returns a frame. If a ``DetailedAnimatedImageCoder`` fails, throws the coder's error, which contains the reason.
    /// If another coder fails, throws a general error.
    ///
    /// - Throws: `.badImageData` when the index is out of range or the frame cannot be decoded, `.limitExceeded` when
    ///   the frame exceeds a limit.
    public func frameWithReason(at index: Int) throws(WebImageError) -> Image {
        if let detailed = self as? any DetailedAnimatedImageCoder { return try detailed.frame(at: index) }
        if let image = animatedImageFrame(at: index) { return image }
        throw .badData("\(type(of: self))", "returned no frame \(index)")
    }
}
