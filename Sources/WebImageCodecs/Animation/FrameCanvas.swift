import WebImageCore
import WebImageGraphics

/// The canvas that a frame is drawn on. The backdrop stores a pixel buffer and rectangles. The rectangles must be
/// cleared in the buffer before the frame is drawn.
///
/// Delivered images and other backdrops can share the buffer. ``takeCanvas(_:)`` copies a shared buffer, because its
/// caller draws into the result.
struct FrameBackdrop {
    /// The index of the frame that is drawn on this backdrop.
    var frame: Int
    /// The pixels before the rectangles are cleared. Nil if the whole canvas is clear or unknown.
    private var base: PixelBuffer?
    private var cleared: [Rectangle] = []
    private var baseIsOpaque = false

    private struct Rectangle: Hashable {
        var x: Range<Int>
        var y: Range<Int>
    }

    /// Whether the pixels of the backdrop are known. If the frame replaces the whole canvas, the backdrop is not
    /// computed and the value is false.
    private(set) var isKnown = true

    /// Creates a clear (transparent) canvas.
    init(clearFor frame: Int) { self.frame = frame }

    /// Creates a backdrop without pixels, for a frame that replaces the whole canvas.
    init(unknownFor frame: Int) {
        self.frame = frame
        isKnown = false
    }

    /// Creates the backdrop of `frame` from `shown`: the canvas after the previous frame was drawn.
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
        // Clear the collected rectangles now. Otherwise the list grows without limit in a file of many small frames
        // with disposal `background`.
        if cleared.count > 16 { base = try takeCanvas(canvas) }
    }

    /// Returns a buffer in which the rectangles are cleared. Returns nil if the backdrop has no pixels. The caller
    /// draws into the buffer. Do not use this backdrop after the call.
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

/// The canvas after one frame was drawn on it, ready to be shown.
struct ShownCanvas {
    var pixels: PixelBuffer
    /// Whether every pixel of the canvas is opaque.
    var isOpaque: Bool
}
