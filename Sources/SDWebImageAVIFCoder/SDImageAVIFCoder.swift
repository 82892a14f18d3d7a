public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageAVIF

/// The coder of AVIF by its plug-in's name; ``WebImageAVIF/ImageAVIFCoder``.
///
/// Add `SDImageAVIFCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageAVIFCoder = ImageAVIFCoder

extension ImageAVIFCoder: SDAnimatedImageCoder {
    /// The number of complete frames; 0 for an instance without an animation.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame, composited on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The seconds that a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}
