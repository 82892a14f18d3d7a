public import Foundation
public import WebImage
import WebImageCodecs

/// Reads and writes still images. The coder reads JPEG, PNG, BMP and ICO files. It decodes complete files. For some of
/// these formats, it also decodes a file whose download is in progress. Safe on any thread.
public final class SDImageIOCoder: DetailedImageCoder, SDProgressiveImageCoder {
    /// The shared coder for complete files.
    public static let shared = SDImageIOCoder()

    private static let formats = ImageCodersManager(coders: [
        ImageICOCoder.shared, ImageBMPCoder.shared, ImagePNGCoder.shared, ImageJPEGCoder.shared,
    ])

    private let options: Locked<SharedOptions?>
    private let arriving = Locked<(any ProgressiveImageCoder)?>(nil)

    /// Makes the options `Sendable`, because several threads can read them from the lock.
    private struct SharedOptions: @unchecked Sendable {
        // Unchecked is correct because `value` is a constant, so no thread changes the dictionary.
        let value: SDImageCoderOptions?
    }

    /// Creates a separate coder for complete files.
    public init() { options = Locked(nil) }

    /// Creates a coder for one image whose bytes arrive in pieces.
    public init(incrementalWithOptions options: SDImageCoderOptions?) {
        self.options = Locked(SharedOptions(value: options))
    }

    /// Whether the coder accepts the data. True for a JPEG, PNG, BMP or ICO file, and for data in an unknown format or
    /// nil, because in SDWebImage this coder tries what no other coder knows. Such data cannot be decoded.
    public func canDecode(from data: Data?) -> Bool {
        guard let data, SDImageFormat(sniffing: data) != .undefined else { return true }
        return Self.formats.canDecode(from: data)
    }

    /// Reads the file's properties, such as size and format, without decoding the pixels.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try Self.formats.imageInfo(of: data, limits: limits)
    }

    /// Decodes a still image.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try Self.formats.decode(data, options: options)
    }

    /// Whether the coder can write a format. True for `.undefined`, because then the coder chooses a format.
    public func canEncode(to format: SDImageFormat) -> Bool {
        format == .undefined || Self.formats.canEncode(to: format)
    }

    /// Encodes a still image. If `format` is `.undefined`, writes PNG for an image with alpha and JPEG for other
    /// images.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        let format = format == .undefined ? image.hasAlpha ? .png : .jpeg : format
        return try Self.formats.encode(image, format: format, options: options)
    }

    /// Whether the first bytes are the signature of a format whose partial images can be decoded.
    public func canIncrementalDecode(from data: Data?) -> Bool {
        Self.formats.makeIncrementalCoder(for: data, options: nil) != nil
    }

    /// Decodes the new bytes. `data` must contain all bytes received so far, including the bytes of earlier calls.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        guard let options = options.withLock({ $0 }) else { return }
        if arriving.withLock({ $0 }) == nil {
            let coder = Self.formats.makeIncrementalCoder(for: data, options: options.value)
            arriving.withLock { $0 = $0 ?? coder }
        }
        arriving.withLock { $0 }?.updateIncrementalData(data, finished: finished)
    }

    /// Returns the partial image. Nil before the first row of pixels has arrived.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        arriving.withLock { $0 }?.incrementalDecodedImage(with: options)
    }
}

extension ImageCodersManager {
    /// Creates a separate manager with the built-in coders.
    public convenience init() { self.init(coders: ImageCodersManager.makeDefaultCoders.withLock { $0 }()) }
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
