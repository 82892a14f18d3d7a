@_exported public import SDWebImage
@_exported public import WebImageAVIF

/// The plug-in under the original's name; ``WebImageAVIF/ImageAVIFCoder``. Add `SDImageAVIFCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageAVIFCoder = ImageAVIFCoder
