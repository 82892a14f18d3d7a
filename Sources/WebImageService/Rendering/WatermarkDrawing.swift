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
        let whole = Self.size(of: mark.pixelSize, options, on: size)
        let marks = try Self.marks(mark, whole, at: places(of: whole, in: size, options, dpr: dpr), on: size)
        var format = GraphicsImageRendererFormat()
        format.scale = 1
        format.opaque = !image.hasAlpha
        let renderer = GraphicsImageRenderer(size: CGSize(width: size.width, height: size.height), format: format)
        let result = renderer.image { context in
            context.draw(image, at: .zero)
            context.alpha = min(max(options.opacity * opacity, 0), 1)
            for (mark, place) in marks { context.draw(mark, at: CGPoint(x: place.x, y: place.y)) }
        }
        let drawn = try PixelEffects.made(image, result)
        return Image(
            pixels: drawn.pixels, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
    }

    /// Returns the scaled marks and their places. If the mark is larger than the result, only its visible parts are
    /// scaled: a scale of 100 must not need the memory of 10,000 results.
    private static func marks(
        _ mark: Image, _ whole: PixelSize, at places: [PixelPlace], on size: PixelSize
    ) throws(WebImageError) -> [(Image, PixelPlace)] {
        if whole.width <= size.width, whole.height <= size.height {
            let scaled = try PixelCanvas.scaled(mark, to: whole)
            return places.map { (scaled, $0) }
        }
        var marks: [(Image, PixelPlace)] = []
        for place in places {
            let (x, y) = (
                VisibleSpan(place.x, whole.width, on: size.width, source: mark.pixelSize.width),
                VisibleSpan(place.y, whole.height, on: size.height, source: mark.pixelSize.height)
            )
            guard let x, let y else { continue }
            let scaled = try PixelCanvas.scaled(
                mark, to: PixelSize(width: x.target.count, height: y.target.count),
                from: PixelRegion(left: x.start, top: y.start, width: x.length, height: y.length))
            marks.append((scaled, PixelPlace(x: x.target.lowerBound, y: y.target.lowerBound)))
        }
        return marks
    }

    /// The size of the part of a mark that can be visible, in pixels of the result.
    static func visibleSize(
        of mark: PixelSize, _ options: ProcessingOptions.Watermark, on result: PixelSize
    ) -> PixelSize {
        let whole = size(of: mark, options, on: result)
        return PixelSize(width: min(whole.width, result.width), height: min(whole.height, result.height))
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
        // Only visible parts are drawn, so this limit is for the arithmetic alone.
        factor = min(factor, 1e6 / Double(max(mark.width, mark.height)))
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

/// The part of a scaled mark that is visible along one side of a result.
private struct VisibleSpan {
    /// The part in pixels of the result.
    let target: Range<Int>
    /// The part in pixels of the mark as it is stored. Its edges can lie between two pixels: a mark that becomes a
    /// hundred times larger would otherwise be displaced by up to 100 px of the result.
    let start: Double
    let length: Double

    /// Nil if no part is visible.
    init?(_ start: Int, _ length: Int, on side: Int, source whole: Int) {
        let (lower, upper) = (max(start, 0), min(start + length, side))
        guard lower < upper, length > 0 else { return nil }
        target = lower..<upper
        let factor = Double(whole) / Double(length)
        self.start = Double(lower - start) * factor
        self.length = Double(upper - lower) * factor
    }
}
