public import WebImage
public import WebImageCodecs

/// Decodes and encodes images; ``WebImageCore/ImageCoder``.
public typealias SDImageCoder = ImageCoder
/// The key of a coder option; ``WebImageCore/ImageCoderOption``.
public typealias SDImageCoderOption = ImageCoderOption
/// Options of a coder; ``WebImageCore/ImageCoderOptions``.
public typealias SDImageCoderOptions = ImageCoderOptions
/// Options of a coder. The same type as ``SDImageCoderOptions``, because a Swift dictionary in a `var` is mutable.
public typealias SDImageCoderMutableOptions = ImageCoderOptions
/// The registered coders; ``WebImageCore/ImageCodersManager``.
public typealias SDImageCodersManager = ImageCodersManager
/// Helper functions for coders; ``WebImageCore/ImageCoderHelper``.
public typealias SDImageCoderHelper = ImageCoderHelper
/// Whether an image is prepared for display before it is shown; ``WebImageCore/ImageForceDecodePolicy``.
public typealias SDImageForceDecodePolicy = ImageForceDecodePolicy
/// The coder of GIF; ``WebImageCodecs/ImageGIFCoder``.
public typealias SDImageGIFCoder = ImageGIFCoder
/// The coder of PNG, still and animated; ``WebImageCodecs/ImagePNGCoder``.
public typealias SDImageAPNGCoder = ImagePNGCoder
/// The coder of WebP, still and animated; ``WebImageCodecs/ImageWebPCoder``.
public typealias SDImageWebPCoder = ImageWebPCoder
/// The coder of WebP, still and animated; the same as ``SDImageWebPCoder``.
public typealias SDImageAWebPCoder = ImageWebPCoder
