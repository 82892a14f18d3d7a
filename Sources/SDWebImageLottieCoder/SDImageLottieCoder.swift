public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageLottie

/// Draws Lottie animations. SDWebImage's plug-in uses this name for ``WebImageLottie/ImageLottieCoder``.
///
/// Add `SDImageLottieCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageLottieCoder = ImageLottieCoder

extension ImageLottieCoder: SDTypedImageCoder, SDAnimatedImageCoder {
    /// The number of frames. 0 if the coder was created without an animation.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count. 0 means that the animation repeats endlessly.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a frame.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a frame in seconds.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}
