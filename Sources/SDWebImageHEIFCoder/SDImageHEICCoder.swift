@_exported public import SDWebImage
@_exported public import WebImageHEIF

/// The plug-in under the original's name; ``WebImageHEIF/ImageHEICCoder``. Add `SDImageHEICCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageHEICCoder = ImageHEICCoder
/// The same coder under its plug-in's name.
public typealias SDImageHEIFCoder = ImageHEICCoder
