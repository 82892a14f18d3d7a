public import Foundation
public import WebImage
import WebImageCodecs
import WebImageCompatibility

/// Reads and writes still images: JPEG, PNG, BMP and ICO files, and files of the formats whose coders of this package are
/// registered with ``SDImageCodersManager/shared``, for example HEIC. For some formats, it also decodes a file whose
/// download is in progress. Safe on any thread.
public final class SDImageIOCoder: SDTypedImageCoder, SDProgressiveImageCoder {
    /// The shared coder for complete files.
    public static let shared = SDImageIOCoder()

    private static let formats = ImageCodersManager(coders: [
        ImageICOCoder.shared, ImageBMPCoder.shared, ImagePNGCoder.shared, ImageJPEGCoder.shared,
    ])

    /// The coders for a file or a format: the built-in ones, or registered ones if no built-in coder `accepts` it. Coders
    /// with SDWebImage's signatures and lists of coders are not asked, because they may call this coder.
    private static func coders(accepting accepts: (any ImageCoder) -> Bool) -> ImageCodersManager {
        guard !accepts(formats) else { return formats }
        let registered = ImageCodersManager.shared.ownCoders.filter { coder in
            // Formats with animations have classes of their own.
            let isOther = coder is SDImageIOCoder || coder is ImageGIFCoder || coder is ImageWebPCoder
            return (coder is any SDTypedImageCoder || !(coder is any SDImageCoder))
                && !(isOther || coder is ImageCodersManager)
        }
        return ImageCodersManager(coders: registered)
    }

    private static func coders(for data: Data) -> ImageCodersManager {
        coders { $0.canDecode(from: data) }
    }

    private let options: DecodingOptions?
    private let arriving = Locked<(any ProgressiveImageCoder)?>(nil)

    /// Creates a separate coder for complete files.
    public init() { options = nil }

    /// Creates a coder for one image whose bytes arrive in pieces.
    public init(incremental options: DecodingOptions) { self.options = options }

    /// Whether the coder accepts the data. True for a file that it reads, and for data in an unknown format or nil,
    /// because in SDWebImage this coder tries what no other coder knows. Such data cannot be decoded.
    public func canDecode(from data: Data?) -> Bool {
        data.map { canDecode(from: $0) } ?? true
    }

    /// Whether the coder accepts the data. True for a file that it reads, and for data in an unknown format.
    public func canDecode(from data: Data) -> Bool {
        SDImageFormat(sniffing: data) == .undefined || Self.coders(for: data).canDecode(from: data)
    }

    /// Reads the file's properties, such as size and format, without decoding the pixels.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try Self.coders(for: data).imageInfo(of: data, limits: limits)
    }

    /// Decodes a still image.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try Self.coders(for: data).decode(data, options: options)
    }

    /// Whether the coder can write a format. True for `.undefined`, because then the coder chooses a format.
    public func canEncode(to format: SDImageFormat) -> Bool {
        format == .undefined || Self.coders { $0.canEncode(to: format) }.canEncode(to: format)
    }

    /// Encodes a still image. If `format` is `.undefined`, writes PNG for an image with alpha and JPEG for other
    /// images.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        let format = format == .undefined ? image.hasAlpha ? .png : .jpeg : format
        return try Self.coders { $0.canEncode(to: format) }.encode(image, format: format, options: options)
    }

    /// Whether the first bytes are the signature of a format whose partial images can be decoded.
    public func canIncrementalDecode(from start: Data) -> Bool {
        Self.formats.makeIncrementalCoder(for: start, options: DecodingOptions()) != nil
    }

    /// Decodes the new bytes. `data` must contain all bytes received so far, including the bytes of earlier calls.
    ///
    /// - Throws: `.badImageData` when the bytes cannot be decoded, `.limitExceeded` when the image exceeds a limit.
    public func update(_ data: Data, finished: Bool) throws(WebImageError) {
        guard let options else { return }
        if arriving.withLock({ $0 }) == nil {
            let coder = Self.formats.makeIncrementalCoder(for: data, options: options)
            arriving.withLock { $0 = $0 ?? coder }
        }
        try arriving.withLock { $0 }?.update(data, finished: finished)
    }

    /// The coder of the file's format, if bytes have arrived.
    public var streaming: (any StreamingImageCoder)? { arriving.withLock { $0 }?.streaming }

    /// Returns the partial image. Nil before the first row of pixels has arrived.
    public func incrementalImage(options: DecodingOptions?) -> Image? {
        arriving.withLock { $0 }?.incrementalImage(options: options)
    }
}

extension ImageCodersManager {
    /// Creates a separate manager with the built-in coders.
    public convenience init() { self.init(coders: ImageCodersManager.makeDefaultCoders.withLock { $0 }.call()) }
}

extension ImageLoadersManager {
    /// Creates a separate manager with the shared downloader.
    public convenience init() { self.init(loaders: [SDWebImageDownloader.shared]) }
}

extension ImageCoderOption {
    /// `Bool`: whether pixels are decoded only when they are shown. The option has no effect, because coders always
    /// decode all pixels.
    public static let decodeUseLazyDecoding = ImageCoderOption(rawValue: "decodeUseLazyDecoding")
    /// The load's context, for custom coders. The built-in coders ignore this option.
    public static let webImageContext = ImageCoderOption(rawValue: "webImageContext")
}
