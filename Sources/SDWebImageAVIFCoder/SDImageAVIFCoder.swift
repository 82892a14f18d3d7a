public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageAVIF

/// The plug-in under the original's name; ``WebImageAVIF/ImageAVIFCoder``. Add `SDImageAVIFCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageAVIFCoder = ImageAVIFCoder

extension ImageAVIFCoder: SDAnimatedImageCoder {
    /// Whole frames; 0 for an instance that holds no animation.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// How often it plays; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Seconds a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}
