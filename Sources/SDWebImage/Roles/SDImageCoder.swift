public import Foundation
public import WebImage

/// Decodes and encodes images. Has SDWebImage's signatures, in which options are dictionaries and a failure is nil.
///
/// The library calls its methods off the main thread, concurrently from several threads, as those of a
/// ``WebImageCore/ImageCoder``.
@preconcurrency public protocol SDImageCoder: ImageCoder {
    /// Whether this coder can read data with this signature.
    func canDecode(from data: Data?) -> Bool
    /// Returns the decoded image. Nil if this coder cannot decode the data.
    func decodedImage(with data: Data?, options: SDImageCoderOptions?) -> UIImage?
    /// Returns the encoded file. Nil if the image cannot be encoded.
    func encodedData(with image: UIImage?, format: SDImageFormat, options: SDImageCoderOptions?) -> Data?
    /// Returns an animation that consists of `frames`. Nil if the frames cannot be encoded. The default implementation
    /// returns nil.
    func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: SDImageCoderOptions?
    ) -> Data?
}

extension SDImageCoder {
    /// The default implementation. Always nil: the coder writes no animations.
    public func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: SDImageCoderOptions?
    ) -> Data? { nil }
}

// What the library calls. The methods are disfavored, so that a call of a coder of this package finds the coder's own method.
extension SDImageCoder {
    /// False: a file is described by decoding it.
    public var describesFiles: Bool { false }
    /// The coder, if its class adopts ``SDAnimatedImageCoder``. A subclass can add the protocol.
    public var animated: (any AnimatedImageCoder)? { self as? any AnimatedImageCoder }
    /// The coder, if its class adopts ``SDProgressiveImageCoder``. A subclass can add the protocol.
    public var progressive: (any ProgressiveImageCoder)? { self as? any ProgressiveImageCoder }

    /// Asks `canDecode(from:)` of SDWebImage.
    @_disfavoredOverload public func canDecode(from data: Data) -> Bool { canDecode(from: Optional(data)) }

    /// Decodes the file and describes the image.
    @_disfavoredOverload public func imageInfo(
        of data: Data, limits: DecodingLimits
    ) throws(WebImageError) -> ImageInfo {
        var options = DecodingOptions()
        options.limits = limits
        let image = try decode(data, options: options)
        var info = ImageInfo(format: ImageFormat(sniffing: data), storedSize: image.pixelSize)
        info.hasAlpha = image.hasAlpha
        info.frameCount = image.imageFrameCount
        return info
    }

    /// Calls `decodedImage(with:options:)`.
    @_disfavoredOverload public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        guard let image = decodedImage(with: data, options: options.dictionary) else {
            throw .badData("\(type(of: self))", "returned no image")
        }
        image.countsAsDecoded = true
        return image
    }

    /// Calls `encodedData(with:format:options:)`.
    @_disfavoredOverload public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        if let data = encodedData(with: image, format: format, options: options.dictionary) { return data }
        throw WebImageError(
            .encodingFailed, stage: .encode,
            underlying: .codec(library: "\(type(of: self))", message: "returned no data"))
    }
}

// Calls without the arguments that have defaults in SDWebImage.
extension SDImageCoder {
    /// Decodes a file without options. Blocks during decoding.
    public func decodedImage(with data: Data?) -> UIImage? { decodedImage(with: data, options: nil) }

    /// Encodes an image without options. Blocks during encoding.
    public func encodedData(with image: UIImage?, format: SDImageFormat) -> Data? {
        encodedData(with: image, format: format, options: nil)
    }

    /// Encodes an animation without options. Blocks during encoding. Nil if the coder writes no animations.
    public func encodedData(with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat) -> Data? {
        encodedData(with: frames, loopCount: loopCount, format: format, options: nil)
    }
}

/// A coder of this package, with SDWebImage's signatures added: its own methods do the work.
public protocol SDTypedImageCoder: SDImageCoder {}

extension SDTypedImageCoder {
    // As this type, the coder has no methods but its own.
    private var own: any ImageCoder { self }

    /// Whether the data begins as a file of the coder. False for nil.
    public func canDecode(from data: Data?) -> Bool { data.map { own.canDecode(from: $0) } ?? false }

    /// Decodes a file. Blocks during decoding. Nil if the data cannot be decoded.
    public func decodedImage(with data: Data?, options: SDImageCoderOptions?) -> UIImage? {
        data.flatMap { own.image(from: $0, options: DecodingOptions(options)) }
    }

    /// Encodes an image. Blocks during encoding. Nil if the image cannot be encoded. An undefined format means PNG for an
    /// image with alpha, and JPEG for any other image.
    public func encodedData(with image: UIImage?, format: SDImageFormat, options: SDImageCoderOptions?) -> Data? {
        guard let image else { return nil }
        let format = format == .undefined ? image.hasAlpha ? .png : .jpeg : format
        return try? own.encode(image, format: format, options: EncodingOptions(options))
    }

    /// Encodes an animation. Blocks during encoding. Nil if it cannot be encoded. An undefined format means the format of
    /// the first frame.
    ///
    /// As in SDWebImage, a GIF stores `loopCount` itself, so that `animatedImageLoopCount` of the result is the same
    /// number. A GIF with the count 1 has no loop extension.
    public func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: SDImageCoderOptions?
    ) -> Data? {
        let format = format == .undefined ? frames.first?.image.imageFormat ?? format : format
        let loops = Int(clamping: loopCount)
        let plays = format == .gif && loops > 1 ? min(loops, .max - 1) + 1 : loops
        return try? own.encode(frames, loopCount: plays, format: format, options: EncodingOptions(options))
    }
}

extension SDTypedImageCoder where Self: SDAnimatedImageCoder {
    /// Opens an animation. Nil if the data cannot be read or exceeds a limit.
    public init?(animatedImageData data: Data?, options: SDImageCoderOptions?) {
        guard let data, let opened = try? Self(animation: data, options: DecodingOptions(options)) else { return nil }
        self = opened
    }
}

extension SDTypedImageCoder where Self: SDProgressiveImageCoder {
    private var own: any ProgressiveImageCoder { self }

    /// Whether the data begins as a file whose partial images can be decoded. False for nil.
    public func canIncrementalDecode(from data: Data?) -> Bool {
        data.map { own.canIncrementalDecode(from: $0) } ?? false
    }

    /// Creates a coder for one image whose bytes arrive in pieces.
    public init(incrementalWithOptions options: SDImageCoderOptions?) {
        self.init(incremental: DecodingOptions(options))
    }

    /// Decodes the new bytes. `data` must contain all bytes received so far, including the bytes of earlier calls; nil adds
    /// none. After an error, the partial image does not change any more.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        if let data {
            try? own.update(data, finished: finished)
        } else {
            try? own.streaming?.append(Data(), finished: finished)
        }
    }

    /// Returns the partial image. Nil before the first row of pixels has arrived. Of the options, only the scale is used;
    /// without one, the image has that of the coder.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        own.incrementalImage(options: options?[.decodeScaleFactor] == nil ? nil : DecodingOptions(options))
    }
}

/// Gives SDWebImage's signatures to a coder that was written for `WebImage`.
final class AdoptedCoder: SDTypedImageCoder {
    let own: any ImageCoder

    private init(_ own: any ImageCoder) { self.own = own }

    static func adopting(_ coder: any ImageCoder) -> any SDImageCoder {
        coder as? any SDImageCoder ?? AdoptedCoder(coder)
    }

    var signatures: [FileSignature]? { own.signatures }
    var describesFiles: Bool { own.describesFiles }
    var animated: (any AnimatedImageCoder)? { own.animated }
    var progressive: (any ProgressiveImageCoder)? { own.progressive }
    func canDecode(from data: Data) -> Bool { own.canDecode(from: data) }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try own.imageInfo(of: data, limits: limits)
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try own.decode(data, options: options)
    }
    func canEncode(to format: ImageFormat) -> Bool { own.canEncode(to: format) }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        try own.encode(image, format: format, options: options)
    }
    func canEncodeFrames(to format: ImageFormat) -> Bool { own.canEncodeFrames(to: format) }
    func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        try own.encode(
            frameCount: frameCount, loopCount: loopCount, format: format, options: options, frame: frame)
    }
}
