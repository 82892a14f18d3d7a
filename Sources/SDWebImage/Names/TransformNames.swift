public import WebImage

/// Changes an image after decoding. SDWebImage's name for ``WebImageCore/ImageTransformer``.
public typealias SDImageTransformer = ImageTransformer
/// Applies several transformers in sequence. SDWebImage's name for ``WebImageCore/ImagePipelineTransformer``.
public typealias SDImagePipelineTransformer = ImagePipelineTransformer
/// Rounds the corners of an image. SDWebImage's name for ``WebImageGraphics/ImageRoundCornerTransformer``.
public typealias SDImageRoundCornerTransformer = ImageRoundCornerTransformer
/// Resizes an image. SDWebImage's name for ``WebImageGraphics/ImageResizingTransformer``.
public typealias SDImageResizingTransformer = ImageResizingTransformer
/// Crops an image. SDWebImage's name for ``WebImageGraphics/ImageCroppingTransformer``.
public typealias SDImageCroppingTransformer = ImageCroppingTransformer
/// Mirrors an image. SDWebImage's name for ``WebImageGraphics/ImageFlippingTransformer``.
public typealias SDImageFlippingTransformer = ImageFlippingTransformer
/// Rotates an image. SDWebImage's name for ``WebImageGraphics/ImageRotationTransformer``.
public typealias SDImageRotationTransformer = ImageRotationTransformer
/// Tints an image with a colour. SDWebImage's name for ``WebImageGraphics/ImageTintTransformer``.
public typealias SDImageTintTransformer = ImageTintTransformer
/// Blurs an image. SDWebImage's name for ``WebImageGraphics/ImageBlurTransformer``.
public typealias SDImageBlurTransformer = ImageBlurTransformer
/// Applies a filter to an image. SDWebImage's name for ``WebImageCore/ImageFilterTransformer``.
public typealias SDImageFilterTransformer = ImageFilterTransformer
/// How an image is scaled to a size. SDWebImage's name for ``WebImageCore/ImageScaleMode``.
public typealias SDImageScaleMode = ImageScaleMode
/// Corners of a rectangle. SDWebImage's name for ``WebImageCore/RectCorner``.
public typealias SDRectCorner = RectCorner
/// Draws into a new image. SDWebImage's name for ``WebImageGraphics/GraphicsImageRenderer``.
public typealias SDGraphicsImageRenderer = GraphicsImageRenderer
/// The format of a drawn image. SDWebImage's name for ``WebImageGraphics/GraphicsImageRendererFormat``.
public typealias SDGraphicsImageRendererFormat = GraphicsImageRendererFormat
/// The colour range of a drawn image. SDWebImage's name for ``WebImageGraphics/GraphicsImageRendererFormatRange``.
public typealias SDGraphicsImageRendererFormatRange = GraphicsImageRendererFormatRange
