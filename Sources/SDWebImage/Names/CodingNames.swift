public import WebImage

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
extension SDProgressiveImageCoder {
    /// Returns the partial image. Nil before the first row of pixels has arrived.
    public func incrementalDecodedImage() -> UIImage? { incrementalDecodedImage(options: nil) }
}

// The initialisers of the string and number types have no argument label in SDWebImage.

extension ImageFormat {
    /// Makes a format from its number.
    public init(_ rawValue: Int) { self.init(rawValue: rawValue) }
}

extension ImageCoderOption {
    /// Makes a key from its text.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
}
