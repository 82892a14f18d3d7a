public import WebImage
public import WebImageCodecs

/// Decodes and encodes images; ``WebImageCore/ImageCoder``.
public typealias SDImageCoder = ImageCoder
/// The key of a coder option; ``WebImageCore/ImageCoderOption``.
public typealias SDImageCoderOption = ImageCoderOption
/// Options of a coder; ``WebImageCore/ImageCoderOptions``.
public typealias SDImageCoderOptions = ImageCoderOptions
/// Options of a coder; the same type, which in Swift is mutable as a variable.
public typealias SDImageCoderMutableOptions = ImageCoderOptions
/// The registered coders; ``WebImageCore/ImageCodersManager``.
public typealias SDImageCodersManager = ImageCodersManager
/// Helper functions for coders; ``WebImageCore/ImageCoderHelper``.
public typealias SDImageCoderHelper = ImageCoderHelper
/// Whether an image is made ready for display early; ``WebImageCore/ImageForceDecodePolicy``.
public typealias SDImageForceDecodePolicy = ImageForceDecodePolicy
/// The coder of GIF; ``WebImageCodecs/ImageGIFCoder``.
public typealias SDImageGIFCoder = ImageGIFCoder
/// The coder of PNG, still and animated; ``WebImageCodecs/ImagePNGCoder``.
public typealias SDImageAPNGCoder = ImagePNGCoder
/// The coder of WebP, still and animated; ``WebImageCodecs/ImageWebPCoder``.
public typealias SDImageWebPCoder = ImageWebPCoder
/// The coder of WebP, still and animated; the same as ``SDImageWebPCoder``.
public typealias SDImageAWebPCoder = ImageWebPCoder
