import Foundation
import WebImageCore
import WebImageGraphics

/// Draws the configured watermark.
struct WatermarkDrawing {
    let mark: Image
    /// The configured opacity, 0...1. It is multiplied by the opacity in the target's option.
    let opacity: Double

    func drawn(
        on image: Image, _ options: ProcessingOptions.Watermark, dpr: Double
    ) throws(WebImageError) -> Image {
        let size = image.pixelSize
        let mark = try scaledMark(options, size, dpr)
        let places = places(of: mark.pixelSize, in: size, options, dpr: dpr)
        var format = GraphicsImageRendererFormat()
        format.scale = 1
        format.opaque = !image.hasAlpha
        let renderer = GraphicsImageRenderer(size: CGSize(width: size.width, height: size.height), format: format)
        let result = renderer.image { context in
            context.draw(image, at: .zero)
            context.alpha = min(max(options.opacity * opacity, 0), 1)
            for place in places { context.draw(mark, at: CGPoint(x: place.x, y: place.y)) }
        }
        let drawn = try PixelEffects.made(image, result)
        return Image(
            pixels: drawn.pixels, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
    }

    private func scaledMark(
        _ options: ProcessingOptions.Watermark, _ result: PixelSize, _ dpr: Double
    ) throws(WebImageError) -> Image {
        var factor = dpr
        if options.scale > 0 {
            factor = min(
                Double(result.width) * options.scale / Double(mark.pixelSize.width),
                Double(result.height) * options.scale / Double(mark.pixelSize.height))
        }
        // Limit the mark to four times the longer side of the result. The parts of the mark outside the result are cut
        // off, so a larger mark would only use more memory.
        let bound =
            4 * Double(max(result.width, result.height)) / Double(max(mark.pixelSize.width, mark.pixelSize.height))
        factor = min(factor, max(bound, 1e-6))
        return try PixelCanvas.scaled(
            mark,
            to: PixelSize(
                width: Geometry.scaled(mark.pixelSize.width, factor),
                height: Geometry.scaled(mark.pixelSize.height, factor)))
    }

    private func places(
        of mark: PixelSize, in size: PixelSize, _ options: ProcessingOptions.Watermark, dpr: Double
    ) -> [PixelPlace] {
        guard options.isTiled else {
            return [Geometry.place(mark, in: size, options.gravity, dpr: dpr, mayOverhang: true)]
        }
        func gap(_ value: Double, _ side: Int) -> Int {
            max(Geometry.even(abs(value) >= 1 ? value * dpr : value * Double(side)), 0)
        }
        let (stepX, stepY) = (
            mark.width + gap(options.gravity.x, size.width), mark.height + gap(options.gravity.y, size.height)
        )
        var places: [PixelPlace] = []
        for y in stride(from: 0, to: size.height, by: max(stepY, Self.leastStep(size.height))) {
            for x in stride(from: 0, to: size.width, by: max(stepX, Self.leastStep(size.width))) {
                places.append(PixelPlace(x: x, y: y))
            }
        }
        return places
    }

    /// Returns the minimum distance in pixels between the starts of two neighbouring marks. It limits the number of
    /// marks along a side to 200. Without this minimum, a mark of one pixel would be drawn millions of times.
    private static func leastStep(_ side: Int) -> Int { (side + 199) / 200 }
}
