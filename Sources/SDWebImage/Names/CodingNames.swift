public import WebImage
public import WebImageCodecs

/// Decodes and encodes images. SDWebImage's name for ``WebImageCore/ImageCoder``.
public typealias SDImageCoder = ImageCoder
/// The key of a coder option. SDWebImage's name for ``WebImageCore/ImageCoderOption``.
public typealias SDImageCoderOption = ImageCoderOption
/// Options of a coder. SDWebImage's name for ``WebImageCore/ImageCoderOptions``.
public typealias SDImageCoderOptions = ImageCoderOptions
/// SDWebImage's name for mutable coder options. This is the same type as ``SDImageCoderOptions``, because a Swift
/// dictionary in a `var` is mutable.
public typealias SDImageCoderMutableOptions = ImageCoderOptions
/// The registered coders. SDWebImage's name for ``WebImageCore/ImageCodersManager``.
public typealias SDImageCodersManager = ImageCodersManager
/// Helper functions for coders. SDWebImage's name for ``WebImageCore/ImageCoderHelper``.
public typealias SDImageCoderHelper = ImageCoderHelper
/// The rule that decides whether an image is prepared for display in advance. SDWebImage's name for
/// ``WebImageCore/ImageForceDecodePolicy``.
public typealias SDImageForceDecodePolicy = ImageForceDecodePolicy
/// Reads and writes GIF. SDWebImage's name for ``WebImageCodecs/ImageGIFCoder``.
public typealias SDImageGIFCoder = ImageGIFCoder
/// Reads and writes still and animated PNG. SDWebImage's name for ``WebImageCodecs/ImagePNGCoder``.
public typealias SDImageAPNGCoder = ImagePNGCoder
/// Reads and writes still and animated WebP. SDWebImage's name for ``WebImageCodecs/ImageWebPCoder``.
public typealias SDImageWebPCoder = ImageWebPCoder
/// Reads and writes still and animated WebP. The same type as ``SDImageWebPCoder``.
public typealias SDImageAWebPCoder = ImageWebPCoder
