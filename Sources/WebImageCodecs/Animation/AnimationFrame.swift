import WebImageCore

/// The properties that determine how one animation frame is drawn: position, blending, disposal and delay.
///
/// GIF, APNG and WebP frames are converted to this type. The type is small: a hostile file can contain millions of
/// frames, and each of them uses memory.
struct AnimationFrame: Sendable, Hashable {
    /// Specifies how the frame's rectangle on the canvas changes before the next frame is drawn.
    enum Disposal: UInt8, Sendable { case none, background, previous }
    /// Whether the frame replaces the pixels on the canvas (`source`) or is blended with them (`over`).
    enum Blend: UInt8, Sendable { case source, over }

    private let left: UInt32
    private let top: UInt32
    private let right: UInt32
    private let bottom: UInt32
    let disposal: Disposal
    let blend: Blend
    /// Whether the file declares that all pixels of the frame are opaque.
    let isOpaque: Bool
    /// The delay stored in the file, in milliseconds.
    let delayMilliseconds: Double

    /// Creates a frame that covers the columns `x` and the rows `y`. Both ranges must be inside the canvas. A frame
    /// with an empty range draws nothing.
    init(
        x: Range<Int>, y: Range<Int>, disposal: Disposal, blend: Blend, isOpaque: Bool, delayMilliseconds: Double
    ) {
        (left, right) = (UInt32(x.lowerBound), UInt32(x.upperBound))
        (top, bottom) = (UInt32(y.lowerBound), UInt32(y.upperBound))
        self.disposal = disposal
        self.blend = blend
        self.isOpaque = isOpaque
        self.delayMilliseconds = delayMilliseconds
    }

    var x: Range<Int> { Int(left)..<Int(right) }
    var y: Range<Int> { Int(top)..<Int(bottom) }
    var isEmpty: Bool { left == right || top == bottom }

    func covers(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && Int(right) >= canvas.width && Int(bottom) >= canvas.height
    }

    /// Whether the frame can be drawn without the pixels that are already on the canvas.
    var replacesBackdrop: Bool { blend == .source || isOpaque }
}
