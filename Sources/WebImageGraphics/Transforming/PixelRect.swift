import Foundation
import WebImageCore

/// A rectangle of whole pixels.
struct PixelRect: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var size: PixelSize { PixelSize(width: width, height: height) }

    init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// The region, if all its edges lie between two pixels; otherwise nil.
    init?(_ region: PixelRegion) {
        let sides = [region.left, region.top, region.width, region.height]
        guard sides.allSatisfy({ abs($0) < 1e9 && $0 == $0.rounded() }) else { return nil }
        self.init(x: Int(sides[0]), y: Int(sides[1]), width: Int(sides[2]), height: Int(sides[3]))
    }

    /// Returns the intersection of both rectangles; nil if they do not overlap.
    func intersection(_ other: PixelRect) -> PixelRect? {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(x + width, other.x + other.width), min(y + height, other.y + other.height))
        guard right > left, bottom > top else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns the part of the rectangle that is inside a picture with the given width and height. Returns nil if no
    /// part is inside.
    func intersection(width limitX: Int, height limitY: Int) -> PixelRect? {
        intersection(PixelRect(x: 0, y: 0, width: limitX, height: limitY))
    }
}

extension PixelSize {
    /// Converts a size in points to whole pixels, rounded up. Returns nil unless the size is positive, finite and
    /// within the default pixel limit. Points that were computed from whole pixels return these pixels: with a scale of
    /// 1.75, the product is sometimes a few billionths above.
    init?(points: CGSize, scale: CGFloat) {
        let (width, height) = (Double(points.width * scale), Double(points.height * scale))
        guard width.isFinite, height.isFinite, width > 0, height > 0, width < 1e9, height < 1e9 else { return nil }
        func pixels(_ length: Double) -> Int { max(Int((length - length * 1e-12).rounded(.up)), 1) }
        self.init(width: pixels(width), height: pixels(height))
        guard pixelCount <= DecodingLimits.default.maxPixels else { return nil }
    }

    /// Returns the part of a picture of this size that is drawn on a canvas, and the size at which this part is drawn.
    /// The part is exact: its edges can lie between two pixels.
    func placed(in canvas: PixelSize, _ mode: ImageScaleMode) -> (source: PixelRegion, target: PixelSize) {
        let whole = PixelRegion(self)
        let ratio = Double(width) / Double(height)
        let canvasRatio = Double(canvas.width) / Double(canvas.height)
        switch mode {
        case .fill:
            return (whole, canvas)
        case .aspectFit:
            let target =
                ratio > canvasRatio
                ? PixelSize(
                    width: canvas.width, height: ImageScaling.nearest(height, scaledFrom: width, to: canvas.width))
                : PixelSize(
                    width: ImageScaling.nearest(width, scaledFrom: height, to: canvas.height), height: canvas.height)
            return (whole, target)
        case .aspectFill:
            var part = whole
            if ratio > canvasRatio {
                part.width = part.height * canvasRatio
            } else {
                part.height = part.width / canvasRatio
            }
            part.left = (whole.width - part.width) / 2
            part.top = (whole.height - part.height) / 2
            return (part, canvas)
        }
    }
}

extension PixelBuffer {
    /// Returns a buffer in the display format, filled with transparent black.
    static func transparent(_ size: PixelSize) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        result.withUnsafeMutableBytes { bytes in _ = memset(bytes.baseAddress!, 0, bytes.count) }
        return result
    }

    /// Returns a copy of the part inside `rect`. `rect` must be inside the picture. Returns the receiver if `rect` is
    /// the whole picture.
    func cropped(to rect: PixelRect) throws(WebImageError) -> PixelBuffer {
        if rect == PixelRect(x: 0, y: 0, width: width, height: height) { return self }
        let result = try PixelBuffer(width: rect.width, height: rect.height, format: format)
        let rowBytes = rect.width * format.bytesPerPixel
        for row in 0..<rect.height {
            memcpy(
                result.baseAddress + row * result.bytesPerRow,
                baseAddress + (rect.y + row) * bytesPerRow + rect.x * format.bytesPerPixel, rowBytes)
        }
        return result
    }

    /// Copies `source` to position `x`, `y` of this picture. Both pictures must have the same format. Pixels outside
    /// this picture are ignored. This function changes the pixels of this picture, so no other code may use this
    /// picture at the same time.
    func copy(_ source: PixelBuffer, x: Int, y: Int) {
        guard
            let part = PixelRect(x: x, y: y, width: source.width, height: source.height)
                .intersection(width: width, height: height)
        else { return }
        for row in 0..<part.height {
            memcpy(
                baseAddress + (part.y + row) * bytesPerRow + part.x * format.bytesPerPixel,
                source.baseAddress + (part.y - y + row) * source.bytesPerRow
                    + (part.x - x) * format.bytesPerPixel, part.width * format.bytesPerPixel)
        }
    }
}
