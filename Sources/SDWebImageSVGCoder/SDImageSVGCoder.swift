@_exported public import SDWebImage
@_exported public import WebImageSVG

/// The coder of SVG under its name in SDWebImage's plug-in; ``WebImageSVG/ImageSVGCoder``.
///
/// Add `SDImageSVGCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageSVGCoder = ImageSVGCoder
