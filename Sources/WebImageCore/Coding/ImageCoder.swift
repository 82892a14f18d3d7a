public import Foundation

/// Turns bytes into an image and an image into bytes.
///
/// The shape is the original's. Called off the main thread, from several threads at once. A coder that can say why it
/// failed, or what a file holds without decoding it, adopts ``DetailedImageCoder`` instead.
@preconcurrency public protocol ImageCoder: Sendable {
    /// Whether this coder reads such data; looks at the signature without consuming it.
    func canDecode(from data: Data?) -> Bool
    /// The decoded image, or nil when the data is no picture this coder can read.
    func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image?
    /// Whether this coder writes such a format.
    func canEncode(to format: ImageFormat) -> Bool
    /// The encoded file, or nil when the image cannot be written so.
    func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data?
    /// The frames encoded as an animation; nil, which it is unless implemented, when they cannot be written so.
    ///
    /// A coder that writes animations without having all frames in memory adopts ``FrameEncodingImageCoder`` instead.
    func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data?
}

extension ImageCoder {
    /// Nil: writes no animations.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? { nil }
}

/// A coder that reports why it failed and what a file holds; every built-in coder is one.
@preconcurrency public protocol DetailedImageCoder: ImageCoder {
    /// What the file says about itself, from its header without decoding pixels where the format allows it.
    ///
    /// - Throws: `.badImageData` for what is no such file, `.limitExceeded` for one over `limits`.
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo
    /// The decoded image: oriented, at the wanted size and layout.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; always within the options' limits, always before allocating.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image
    /// The encoded file.
    ///
    /// - Throws: `.encodingFailed`.
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data
}

extension DetailedImageCoder {
    /// The decoded image, or nil for any failure.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        guard let data else { return nil }
        return try? decode(data, options: DecodingOptions(options))
    }

    /// The encoded file, or nil for any failure. An undefined format means PNG with alpha, else JPEG.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        guard let image else { return nil }
        let format = format == .undefined ? (image.hasAlpha ? .png : .jpeg) : format
        return try? encode(image, format: format, options: EncodingOptions(options))
    }
}

extension ImageCoder {
    /// Decodes with whatever detail the coder can give.
    package func decodeWithReason(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        if let detailed = self as? any DetailedImageCoder { return try detailed.decode(data, options: options) }
        if let image = decodedImage(with: data, options: options.dictionary) { return image }
        throw .badData("\(type(of: self))", "gave no image")
    }

    /// Encodes with whatever detail the coder can give.
    package func encodeWithReason(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        if let detailed = self as? any DetailedImageCoder {
            return try detailed.encode(image, format: format, options: options)
        }
        if let data = encodedData(with: image, format: format, options: options.dictionary) { return data }
        throw WebImageError(
            .encodingFailed, stage: .encode, underlying: .codec(library: "\(type(of: self))", message: "gave no data"))
    }
}
