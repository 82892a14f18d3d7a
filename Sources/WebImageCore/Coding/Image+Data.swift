public import Foundation

extension Image {
    /// Returns the image encoded in data; blocks while it decodes.
    ///
    /// - Parameters:
    ///   - scale: pixels per point, at least 1.
    ///   - firstFrameOnly: whether only the first frame of an animation is decoded; otherwise the result is an
    ///     ``AnimatedImage``.
    ///   - coders: the coders that may read it.
    /// - Returns: nil for no data, and for data that is not an image.
    public static func image(
        with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false, coders: ImageCodersManager = .shared
    ) -> Image? {
        guard let data else { return nil }
        return coders.decodedImage(
            with: data,
            options: [.decodeScaleFactor: NumberLimits.scale(Double(scale)), .decodeFirstFrameOnly: firstFrameOnly])
    }

    /// Returns the animation encoded in a GIF file; nil for no data, and for data that is not a GIF.
    public static func image(withGIFData data: Data?) -> Image? {
        guard let data, ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength)) == .gif else { return nil }
        return image(with: data)
    }

    /// Returns the image as a file of the format it was decoded from; as PNG or JPEG, depending on transparency, if
    /// that format cannot be written. An animation returns its original file. Blocks while it encodes.
    ///
    /// - Parameter coders: the coders that may write it.
    public func imageData(coders: ImageCodersManager = .shared) -> Data? {
        if let file = (self as? any AnimatedImageProvider)?.animatedImageData { return file }
        let canWrite = coders.canEncode(to: imageFormat)
        return imageData(as: canWrite ? imageFormat : hasAlpha ? .png : .jpeg, coders: coders)
    }

    /// Returns the image as a file of a format, with all frames of an animation if the format supports them.
    ///
    /// Blocks while it encodes.
    /// - Parameters:
    ///   - format: undefined means PNG or JPEG, depending on transparency.
    ///   - compressionQuality: 0…1, for lossy formats. With 1, an animation in its own format returns its original
    ///     file.
    ///   - firstFrameOnly: whether only the first frame of an animation is written.
    ///   - coders: the coders that may write it.
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
