import Foundation
import WebImageCore
import WebImageGraphics

/// Effects that change pixels but not sizes.
enum PixelEffects {
    static func apply(_ options: ProcessingOptions, to image: Image) throws(WebImageError) -> Image {
        var image = image
        if options.blur > 0 { image = try blurred(image, options.blur) }
        if options.sharpen > 0 { image = try made(image, sharpening(options.sharpen)?.filteredImage(with: image)) }
        if options.pixelate > 1 {
            let filter = NeighbourFilter.pixellate(points: Double(options.pixelate))
            image = try made(image, filter.filteredImage(with: image))
        }
        if options.isGray { image = try made(image, ColorFilter.saturation(0).filteredImage(with: image)) }
        return image
    }

    private static func blurred(_ image: Image, _ sigma: Double) throws(WebImageError) -> Image {
        // For standard deviations of 2.5 px and more, three box filters approximate the Gaussian. For smaller standard
        // deviations, the weights of the Gaussian are used directly.
        guard sigma < 2.5 else { return try made(image, image.blurredImage(withRadius: sigma)) }
        let weights = gaussian(sigma)
        return try made(image, NeighbourFilter.convolution(weights)?.filteredImage(with: image))
    }

    /// An unsharp mask: it adds to the picture 1.5 times the difference between the picture and its Gaussian blur.
    private static func sharpening(_ sigma: Double) -> NeighbourFilter? {
        var weights = gaussian(min(sigma, 5)).map { $0 * -1.5 }
        weights[weights.count / 2] += 2.5
        return NeighbourFilter.convolution(weights)
    }

    /// The weights of a Gaussian as a square matrix. Their sum is 1.
    private static func gaussian(_ sigma: Double) -> [Double] {
        let reach = min(max(Int((sigma * 3).rounded(.up)), 1), 15)
        let line = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = line.reduce(0, +)
        return line.flatMap { row in line.map { row * $0 / (sum * sum) } }
    }

    static func made(_ source: Image, _ image: Image?) throws(WebImageError) -> Image {
        if let image { return image }
        throw WebImageError(
            .badImageData, stage: .transform, underlying: .message("an effect failed"),
            hint: "The picture has \(source.pixelSize) px.")
    }
}
