@_exported public import SDWebImage
@_exported public import WebImageSVG

/// Reads and draws SVG. SDWebImage's plug-in uses this name for ``WebImageSVG/ImageSVGCoder``.
///
/// Add `SDImageSVGCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageSVGCoder = ImageSVGCoder

extension ImageSVGCoder: SDTypedImageCoder {}
