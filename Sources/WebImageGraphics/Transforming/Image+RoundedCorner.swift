import CWebImagePixman
public import Foundation
public import WebImageCore

extension Image {
    /// Returns the picture with rounded corners and a border. Pixels outside the corners are transparent.
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel).
    /// - Parameters:
    ///   - radius: The radius of the corners in points. It is limited to half the smaller side, so that infinity gives a
    ///     circle or a pill.
    ///   - corners: The corners to round.
    ///   - borderWidth: The width of the border in points. A border of half the smaller side or more gives a
    ///     transparent image.
    ///   - borderColor: The colour of the border. nil draws no border; the picture is still inset by the border's
    ///     width.
    /// - Returns: nil if `radius` or `borderWidth` is negative or not a number, or `borderWidth` is not finite.
    public func roundedCornerImage(
        withRadius radius: CGFloat, corners: RectCorner, borderWidth: CGFloat, borderColor: ImageColor?
    ) -> Image? {
        guard borderWidth.isFinite, radius >= 0, borderWidth >= 0 else { return nil }
        return made {
            () throws(WebImageError) in
            let smallerSide = min(size.width, size.height)
            let radius = min(radius, smallerSide)
            guard borderWidth < smallerSide / 2 else { return (try PixelBuffer.transparent(pixelSize), true) }
            let shape = RoundedRectMask(
                size: pixelSize, inset: Double(borderWidth * scale), radius: Double(radius * scale), corners: corners)
            let canvas = try displayPixelsToDrawOn()
            let sheet = try PixmanImage(canvas)
            for part in try shape.parts(otherThan: 255) {
                try WorkBudget.checkCurrent()
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
