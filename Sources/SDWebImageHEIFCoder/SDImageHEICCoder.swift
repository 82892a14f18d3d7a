@_exported public import SDWebImage
@_exported public import WebImageHEIF

/// The coder of HEIC by SDWebImage's name; ``WebImageHEIF/ImageHEICCoder``.
///
/// Add `SDImageHEICCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageHEICCoder = ImageHEICCoder
/// The same coder by its plug-in's name.
public typealias SDImageHEIFCoder = ImageHEICCoder
