public import Foundation

/// Decodes bytes to an image and encodes an image to bytes.
///
/// The requirements are the same as in SDWebImage. The methods are called off the main thread, concurrently from
/// several threads. If a coder can report the reason of a failure and describe a file without decoding it, the coder
/// should adopt ``DetailedImageCoder`` instead.
@preconcurrency public protocol ImageCoder: Sendable {
    /// Returns whether this coder can read data with this signature. Does not decode the data.
    func canDecode(from data: Data?) -> Bool
    /// Returns the decoded image; nil when this coder cannot decode the data.
    func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image?
    /// Returns whether this coder can write a format.
    func canEncode(to format: ImageFormat) -> Bool
    /// Returns the encoded file; nil when the image cannot be encoded.
    func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data?
    /// Returns an animation that consists of `frames`; nil when the frames cannot be encoded. The default
    /// implementation returns nil.
    ///
    /// If a coder can write an animation without having all frames in memory, the coder should adopt
    /// ``FrameEncodingImageCoder`` instead.
    func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data?
}

extension ImageCoder {
    /// Returns nil. A coder that can write animations must implement this method.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? { nil }
}

/// A coder that reports the reason of a failure and can describe a file without decoding the pixels. All built-in
/// coders adopt this protocol.
@preconcurrency public protocol DetailedImageCoder: ImageCoder {
    /// Reads the description of the image from the header of the file. Decodes pixels only if the format
    /// requires it.
    ///
    /// - Throws: `.badImageData` when the coder cannot read the data, `.limitExceeded` when the image exceeds `limits`.
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo
    /// Returns the decoded image. The image is upright and has the requested size and layout. The coder must check
    /// the limits before it allocates memory.
    ///
    /// - Throws: `.badImageData` when the coder cannot decode the data, `.limitExceeded` when the image exceeds the
    ///   limits in `options`.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image
    /// Returns the encoded file.
    ///
    /// - Throws: `.encodingFailed` when the image cannot be encoded.
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data
}

extension DetailedImageCoder {
    /// Returns the decoded image; nil when the decode fails.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        guard let data else { return nil }
        return try? decode(data, options: DecodingOptions(options))
    }

    /// Returns the encoded file; nil when the image cannot be encoded. An undefined format means PNG for an image with
    /// alpha, and JPEG for any other image.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        guard let image else { return nil }
        let format = format == .undefined ? (image.hasAlpha ? .png : .jpeg) : format
        return try? encode(image, format: format, options: EncodingOptions(options))
    }
}

extension ImageCoder {
    /// Decodes the data. If a ``DetailedImageCoder`` fails, throws the coder's error, which contains the reason. If
    /// another coder fails, throws a general error.
    package func decodeWithReason(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        if let detailed = self as? any DetailedImageCoder { return try detailed.decode(data, options: options) }
        if let image = decodedImage(with: data, options: options.dictionary) { return image }
        throw .badData("\(type(of: self))", "returned no image")
    }

    /// Encodes the image. If a ``DetailedImageCoder`` fails, throws the coder's error, which contains the reason. If
    /// another coder fails, throws a general error.
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
