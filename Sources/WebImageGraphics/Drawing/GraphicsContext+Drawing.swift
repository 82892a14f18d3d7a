import CWebImagePixman
public import Foundation
public import WebImageCore

extension GraphicsContext {
    /// Fills a path with the fill colour.
    public func fill(_ path: GraphicsPath, using rule: FillRule = .winding) {
        attempt { () throws(WebImageError) in
            try paint(polygons(path), rule: rule, with: try PixmanImage(fillColor))
        }
    }

    /// Fills a rectangle with the fill colour.
    public func fill(_ rect: CGRect) { fill(GraphicsPath(rect: rect)) }

    /// Fills an ellipse with the fill colour.
    public func fillEllipse(in rect: CGRect) { fill(GraphicsPath(ellipseIn: rect)) }

    /// Strokes a path with the stroke colour.
    public func stroke(_ path: GraphicsPath) {
        attempt { () throws(WebImageError) in
            let lines = path.flattened(pixelsPerUnit: pixelsPerPoint)
            let transform = currentTransform
            let pieces = pen.pieces(along: lines, pixelsPerUnit: pixelsPerPoint).map { piece in
                let moved = piece.map { point in
                    let place = CGPoint(x: point.x, y: point.y).applying(transform)
                    return SIMD2(Double(place.x), Double(place.y))
                }
                // Give all pieces the same direction. Otherwise overlapping pieces cancel each other under the
                // winding rule.
                return Self.area(moved) < 0 ? moved.reversed() : moved
            }
            guard pieces.allSatisfy({ $0.allSatisfy(\.isDrawable) }) else { return }
            try paint(pieces, rule: .winding, with: try PixmanImage(strokeColor))
        }
    }

    /// Strokes a rectangle with the stroke colour.
    public func stroke(_ rect: CGRect) { stroke(GraphicsPath(rect: rect)) }

    /// Makes a rectangle transparent, or black on an opaque surface.
    public func clear(_ rect: CGRect) {
        withGState {
            blendMode = .clear
            fill(rect)
        }
    }

    /// Fills a rectangle with a gradient. The start point and the end point of the gradient are fractions of the
    /// rectangle's size.
    public func draw(_ gradient: ImageGradient, in rect: CGRect) {
        attempt { () throws(WebImageError) in
            // Create the gradient for a square. A pixman transform then maps the square to the rectangle. This
            // transform includes the current drawing transform, so the drawing transform applies to the gradient.
            let side = 256
            let source = try PixmanImage(gradient, over: PixelSize(width: side, height: side))
            let place = currentTransform.translatedBy(x: rect.minX, y: rect.minY)
                .scaledBy(x: rect.width / CGFloat(side), y: rect.height / CGFloat(side))
            guard source.transform(back: place) else { return }
            try paint(polygons(GraphicsPath(rect: rect)), rule: .winding, with: source)
        }
    }

    /// Draws a picture in a rectangle. A Lanczos filter stretches the picture to the size of the rectangle.
    public func draw(_ image: Image, in rect: CGRect) {
        attempt { () throws(WebImageError) in
            let corner = CGPoint(x: rect.minX, y: rect.minY)
            let transform = currentTransform.translatedBy(x: corner.x, y: corner.y)
            let size = Self.drawnSize(rect.size, transform)
            guard let size, let pixels = try scaled(image, to: size) else { return }
            let source = try PixmanImage(pixels)
            let place = transform.scaledBy(
                x: rect.width / CGFloat(pixels.width), y: rect.height / CGFloat(pixels.height))
            if place.isWholeMove {
                try paint(
                    source.moved(x: Int(place.tx), y: Int(place.ty)),
                    in: PixelRect(x: Int(place.tx), y: Int(place.ty), width: pixels.width, height: pixels.height))
            } else if source.transform(back: place) {
                pixman_image_set_filter(source.pointer, PIXMAN_FILTER_GOOD, nil, 0)
                // Repeat the edge pixels of the picture, because the antialiased edges of the rectangle read pixels
                // outside the picture.
                pixman_image_set_repeat(source.pointer, PIXMAN_REPEAT_PAD)
                try paint(polygons(GraphicsPath(rect: rect)), rule: .winding, with: source)
            }
        }
    }

    /// Draws a picture at its size in points. The top left corner of the picture is at `point`.
    public func draw(_ image: Image, at point: CGPoint) { draw(image, in: CGRect(origin: point, size: image.size)) }

    /// Returns the lengths of the sides of a transformed rectangle, in pixels. Returns nil if a side is 0, not
    /// finite, or at least 1e6 px long.
    private static func drawnSize(_ size: CGSize, _ transform: CGAffineTransform) -> PixelSize? {
        let sides = [(size.width, transform.a, transform.b), (size.height, transform.c, transform.d)].map {
            Double(abs($0.0)) * length(SIMD2(Double($0.1), Double($0.2)))
        }
        guard sides.allSatisfy({ $0.isFinite && $0 > 0 && $0 < 1e6 }) else { return nil }
        return PixelSize(width: max(Int(sides[0].rounded()), 1), height: max(Int(sides[1].rounded()), 1))
    }

    /// Returns the picture scaled to `size`, or unscaled if `size` is too large. `size` is too large if a side exceeds
    /// pixman's limit. It is also too large if it has more pixels than the picture and more than four times the pixels
    /// of the surface.
    private func scaled(_ image: Image, to size: PixelSize) throws(WebImageError) -> PixelBuffer? {
        let pixels = try image.displayPixels()
        let limit = max(canvas.pixels.width * canvas.pixels.height * 4, pixels.width * pixels.height)
        let wanted =
            size.pixelCount <= limit && max(size.width, size.height) <= PixmanImage.maxSide ? size : pixels.size
        return try pixels.scaled(to: wanted, isOpaque: !image.hasAlpha)
    }

    private static func area(_ polygon: [SIMD2<Double>]) -> Double {
        polygon.indices.reduce(0) { sum, index in
            let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
            return sum + a.x * b.y - a.y * b.x
        }
    }
}

extension CGAffineTransform {
    /// Whether the transform only moves the picture, by a whole number of pixels. If true, pixels can be copied without
    /// filtering.
    fileprivate var isWholeMove: Bool {
        abs(a - 1) < 1e-6 && abs(d - 1) < 1e-6 && abs(b) < 1e-6 && abs(c) < 1e-6 && tx == tx.rounded()
            && ty == ty.rounded() && abs(tx) < 1e6 && abs(ty) < 1e6
    }
}

extension PixmanImage {
    /// Sets the transform from the image to the target. Returns false if the transform has no inverse or exceeds
    /// pixman's number range.
    fileprivate func transform(back place: CGAffineTransform) -> Bool {
        let determinant = place.a * place.d - place.b * place.c
        guard determinant.isFinite, abs(determinant) > 1e-12 else { return false }
        let back = place.inverted()
        var matrix = pixman_f_transform(
            m: (
                (Double(back.a), Double(back.c), Double(back.tx)), (Double(back.b), Double(back.d), Double(back.ty)),
                (0, 0, 1)
            ))
        var fixed = pixman_transform()
        guard pixman_transform_from_pixman_f_transform(&fixed, &matrix) != 0 else { return false }
        return pixman_image_set_transform(pointer, &fixed) != 0
    }

    /// Moves the image's position on the target by whole pixels and returns the image.
    fileprivate func moved(x: Int, y: Int) -> PixmanImage {
        var fixed = pixman_transform()
        pixman_transform_init_translate(&fixed, Int32(clamping: -x << 16), Int32(clamping: -y << 16))
        pixman_image_set_transform(pointer, &fixed)
        return self
    }
}
