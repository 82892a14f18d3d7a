public import Foundation
public import WebImage

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
// Calls without the arguments that have defaults in SDWebImage.

extension ImageCoder {
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
