public import Foundation
@_exported public import SDWebImage
@_exported public import WebImagePDF

/// Draws PDF documents. SDWebImage's plug-in uses this name for ``WebImagePDF/ImagePDFCoder``.
///
/// Add `SDImagePDFCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImagePDFCoder = ImagePDFCoder

extension ImagePDFCoder: SDTypedImageCoder, SDAnimatedImageCoder {
    /// The number of pages. 0 if the coder was created without a document.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count. Always 0, because pages are no animation.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a page.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Always 0, because pages are no animation.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}
