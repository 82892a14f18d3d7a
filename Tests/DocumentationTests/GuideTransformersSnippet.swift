import Foundation
import WebImage

// snippet: guide-transforming
/// Loads a round portrait of 96 points. The original stays in the cache under its own key.
func loadPortrait(_ url: URL) async throws(WebImageError) -> Image {
    let portrait = ImagePipelineTransformer(transformers: [
        ImageResizingTransformer(size: CGSize(width: 96, height: 96), scaleMode: .aspectFill), ImageCircleTransformer(),
    ])
    return try await WebImageManager.shared.image(for: url, context: [.imageTransformer: portrait])
}
// end

// snippet: guide-transformers
/// Returns one of each transformer. Lengths are in points.
func transformers(mark: Image) -> [any ImageTransformer] {
    let red = ImageColor(red: 0.8, green: 0.1, blue: 0.2)
    return [
        // .fill stretches, .aspectFit adds transparent bars, .aspectFill crops.
        ImageResizingTransformer(size: CGSize(width: 300, height: 200), scaleMode: .fill),
        // Keeps the whole picture and adds bars in its mean colour.
        ImageLetterboxTransformer(size: CGSize(width: 300, height: 200)),
        ImageCroppingTransformer(rect: CGRect(x: 10, y: 20, width: 100, height: 80)),
        ImageFlippingTransformer(horizontal: true, vertical: false),
        // The angle is in radians, counter-clockwise. With fitSize the result is large enough for the whole picture.
        ImageRotationTransformer(angle: .pi / 6, fitSize: true),
        ImageRoundCornerTransformer(radius: 12, corners: [.topLeft, .topRight], borderWidth: 2, borderColor: red),
        ImageCircleTransformer(borderWidth: 2, borderColor: .white),
        ImageBlurTransformer(radius: 10),
        // Without a blend mode (there are 28), the tint fills the picture's shape.
        ImageTintTransformer(color: red, blendMode: .multiply),
        ImageGradientTransformer(gradient: ImageGradient(colors: [.clear, .black])),
        // The identifier represents the watermark in cache keys.
        ImageWatermarkTransformer(watermark: mark, identifier: "mark-2", anchor: .bottomRight, margin: 8, opacity: 0.5),
        ImageFilterTransformer(filter: ColorFilter.sepia()),
    ]
}

/// Returns one of each filter. A filter is nil if its parameters are invalid.
func filters() -> [(any ImageFilter)?] {
    [
        ColorFilter.invert, ColorFilter.exposure(stops: 1), ColorFilter.contrast(1.2), ColorFilter.saturation(0.5),
        ColorFilter.sepia(intensity: 0.8), ColorFilter.monochrome(.white),
        // Three rows of factors for red, green and blue. This matrix swaps red and blue.
        ColorFilter.matrix([0, 0, 1, 0, 1, 0, 1, 0, 0]),
        NeighbourFilter.sharpen(0.4), NeighbourFilter.pixellate(points: 8), NeighbourFilter.vignette(intensity: 0.5),
        // The weights of the 3 × 3 pixels around each pixel. This kernel finds edges.
        NeighbourFilter.convolution([0, 1, 0, 1, -4, 1, 0, 1, 0]),
    ]
}
// end

// snippet: guide-image-functions
/// Applies the operations directly to an image. Call this off the main thread.
func card(_ photo: Image) -> Image? {
    photo.resizedImage(with: CGSize(width: 320, height: 180), scaleMode: .aspectFill)?
        .gradientImage(with: ImageGradient(colors: [.clear, ImageColor(white: 0, alpha: 0.6)]))?
        .roundedCornerImage(withRadius: 12, corners: .allCorners, borderWidth: 0, borderColor: nil)
}

/// Returns a short text from which `BlurHash(text)?.image()` makes a placeholder.
func placeholder(of photo: Image) -> String? { photo.blurHash()?.description ?? photo.thumbHash()?.description }

/// Returns the mean colour of a picture and the colour of one pixel.
func colors(of photo: Image) -> (mean: ImageColor?, corner: ImageColor?) {
    (photo.averageColor(), photo.color(at: .zero))
}
// end
