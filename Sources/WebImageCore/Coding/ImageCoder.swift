public import Foundation

/// Decodes bytes to an image and encodes an image to bytes.
///
/// The requirements are those of SDWebImage. Called off the main thread, from several threads at once. A coder that
/// can report why it failed, or describe a file without decoding it, adopts ``DetailedImageCoder`` instead.
@preconcurrency public protocol ImageCoder: Sendable {
    /// Returns whether this coder reads such data; checks the signature without consuming it.
    func canDecode(from data: Data?) -> Bool
    /// Returns the decoded image, or nil when this coder cannot read the data as an image.
    func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image?
    /// Returns whether this coder writes a format.
    func canEncode(to format: ImageFormat) -> Bool
    /// Returns the encoded file, or nil when the image cannot be encoded.
    func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data?
    /// Returns the frames encoded as an animation, or nil when they cannot be encoded. Default: nil.
    ///
    /// A coder that writes animations without holding all frames in memory adopts ``FrameEncodingImageCoder`` instead.
    func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data?
}

extension ImageCoder {
    /// Returns nil: writes no animations.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? { nil }
}

/// A coder that reports why it failed and can describe a file; every built-in coder is one.
@preconcurrency public protocol DetailedImageCoder: ImageCoder {
    /// Reads the image's description from the header of the file. Decodes no pixels if the format allows that.
    ///
    /// - Throws: `.badImageData` when the data is not such a file, `.limitExceeded` when it exceeds `limits`.
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo
    /// Returns the decoded image: upright, at the requested size and layout.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`. Limits are always checked, and always before memory is allocated.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image
    /// Returns the encoded file.
    ///
    /// - Throws: `.encodingFailed`.
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data
}

extension DetailedImageCoder {
    /// Returns the decoded image, or nil for any failure.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        guard let data else { return nil }
        return try? decode(data, options: DecodingOptions(options))
    }

    /// Returns the encoded file, or nil for any failure. An undefined format means PNG with alpha, otherwise JPEG.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        guard let image else { return nil }
        let format = format == .undefined ? (image.hasAlpha ? .png : .jpeg) : format
        return try? encode(image, format: format, options: EncodingOptions(options))
    }
}

extension ImageCoder {
    /// Decodes; throws the most detailed error that the coder supports.
    package func decodeWithReason(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        if let detailed = self as? any DetailedImageCoder { return try detailed.decode(data, options: options) }
        if let image = decodedImage(with: data, options: options.dictionary) { return image }
        throw .badData("\(type(of: self))", "returned no image")
    }

    /// Encodes; throws the most detailed error that the coder supports.
    package func encodeWithReason(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        if let detailed = self as? any DetailedImageCoder {
            return try detailed.encode(image, format: format, options: options)
        }
        if let data = encodedData(with: image, format: format, options: options.dictionary) { return data }
        throw WebImageError(
            .encodingFailed, stage: .encode,
            underlying: .codec(library: "\(type(of: self))", message: "returned no data"))
    }
}
