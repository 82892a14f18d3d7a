public import Foundation
public import WebImage
import WebImageCodecs

/// The formats that need no plug-in, as stills: JPEG, PNG, BMP, ICO; also while they arrive. Safe on any thread.
public final class SDImageIOCoder: DetailedImageCoder, SDProgressiveImageCoder {
    /// Decodes and encodes by content.
    public static let shared = SDImageIOCoder()

    private static let formats = ImageCodersManager(coders: [
        ImageICOCoder.shared, ImageBMPCoder.shared, ImagePNGCoder.shared, ImageJPEGCoder.shared,
    ])

    private let options: Locked<SharedOptions?>
    private let arriving = Locked<(any ProgressiveImageCoder)?>(nil)

    /// Options on their way into a lock.
    private struct SharedOptions: @unchecked Sendable {
        // Unchecked is safe because the dictionary is a value that does not change after it was given.
        let value: SDImageCoderOptions?
    }

    /// Another one for whole pictures.
    public init() { options = Locked(nil) }

    /// One for a picture that arrives.
    public init(incrementalWithOptions options: SDImageCoderOptions?) {
        self.options = Locked(SharedOptions(value: options))
    }

    /// Whether the data starts as a file of these formats does.
    public func canDecode(from data: Data?) -> Bool { Self.formats.canDecode(from: data) }

    /// The facts in the file's header.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try Self.formats.imageInfo(of: data, limits: limits)
    }

    /// The picture.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try Self.formats.decode(data, options: options)
    }

    /// Whether the format is one of these, or left to the coder.
    public func canEncode(to format: SDImageFormat) -> Bool {
        format == .undefined || Self.formats.canEncode(to: format)
    }

    /// The file; an undefined format is PNG with transparency, else JPEG.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        let format = format == .undefined ? image.hasAlpha ? .png : .jpeg : format
        return try Self.formats.encode(image, format: format, options: options)
    }

    /// Whether a picture that starts so can be shown in part.
    public func canIncrementalDecode(from data: Data?) -> Bool {
        Self.formats.makeIncrementalCoder(for: data, options: nil) != nil
    }

    /// Takes all bytes so far.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        guard let options = options.withLock({ $0 }) else { return }
        if arriving.withLock({ $0 }) == nil {
            let coder = Self.formats.makeIncrementalCoder(for: data, options: options.value)
            arriving.withLock { $0 = $0 ?? coder }
        }
        arriving.withLock { $0 }?.updateIncrementalData(data, finished: finished)
    }

    /// What can be shown now; nil before the first row is there.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        arriving.withLock { $0 }?.incrementalDecodedImage(with: options)
    }
}

/// The original's base of animated coders.
@available(*, unavailable, message: "Adopt SDAnimatedImageCoder: the class drives the system's image library, Apple's")
public final class SDImageIOAnimatedCoder {
    /// There is none.
    public init() {}
}

extension ImageCodersManager {
    /// A manager of its own with the built-in coders.
    public convenience init() { self.init(coders: ImageCodersManager.makeDefaultCoders.withLock { $0 }()) }
}

extension ImageLoadersManager {
    /// A manager of its own with the shared downloader.
    public convenience init() { self.init(loaders: [SDWebImageDownloader.shared]) }
}

extension ImageCoderOption {
    /// `Bool`: whether pixels are decoded when they are shown; without effect, they are decoded at once.
    public static let decodeUseLazyDecoding = ImageCoderOption(rawValue: "decodeUseLazyDecoding")
    /// The load's context, for custom coders; the built-in ones ignore it.
    public static let webImageContext = ImageCoderOption(rawValue: "webImageContext")
}
