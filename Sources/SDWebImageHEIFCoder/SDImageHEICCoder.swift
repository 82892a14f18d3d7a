@_exported public import SDWebImage
@_exported public import WebImageHEIF

/// Reads and writes HEIC. SDWebImage's name for ``WebImageHEIF/ImageHEICCoder``.
///
/// Add `SDImageHEICCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageHEICCoder = ImageHEICCoder
/// Reads and writes HEIC. SDWebImage's plug-in uses this name for ``SDImageHEICCoder``.
public typealias SDImageHEIFCoder = ImageHEICCoder

extension ImageHEICCoder: SDTypedImageCoder {}
