public import Foundation

extension Image {
    /// Decodes the image in `data`. Blocks while it decodes.
    ///
    /// - Parameters:
    ///   - scale: pixels per point, at least 1.
    ///   - firstFrameOnly: whether only the first frame of an animation is decoded; otherwise the result is an
    ///     ``AnimatedImage``.
    ///   - coders: the coders that may read the data.
    /// - Returns: nil if `data` is nil or is not an image.
    public static func image(
        with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false, coders: ImageCodersManager = .shared
    ) -> Image? {
        guard let data else { return nil }
        return coders.decodedImage(
            with: data,
            options: [.decodeScaleFactor: NumberLimits.scale(Double(scale)), .decodeFirstFrameOnly: firstFrameOnly])
    }

    /// Returns the animation in a GIF file; nil if `data` is nil or is not a GIF file.
    public static func image(withGIFData data: Data?) -> Image? {
        guard let data, ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength)) == .gif else { return nil }
        return image(with: data)
    }

    /// Encodes the image in the format of its source. If no coder can write this format, the file is a PNG for an
    /// image with transparency, else a JPEG. For an animation, returns the original file. Blocks while it encodes.
    ///
    /// - Parameter coders: the coders that may write the file.
    public func imageData(coders: ImageCodersManager = .shared) -> Data? {
        if let file = (self as? any AnimatedImageProvider)?.animatedImageData { return file }
        let canWrite = coders.canEncode(to: imageFormat)
        return imageData(as: canWrite ? imageFormat : hasAlpha ? .png : .jpeg, coders: coders)
    }

    /// Encodes the image in a format. Writes all frames of an animation if the format supports animations.
    ///
    /// Blocks while it encodes.
    /// - Parameters:
    ///   - format: the format of the file. Undefined means PNG for an image with transparency, else JPEG.
    ///   - compressionQuality: the quality for lossy formats, 0…1. With 1, an animation that is encoded in
    ///     the format of its source returns the original file.
    ///   - firstFrameOnly: whether only the first frame of an animation is written.
    ///   - coders: the coders that may write the file.
    /// - Returns: nil when no coder writes the format.
    public func imageData(
        as format: ImageFormat, compressionQuality: Double = 1, firstFrameOnly: Bool = false,
        coders: ImageCodersManager = .shared
    ) -> Data? {
        let animation = self as? any AnimatedImageProvider
        if !firstFrameOnly, compressionQuality >= 1, format != .undefined, format.container == imageFormat.container,
            let file = animation?.animatedImageData
        {
            return file
        }
        var options = EncodingOptions()
        options.quality = compressionQuality
        options.firstFrameOnly = firstFrameOnly
        return coders.encodedData(
            with: self, format: format == .undefined ? (hasAlpha ? .png : .jpeg) : format, options: options.dictionary)
    }
}
