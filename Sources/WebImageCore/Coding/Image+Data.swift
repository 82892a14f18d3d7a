public import Foundation

extension Image {
    /// The picture encoded in data; blocks while it decodes.
    ///
    /// - Parameters:
    ///   - scale: pixels per point, at least 1.
    ///   - firstFrameOnly: whether an animation gives its first frame alone; else it is an ``AnimatedImage``.
    ///   - coders: the coders that may read it.
    /// - Returns: nil for no data, and for data that is no picture.
    public static func image(
        with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false, coders: ImageCodersManager = .shared
    ) -> Image? {
        guard let data else { return nil }
        return coders.decodedImage(
            with: data,
            options: [.decodeScaleFactor: Number.scale(Double(scale)), .decodeFirstFrameOnly: firstFrameOnly])
    }

    /// The animation encoded in a GIF file; nil for no data, and for data that is no GIF.
    public static func image(withGIFData data: Data?) -> Image? {
        guard let data, ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength)) == .gif else { return nil }
        return image(with: data)
    }

    /// The picture as a file of the format it was decoded from; PNG or JPEG, by its transparency, if that cannot be
    /// written. An animation's own file, as it came. Blocks while it encodes.
    ///
    /// - Parameter coders: the coders that may write it.
    public func imageData(coders: ImageCodersManager = .shared) -> Data? {
        if let file = (self as? any AnimatedImageProvider)?.animatedImageData { return file }
        let canWrite = coders.canEncode(to: imageFormat)
        return imageData(as: canWrite ? imageFormat : hasAlpha ? .png : .jpeg, coders: coders)
    }

    /// The picture as a file of a format; all frames of an animation, where the format has them.
    ///
    /// Blocks while it encodes.
    /// - Parameters:
    ///   - format: undefined means PNG or JPEG, by the picture's transparency.
    ///   - compressionQuality: 0…1, for lossy formats. With 1 an animation in its own format is the file it came from.
    ///   - firstFrameOnly: whether an animation's first frame alone is written.
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
