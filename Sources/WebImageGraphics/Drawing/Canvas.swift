import CWebImagePixman
import Foundation
import WebImageCore

/// The pixels of a drawing, with the pixman operations that draw on them.
struct Canvas {
    let pixels: PixelBuffer
    private let isOpaque: Bool

    init(size: PixelSize, isOpaque: Bool) throws(WebImageError) {
        pixels = try PixelBuffer.transparent(size)
        self.isOpaque = isOpaque
    }

    var bounds: PixelRect { PixelRect(x: 0, y: 0, width: pixels.width, height: pixels.height) }

    /// Returns a mask and its position. The mask stores for each pixel which share of the pixel's area is inside the
    /// polygons. The position is the smallest rectangle of whole pixels around the part of the polygons that is inside
    /// `clip`. Returns nil if the polygons cover nothing.
    func coverage(
        of polygons: [[SIMD2<Double>]], rule: FillRule, in clip: PixelRect
    ) throws(WebImageError) -> (mask: PixelBuffer, box: PixelRect)? {
        let edge = PolygonClip(
            lower: SIMD2(Double(clip.x) - 1, Double(clip.y) - 1),
            upper: SIMD2(Double(clip.x + clip.width) + 1, Double(clip.y + clip.height) + 1))
        let inside = polygons.map(edge.inside).filter { $0.count > 2 }
        let all = inside.joined()
        guard let first = all.first else { return nil }
        let (lower, upper) = all.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
        let around = PixelRect(
            x: Int(lower.x.rounded(.down)), y: Int(lower.y.rounded(.down)),
            width: Int(upper.x.rounded(.up)) - Int(lower.x.rounded(.down)),
            height: Int(upper.y.rounded(.up)) - Int(lower.y.rounded(.down)))
        guard let box = around.intersection(clip) else { return nil }
        let traps = Trapezoids(inside, rule: rule).list
        guard !traps.isEmpty else { return nil }
        let mask = try PixelBuffer(width: box.width, height: box.height, format: .gray8)
        mask.withUnsafeMutableBytes { _ = memset($0.baseAddress!, 0, $0.count) }
        let sheet = try PixmanImage(mask)
        withExtendedLifetime(sheet) {
            pixman_add_trapezoids(
                sheet.pointer, Int16(clamping: -box.x), Int32(clamping: -box.y), Int32(traps.count), traps)
        }
        return (mask, box)
    }

    /// Paints `source` on the rectangle `box` of the canvas. `mask` has the size of `box` and determines how strongly
    /// each pixel is painted. Without a mask, each pixel is painted completely.
    func paint(
        _ source: PixmanImage, _ blend: BlendMode, in box: PixelRect, through mask: PixelBuffer?
    ) throws(WebImageError) {
        let target = try PixmanImage(pixels, isOpaque: isOpaque)
        let screen = try mask.map { mask throws(WebImageError) in try PixmanImage(mask) }
        if let operation = blend.operation, mask == nil || blend.sparesWhatIsOutside {
            Self.composite(operation, source, screen, target, from: box, to: box)
            return
        }
        // Blend the whole rectangle in a copy. Then mix the result with the canvas through the mask.
        let layer = try pixels.cropped(to: box).copied()
        let sheet = try PixmanImage(layer, isOpaque: isOpaque)
        let place = PixelRect(x: 0, y: 0, width: box.width, height: box.height)
        if let operation = blend.operation {
            Self.composite(operation, source, nil, sheet, from: box, to: place)
        } else {
            let colors = try PixelBuffer.transparent(PixelSize(width: box.width, height: box.height))
            Self.composite(PIXMAN_OP_SRC, source, nil, try PixmanImage(colors), from: box, to: place)
            try layer.addDarkness(of: colors)
        }
        guard let screen else { return Self.composite(PIXMAN_OP_SRC, sheet, nil, target, from: place, to: box) }
        Self.composite(PIXMAN_OP_OUT_REVERSE, screen, nil, target, from: place, to: box)
        Self.composite(PIXMAN_OP_ADD, sheet, screen, target, from: place, to: box)
    }

    /// Draws the rectangle `from` of the source on the rectangle `to` of the target. Both rectangles and the mask
    /// must have the same size.
    private static func composite(
        _ operation: pixman_op_t, _ source: PixmanImage, _ mask: PixmanImage?, _ target: PixmanImage,
        from: PixelRect, to: PixelRect
    ) {
        pixman_image_composite32(
            operation, source.pointer, mask?.pointer, target.pointer, Int32(from.x), Int32(from.y), 0, 0, Int32(to.x),
            Int32(to.y), Int32(to.width), Int32(to.height))
    }
}

extension BlendMode {
    /// Whether this mode leaves the target unchanged where the source is transparent.
    fileprivate var sparesWhatIsOutside: Bool {
        switch self {
        case .clear, .copy, .sourceIn, .sourceOut, .destinationIn, .destinationAtop, .plusDarker: false
        default: true
        }
    }
}
