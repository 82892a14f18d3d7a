public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageVideo

/// Makes pictures of videos. SDWebImage's plug-in uses this name for ``WebImageVideo/ImageVideoCoder``.
///
/// Add `SDImageVideoCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageVideoCoder = ImageVideoCoder

extension ImageVideoCoder: SDTypedImageCoder, SDAnimatedImageCoder {
    /// The number of previews. 0 if the coder was created without a video.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count. 0 means that the previews repeat endlessly.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a preview.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a preview in seconds.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}
