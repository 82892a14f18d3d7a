public import WebImage

/// Changes an image after decoding. SDWebImage's name for ``WebImageCore/ImageTransformer``.
public typealias SDImageTransformer = ImageTransformer
/// Applies several transformers in sequence. SDWebImage's name for ``WebImageCore/ImagePipelineTransformer``.
public typealias SDImagePipelineTransformer = ImagePipelineTransformer
/// How an image is scaled to a size. SDWebImage's name for ``WebImageGraphics/ImageScaleMode``.
public typealias SDImageScaleMode = ImageScaleMode
/// Corners of a rectangle. SDWebImage's name for ``WebImageGraphics/RectCorner``.
public typealias SDRectCorner = RectCorner
/// The colour range of a drawn image. SDWebImage's name for ``WebImageGraphics/GraphicsImageRendererFormatRange``.
public typealias SDGraphicsImageRendererFormatRange = GraphicsImageRendererFormatRange
