@_exported public import SDWebImage
@_exported public import WebImageHEIF

/// Reads and writes HEIC. The name of ``WebImageHEIF/ImageHEICCoder`` in SDWebImage.
///
/// Add `SDImageHEICCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageHEICCoder = ImageHEICCoder
/// Reads and writes HEIC. The name of ``SDImageHEICCoder`` in SDWebImage's plug-in.
public typealias SDImageHEIFCoder = ImageHEICCoder
