public import WebImage

/// Changes an image after decoding; ``WebImageCore/ImageTransformer``.
public typealias SDImageTransformer = ImageTransformer
/// Several transformers in sequence; ``WebImageCore/ImagePipelineTransformer``.
public typealias SDImagePipelineTransformer = ImagePipelineTransformer
/// Rounds corners; ``WebImageGraphics/ImageRoundCornerTransformer``.
public typealias SDImageRoundCornerTransformer = ImageRoundCornerTransformer
/// Resizes; ``WebImageGraphics/ImageResizingTransformer``.
public typealias SDImageResizingTransformer = ImageResizingTransformer
/// Crops; ``WebImageGraphics/ImageCroppingTransformer``.
public typealias SDImageCroppingTransformer = ImageCroppingTransformer
/// Mirrors; ``WebImageGraphics/ImageFlippingTransformer``.
public typealias SDImageFlippingTransformer = ImageFlippingTransformer
/// Rotates; ``WebImageGraphics/ImageRotationTransformer``.
public typealias SDImageRotationTransformer = ImageRotationTransformer
/// Tints with a colour; ``WebImageGraphics/ImageTintTransformer``.
public typealias SDImageTintTransformer = ImageTintTransformer
/// Blurs; ``WebImageGraphics/ImageBlurTransformer``.
public typealias SDImageBlurTransformer = ImageBlurTransformer
/// Applies a filter; ``WebImageCore/ImageFilterTransformer``.
public typealias SDImageFilterTransformer = ImageFilterTransformer
/// How an image is scaled to a size; ``WebImageCore/ImageScaleMode``.
public typealias SDImageScaleMode = ImageScaleMode
/// Corners of a rectangle; ``WebImageCore/RectCorner``.
public typealias SDRectCorner = RectCorner
/// Draws into a new image; ``WebImageGraphics/GraphicsImageRenderer``.
public typealias SDGraphicsImageRenderer = GraphicsImageRenderer
/// The format of a drawn image; ``WebImageGraphics/GraphicsImageRendererFormat``.
public typealias SDGraphicsImageRendererFormat = GraphicsImageRendererFormat
/// The colour range of a drawn image; ``WebImageGraphics/GraphicsImageRendererFormatRange``.
public typealias SDGraphicsImageRendererFormatRange = GraphicsImageRendererFormatRange
