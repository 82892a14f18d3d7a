public import WebImage
public import WebImageCodecs

/// Turns bytes into pictures and back; ``WebImageCore/ImageCoder``.
public typealias SDImageCoder = ImageCoder
/// A coder that shows what has arrived; ``WebImageCore/ProgressiveImageCoder``.
public typealias SDProgressiveImageCoder = ProgressiveImageCoder
/// A coder that gives frames; ``WebImageCore/AnimatedImageCoder``.
public typealias SDAnimatedImageCoder = AnimatedImageCoder
/// The key of a coder option; ``WebImageCore/ImageCoderOption``.
public typealias SDImageCoderOption = ImageCoderOption
/// Options of a coder; ``WebImageCore/ImageCoderOptions``.
public typealias SDImageCoderOptions = ImageCoderOptions
/// Options of a coder; in Swift mutable when it is a variable.
public typealias SDImageCoderMutableOptions = ImageCoderOptions
/// The coders in use; ``WebImageCore/ImageCodersManager``.
public typealias SDImageCodersManager = ImageCodersManager
/// Functions around coders; ``WebImageCore/ImageCoderHelper``.
public typealias SDImageCoderHelper = ImageCoderHelper
/// Whether a picture is made ready for display early; ``WebImageCore/ImageForceDecodePolicy``.
public typealias SDImageForceDecodePolicy = ImageForceDecodePolicy
/// GIF; ``WebImageCodecs/ImageGIFCoder``.
public typealias SDImageGIFCoder = ImageGIFCoder
/// PNG, still and animated; ``WebImageCodecs/ImagePNGCoder``.
public typealias SDImageAPNGCoder = ImagePNGCoder
/// WebP, still and animated; ``WebImageCodecs/ImageWebPCoder``.
public typealias SDImageWebPCoder = ImageWebPCoder
/// WebP, still and animated; the same coder as ``SDImageWebPCoder``.
public typealias SDImageAWebPCoder = ImageWebPCoder

/// The formats that need no plug-in, as stills: JPEG, PNG, BMP, ICO.
public enum SDImageIOCoder {
    /// Decodes and encodes by content.
    public static let shared = ImageCodersManager(coders: [
        ImageICOCoder.shared, ImageBMPCoder.shared, ImagePNGCoder.shared, ImageJPEGCoder.shared,
    ])
}
