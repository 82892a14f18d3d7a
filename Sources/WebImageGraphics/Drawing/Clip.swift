import CWebImagePixman
import WebImageCore

/// The area to which drawing is limited: a rectangle of whole pixels, and an optional mask of the same size.
struct Clip {
    var box: PixelRect
    var mask: PixelBuffer?

    /// Returns the intersection of this clip and `area`. Returns an empty clip if `area` is nil.
    func intersected(_ area: (mask: PixelBuffer, box: PixelRect)?, isRect: Bool) throws(WebImageError) -> Clip {
        guard let area else { return Clip(box: PixelRect(x: 0, y: 0, width: 0, height: 0), mask: nil) }
        if isRect, mask == nil { return Clip(box: area.box, mask: nil) }
        try narrow(area.mask, at: area.box)
        return Clip(box: area.box, mask: area.mask)
    }

    /// Multiplies the mask `other` in place by this clip's mask. Does nothing if this clip has no mask.
    ///
    /// - Parameter place: The rectangle of `other` on the canvas. This rectangle must be inside the clip's rectangle.
    func narrow(_ other: PixelBuffer, at place: PixelRect) throws(WebImageError) {
        guard let mask else { return }
        try PixmanImage(mask).composite(PIXMAN_OP_IN, onto: other, x: box.x - place.x, y: box.y - place.y)
    }
}
