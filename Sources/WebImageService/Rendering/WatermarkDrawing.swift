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
        let mark = try PixelCanvas.scaled(mark, to: Self.size(of: mark.pixelSize, options, on: size))
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

    /// The size of a mark on a result of the given size.
    static func size(of mark: PixelSize, _ options: ProcessingOptions.Watermark, on result: PixelSize) -> PixelSize {
        // The pixel ratio scales the offsets but not the mark, as in imgproxy.
        var factor = 1.0
        if options.scale > 0 {
            func box(_ side: Int) -> Double { Double(max(Geometry.even(Double(side) * options.scale), 1)) }
            factor = min(
                box(result.width) / Double(mark.width), box(result.height) / Double(mark.height))
        }
        // Limit the mark to four times the longer side of the result. The parts of the mark outside the result are cut
        // off, so a larger mark would only use more memory.
        let bound =
            4 * Double(max(result.width, result.height)) / Double(max(mark.width, mark.height))
        factor = min(factor, max(bound, 1e-6))
        return PixelSize(
            width: Geometry.scaled(mark.width, factor), height: Geometry.scaled(mark.height, factor))
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
        let columns = Self.starts(mark.width, gap: gap(options.gravity.x, size.width), in: size.width)
        let rows = Self.starts(mark.height, gap: gap(options.gravity.y, size.height), in: size.height)
        return rows.flatMap { y in columns.map { PixelPlace(x: $0, y: y) } }
    }

    /// The positions along a side at which repeated marks start. A tile is a mark with half of the gap on each side.
    /// The number of tiles is odd, and the middle tile is at the centre of the side. So the pattern is symmetric.
    private static func starts(_ mark: Int, gap: Int, in side: Int) -> [Int] {
        let tile = max(mark + gap, leastStep(side))
        let needed = (side + tile - 1) / tile
        let count = needed % 2 == 0 ? needed + 1 : needed
        let first = (tile - mark) / 2 - (count * tile - side) / 2
        return (0..<count).map { first + $0 * tile }.filter { $0 < side && $0 + mark > 0 }
    }

    /// Returns the minimum distance in pixels between the starts of two neighbouring marks. It limits the number of
    /// marks along a side to 200. Without this minimum, a mark of one pixel would be drawn millions of times.
    private static func leastStep(_ side: Int) -> Int { (side + 199) / 200 }
}
