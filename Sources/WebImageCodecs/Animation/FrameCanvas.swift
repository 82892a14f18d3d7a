import WebImageCore
import WebImageGraphics

/// The canvas that a frame is drawn on: a buffer, and rectangles that still have to be cleared in it.
///
/// Delivered images and other backdrops may share the buffer. It is copied before a write unless it is uniquely
/// referenced.
struct FrameBackdrop {
    /// The frame whose backdrop this is.
    var frame: Int
    /// nil when the whole canvas is clear.
    private var base: PixelBuffer?
    private var cleared: [Rectangle] = []
    private var baseIsOpaque = false

    private struct Rectangle: Hashable {
        var x: Range<Int>
        var y: Range<Int>
    }

    /// False when the backdrop was not made because the frame does not need it.
    private(set) var isKnown = true

    /// The clear canvas.
    init(clearFor frame: Int) { self.frame = frame }

    /// The backdrop of a frame that covers it completely, so that its pixels are not needed.
    init(unknownFor frame: Int) {
        self.frame = frame
        isKnown = false
    }

    /// The canvas that the previous frame left.
    init(frame: Int, shown: ShownCanvas) {
        self.frame = frame
        base = shown.pixels
        baseIsOpaque = shown.isOpaque
    }

    var isClear: Bool { base == nil }
    var isOpaque: Bool { base != nil && baseIsOpaque && cleared.isEmpty }

    mutating func clear(_ frame: AnimationFrame, canvas: PixelSize) throws(WebImageError) {
        guard base != nil else { return }
        if frame.covers(canvas) {
            (base, cleared) = (nil, [])
            return
        }
        let rectangle = Rectangle(x: frame.x, y: frame.y)
        guard cleared.last != rectangle else { return }
        cleared.append(rectangle)
        // Without a limit, a file of many small frames that are cleared would make a list as long as the file.
        if cleared.count > 16 { base = try takeCanvas(canvas) }
    }

    /// The pixels to draw on, with the rectangles cleared; this backdrop must not be used afterwards.
    mutating func takeCanvas(_ size: PixelSize) throws(WebImageError) -> PixelBuffer? {
        guard var pixels = base else { return nil }
        base = nil
        if !isKnownUniquelyReferenced(&pixels) {
            let copy = try PixelBuffer(width: size.width, height: size.height, format: pixels.format)
            copy.copyRectangle(of: pixels, x: 0, y: 0)
            pixels = copy
        }
        for rectangle in cleared { pixels.clearRectangle(x: rectangle.x, y: rectangle.y) }
        baseIsOpaque = baseIsOpaque && cleared.isEmpty
        cleared = []
        return pixels
    }
}

/// A whole frame, composited.
struct ShownCanvas {
    var pixels: PixelBuffer
    /// Whether every pixel is opaque.
    var isOpaque: Bool
}
