@_exported public import SDWebImage
@_exported public import WebImageLinkPreview

/// Loads the pictures of web pages. SDWebImage's plug-in uses this name for ``WebImageLinkPreview/LinkPreviewImageLoader``.
///
/// Add `SDImageLinkLoader.shared` to `SDImageLoadersManager.shared`. `linkPreview` of the image is in place of
/// `LPLinkMetadata`.
public typealias SDImageLinkLoader = LinkPreviewImageLoader
