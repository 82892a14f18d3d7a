@_exported public import SDWebImage
@_exported public import WebImageSVG

/// Reads and draws SVG. The name of ``WebImageSVG/ImageSVGCoder`` in SDWebImage's plug-in.
///
/// Add `SDImageSVGCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageSVGCoder = ImageSVGCoder
