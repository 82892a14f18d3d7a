public import Foundation

extension Image {
    /// Decodes the image in `data`. Blocks the calling thread until the image is decoded.
    ///
    /// - Parameters:
    ///   - scale: pixels per point, at least 1.
    ///   - firstFrameOnly: whether only the first frame of an animation is decoded. If false, the result for an
    ///     animation is an ``AnimatedImage``.
    ///   - coders: the coders that can be used to read the data.
    /// - Returns: nil if `data` is nil or is not an image.
    public static func image(
        with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false, coders: ImageCodersManager = .shared
    ) -> Image? {
        guard let data else { return nil }
        var options = DecodingOptions()
        options.scaleFactor = NumberLimits.scale(Double(scale))
        options.firstFrameOnly = firstFrameOnly
        return coders.image(from: data, options: options)
    }

    /// Returns the animation in a GIF file; nil if `data` is nil or is not a GIF file.
    public static func image(withGIFData data: Data?) -> Image? {
        guard let data, ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength)) == .gif else { return nil }
        return image(with: data)
    }

    /// Encodes the image in the format from which it was decoded. If no coder can write this format, encodes an image
    /// with transparency as PNG and any other image as JPEG. For an animation, returns the original file.
    ///
    /// Blocks the calling thread until the image is encoded.
    ///
    /// - Parameter coders: the coders that can be used to write the file.
    public func imageData(coders: ImageCodersManager = .shared) -> Data? {
        if let file = animationProvider?.animatedImageData { return file }
        let canWrite = coders.canEncode(to: imageFormat)
        return imageData(as: canWrite ? imageFormat : hasAlpha ? .png : .jpeg, coders: coders)
    }

    /// Encodes the image in a format. Writes all frames of an animation if the format supports animations.
    ///
    /// If all frames of an animation are requested with the quality 1 and in the format of the original file, returns
    /// the original file. Blocks the calling thread until the image is encoded.
    /// - Parameters:
    ///   - format: the format of the file. Undefined means PNG for an image with transparency, and JPEG for any other
    ///     image.
    ///   - compressionQuality: the quality for lossy formats, 0…1.
    ///   - firstFrameOnly: whether only the first frame of an animation is written.
    ///   - coders: the coders that can be used to write the file.
    /// - Returns: nil when no coder writes the format.
    public func imageData(
        as format: ImageFormat, compressionQuality: Double = 1, firstFrameOnly: Bool = false,
        coders: ImageCodersManager = .shared
    ) -> Data? {
        let animation = animationProvider
        if !firstFrameOnly, compressionQuality >= 1, format != .undefined, format.container == imageFormat.container,
            let file = animation?.animatedImageData
        {
            return file
        }
        var options = EncodingOptions()
        options.quality = compressionQuality
        options.firstFrameOnly = firstFrameOnly
        return try? coders.encode(
            self, format: format == .undefined ? (hasAlpha ? .png : .jpeg) : format, options: options)
    }
}

extension ImageCoder {
    /// Returns the decoded image; nil when the decode fails. As in SDWebImage, a picture that was not made smaller does not
    /// count as decoded.
    package func image(from data: Data, options: DecodingOptions) -> Image? {
        let image = try? decode(data, options: options)
        if options.thumbnailPixelSize == nil { image?.countsAsDecoded = false }
        return image
    }
}
