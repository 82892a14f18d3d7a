public import WebImage
public import WebImageCodecs

/// Turns bytes into pictures and back; ``WebImageCore/ImageCoder``.
public typealias SDImageCoder = ImageCoder
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
