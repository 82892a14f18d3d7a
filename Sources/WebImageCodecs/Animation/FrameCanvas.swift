import WebImageCore
import WebImageGraphics

/// The canvas a frame is drawn on, known up to the clearing that remains to be done.
///
/// Its buffer may be shared with delivered images and other grounds. It is written only while it is uniquely
/// referenced, else it is copied first.
struct FrameGround {
    /// The frame whose ground this is.
    var frame: Int
    /// nil means that the whole canvas is clear.
    private var base: PixelBuffer?
    private var cleared: [Rectangle] = []
    private var baseIsOpaque = false

    private struct Rectangle: Hashable {
        var x: Range<Int>
        var y: Range<Int>
    }

    /// False when the ground was not made because the frame does not need it.
    private(set) var isKnown = true

    /// The clear canvas.
    init(clearFor frame: Int) { self.frame = frame }

    /// The ground of a frame that covers it.
    init(unknownFor frame: Int) {
        self.frame = frame
        isKnown = false
    }

    /// What the frame before showed.
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
        // A run of small frames that all clear would make a list as long as the file.
        if cleared.count > 16 { base = try takeCanvas(canvas) }
    }

    /// Pixels to draw on, as this ground leaves them; the ground is used up.
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
