@_exported public import SDWebImage
@_exported public import WebImageJXL

/// The plug-in under the original's name; ``WebImageJXL/ImageJPEGXLCoder``. Add `SDImageJPEGXLCoder.shared` to `SDImageCodersManager.shared`.
public typealias SDImageJPEGXLCoder = ImageJPEGXLCoder
