public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageJXL

/// The coder of JPEG XL by its plug-in's name; ``WebImageJXL/ImageJPEGXLCoder``.
///
/// Add `SDImageJPEGXLCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageJPEGXLCoder = ImageJPEGXLCoder

extension ImageJPEGXLCoder: SDAnimatedImageCoder {
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
