@_exported public import SDWebImage
@_exported public import WebImageSVG

/// The coder of SVG by its plug-in's name; ``WebImageSVG/ImageSVGCoder``.
///
/// Add `SDImageSVGCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageSVGCoder = ImageSVGCoder
