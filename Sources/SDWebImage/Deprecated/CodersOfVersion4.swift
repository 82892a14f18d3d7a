public import Foundation
public import WebImage

/// SDWebImage 4's name for ``SDImageCoder``.
@available(*, deprecated, renamed: "SDImageCoder")
public typealias SDWebImageCoder = SDImageCoder
/// SDWebImage 4's name for ``SDProgressiveImageCoder``.
@available(*, deprecated, renamed: "SDProgressiveImageCoder")
public typealias SDWebImageProgressiveCoder = SDProgressiveImageCoder
/// SDWebImage 4's name for ``SDImageCodersManager``.
@available(*, deprecated, renamed: "SDImageCodersManager")
public typealias SDWebImageCodersManager = ImageCodersManager
/// SDWebImage 4's name for ``SDImageGIFCoder``.
@available(*, deprecated, renamed: "SDImageGIFCoder")
public typealias SDWebImageGIFCoder = SDImageGIFCoder

extension ImageCodersManager {
    /// SDWebImage 4's name for the shared manager.
    @available(*, deprecated, renamed: "shared")
    public static var sharedInstance: ImageCodersManager { shared }
}

extension SDImageGIFCoder {
    /// Creates a coder for a GIF file. This initialiser has no argument `options`, because SDWebImage 5's documentation
    /// uses this form. Returns nil if the data cannot be read.
    @available(*, deprecated, message: "Use init(animatedImageData:options:), which can return nil")
    public convenience init!(animatedImageData data: Data?) { self.init(animatedImageData: data, options: nil) }
}
