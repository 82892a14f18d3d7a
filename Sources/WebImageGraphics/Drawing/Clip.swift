import CWebImagePixman
import WebImageCore

/// Where may be drawn: a rectangle of whole pixels, and in it as far as a mask of the same size says.
struct Clip {
    var box: PixelRect
    var mask: PixelBuffer?

    /// What this clip and an area have in common; an area that is nil or outside leaves nothing.
    func intersected(_ area: (mask: PixelBuffer, box: PixelRect)?, isRect: Bool) throws(WebImageError) -> Clip {
        guard let area else { return Clip(box: PixelRect(x: 0, y: 0, width: 0, height: 0), mask: nil) }
        if isRect, mask == nil { return Clip(box: area.box, mask: nil) }
        try narrow(area.mask, at: area.box)
        return Clip(box: area.box, mask: area.mask)
    }

    /// Takes from a mask, whose place lies in this clip's rectangle, what this clip's own does not let through.
    func narrow(_ other: PixelBuffer, at place: PixelRect) throws(WebImageError) {
        guard let mask else { return }
        try PixmanImage(mask).composite(PIXMAN_OP_IN, onto: other, x: box.x - place.x, y: box.y - place.y)
    }
}
