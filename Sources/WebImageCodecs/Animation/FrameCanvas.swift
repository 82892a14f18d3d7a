import WebImageCore
import WebImageGraphics

/// The canvas that a frame is drawn on. Consists of a pixel buffer and of rectangles that must be cleared in the
/// buffer before the frame is drawn.
///
/// Delivered images and other backdrops can share the buffer. ``takeCanvas(_:)`` copies a shared buffer, because the
/// caller draws into the result.
struct FrameBackdrop {
    /// The frame whose backdrop this is.
    var frame: Int
    /// The pixels before the rectangles are cleared; nil when the whole canvas is clear or unknown.
    private var base: PixelBuffer?
    private var cleared: [Rectangle] = []
    private var baseIsOpaque = false

    private struct Rectangle: Hashable {
        var x: Range<Int>
        var y: Range<Int>
    }

    /// Whether the pixels of the backdrop are known. False when the frame covers the whole canvas, so that the
    /// backdrop was not computed.
    private(set) var isKnown = true

    /// Creates a clear (transparent) canvas.
    init(clearFor frame: Int) { self.frame = frame }

    /// Creates a backdrop without pixels, for a frame that covers the whole canvas.
    init(unknownFor frame: Int) {
        self.frame = frame
        isKnown = false
    }

    /// Creates the backdrop from the canvas with the previous frame drawn on it.
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

    /// Returns a buffer to draw on, with the rectangles cleared, or nil if the canvas is clear. Do not use this
    /// backdrop afterwards.
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

/// The canvas with one frame drawn on it, ready to be shown.
struct ShownCanvas {
    var pixels: PixelBuffer
    /// Whether every pixel is opaque.
    var isOpaque: Bool
}
