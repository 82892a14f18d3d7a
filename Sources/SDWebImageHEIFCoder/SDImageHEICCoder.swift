@_exported public import SDWebImage
@_exported public import WebImageHEIF

/// The coder of HEIC under its name in SDWebImage; ``WebImageHEIF/ImageHEICCoder``.
///
/// Add `SDImageHEICCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageHEICCoder = ImageHEICCoder
/// The coder of HEIC under its name in SDWebImage's plug-in. The same type as ``SDImageHEICCoder``.
public typealias SDImageHEIFCoder = ImageHEICCoder
