@_exported public import SDWebImage
@_exported public import WebImageSVG

/// The plug-in under the original's name; ``WebImageSVG/ImageSVGCoder``. Add `SDImageSVGCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageSVGCoder = ImageSVGCoder
