public import WebImage

/// Changes a picture after decoding; ``WebImageCore/ImageTransformer``.
public typealias SDImageTransformer = ImageTransformer
/// Several changes in a row; ``WebImageCore/ImagePipelineTransformer``.
public typealias SDImagePipelineTransformer = ImagePipelineTransformer
/// Rounds corners; ``WebImageGraphics/ImageRoundCornerTransformer``.
public typealias SDImageRoundCornerTransformer = ImageRoundCornerTransformer
/// Resizes; ``WebImageGraphics/ImageResizingTransformer``.
public typealias SDImageResizingTransformer = ImageResizingTransformer
/// Crops; ``WebImageGraphics/ImageCroppingTransformer``.
public typealias SDImageCroppingTransformer = ImageCroppingTransformer
/// Mirrors; ``WebImageGraphics/ImageFlippingTransformer``.
public typealias SDImageFlippingTransformer = ImageFlippingTransformer
/// Turns; ``WebImageGraphics/ImageRotationTransformer``.
public typealias SDImageRotationTransformer = ImageRotationTransformer
/// Lays a colour over; ``WebImageGraphics/ImageTintTransformer``.
public typealias SDImageTintTransformer = ImageTintTransformer
/// Blurs; ``WebImageGraphics/ImageBlurTransformer``.
public typealias SDImageBlurTransformer = ImageBlurTransformer
/// Runs a filter; ``WebImageCore/ImageFilterTransformer``.
public typealias SDImageFilterTransformer = ImageFilterTransformer
/// How a picture is put into a size; ``WebImageCore/ImageScaleMode``.
public typealias SDImageScaleMode = ImageScaleMode
/// Corners of a rectangle; ``WebImageCore/RectCorner``.
public typealias SDRectCorner = RectCorner
/// Draws a picture; ``WebImageGraphics/GraphicsImageRenderer``.
public typealias SDGraphicsImageRenderer = GraphicsImageRenderer
/// How a picture is drawn; ``WebImageGraphics/GraphicsImageRendererFormat``.
public typealias SDGraphicsImageRendererFormat = GraphicsImageRendererFormat
/// The range of a drawing's colours; ``WebImageGraphics/GraphicsImageRendererFormatRange``.
public typealias SDGraphicsImageRendererFormatRange = GraphicsImageRendererFormatRange
