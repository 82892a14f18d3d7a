import CWebImagePixman
public import Foundation
public import WebImageCore

extension Image {
    /// Returns the picture with rounded corners and a border, transparent outside.
    ///
    /// The result has the display format, 8 bits per channel.
    /// - Parameters:
    ///   - radius: the radius of the corners in points, limited to half the smaller side.
    ///   - corners: the corners to round.
    ///   - borderWidth: in points; half the smaller side or more gives a transparent image.
    ///   - borderColor: nil draws no border, but still insets the picture.
    /// - Returns: nil when a number is not finite or negative.
    public func roundedCornerImage(
        withRadius radius: CGFloat, corners: RectCorner, borderWidth: CGFloat, borderColor: ImageColor?
    ) -> Image? {
        guard radius.isFinite, borderWidth.isFinite, radius >= 0, borderWidth >= 0 else { return nil }
        return made {
            () throws(WebImageError) in
            let smallerSide = min(size.width, size.height)
            guard borderWidth < smallerSide / 2 else { return (try PixelBuffer.transparent(pixelSize), true) }
            let shape = RoundedRectMask(
                size: pixelSize, inset: Double(borderWidth * scale), radius: Double(radius * scale), corners: corners)
            let canvas = try displayPixelsToDrawOn()
            let sheet = try PixmanImage(canvas)
            for part in try shape.parts(otherThan: 255) {
                try PixmanImage(part.coverage).composite(PIXMAN_OP_IN_REVERSE, onto: sheet, at: part.place)
            }
            if let borderColor, borderWidth > 0 { try stroke(sheet, radius, corners, borderWidth, borderColor) }
            return (canvas, true)
        }
    }

    private func stroke(
        _ sheet: PixmanImage, _ radius: CGFloat, _ corners: RectCorner, _ width: CGFloat, _ color: ImageColor
    ) throws(WebImageError) {
        let inset = (width * scale).rounded(.down) + 0.5
        let outer = radius > scale / 2 ? radius - scale / 2 : 0
        let outline = RoundedRectMask(
            size: pixelSize, inset: Double(inset), radius: Double(outer * scale), corners: corners,
            halfStroke: Double(width * scale) / 2)
        let color = try PixmanImage(color)
        for part in try outline.parts(otherThan: 0) {
            color.composite(PIXMAN_OP_OVER, mask: try PixmanImage(part.coverage), onto: sheet, at: part.place)
        }
    }
}
