import Foundation
import WebImage

// snippet: guide-transforming
/// A round portrait of 96 points; the original stays in the cache under its own key.
func loadPortrait(_ url: URL) async throws(WebImageError) -> Image {
    let portrait = ImagePipelineTransformer(transformers: [
        ImageResizingTransformer(size: CGSize(width: 96, height: 96), scaleMode: .aspectFill), ImageCircleTransformer(),
    ])
    return try await WebImageManager.shared.image(for: url, context: [.imageTransformer: portrait])
}
// end

// snippet: guide-transformers
/// Every transformer there is; numbers are points.
func transformers(mark: Image) -> [any ImageTransformer] {
    let red = ImageColor(red: 0.8, green: 0.1, blue: 0.2)
    return [
        // Stretched, whole with transparent bars (.aspectFit), or covering with the rest cut off (.aspectFill).
        ImageResizingTransformer(size: CGSize(width: 300, height: 200), scaleMode: .fill),
        // Whole, with bars of the picture's mean colour.
        ImageLetterboxTransformer(size: CGSize(width: 300, height: 200)),
        ImageCroppingTransformer(rect: CGRect(x: 10, y: 20, width: 100, height: 80)),
        ImageFlippingTransformer(horizontal: true, vertical: false),
        // Radians, counter-clockwise; the result grows to hold all of the picture.
        ImageRotationTransformer(angle: .pi / 6, fitSize: true),
        ImageRoundCornerTransformer(radius: 12, corners: [.topLeft, .topRight], borderWidth: 2, borderColor: red),
        ImageCircleTransformer(borderWidth: 2, borderColor: .white),
        ImageBlurTransformer(radius: 10),
        // Fills the picture's shape unless another of the 28 modes is named.
        ImageTintTransformer(color: red, blendMode: .multiply),
        ImageGradientTransformer(gradient: ImageGradient(colors: [.clear, .black])),
        // The identifier stands for the mark in cache keys.
        ImageWatermarkTransformer(watermark: mark, identifier: "mark-2", anchor: .bottomRight, margin: 8, opacity: 0.5),
        ImageFilterTransformer(filter: ColorFilter.sepia()),
    ]
}

/// Every filter there is; nil is one whose numbers make no sense.
func filters() -> [(any ImageFilter)?] {
    [
        ColorFilter.invert, ColorFilter.exposure(stops: 1), ColorFilter.contrast(1.2), ColorFilter.saturation(0.5),
        ColorFilter.sepia(intensity: 0.8), ColorFilter.monochrome(.white),
        // Three rows of factors for red, green and blue; here red and blue change places.
        ColorFilter.matrix([0, 0, 1, 0, 1, 0, 1, 0, 0]),
        NeighbourFilter.sharpen(0.4), NeighbourFilter.pixellate(points: 8), NeighbourFilter.vignette(intensity: 0.5),
        // The weights of a square about each pixel; here edges are found.
        NeighbourFilter.convolution([0, 1, 0, 1, -4, 1, 0, 1, 0]),
    ]
}
// end

// snippet: guide-image-functions
/// The same on a picture at hand, off the main thread.
func card(_ photo: Image) -> Image? {
    photo.resizedImage(with: CGSize(width: 320, height: 180), scaleMode: .aspectFill)?
        .gradientImage(with: ImageGradient(colors: [.clear, ImageColor(white: 0, alpha: 0.6)]))?
        .roundedCornerImage(withRadius: 12, corners: .allCorners, borderWidth: 0, borderColor: nil)
}

/// What stands for a picture until it is there, in a few bytes of text; `BlurHash(text)?.image()` shows it.
func placeholder(of photo: Image) -> String? { photo.blurHash()?.description ?? photo.thumbHash()?.description }

/// What can be known of a picture's colours.
func colors(of photo: Image) -> (mean: ImageColor?, corner: ImageColor?) {
    (photo.averageColor(), photo.color(at: .zero))
}
// end
