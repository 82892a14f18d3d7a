import CWebImagePixman
public import Foundation
public import WebImageCore

/// A surface on which shapes, lines, pictures and gradients are drawn. A transform and a clip apply to all drawing.
///
/// Coordinates are points. The origin is at the top left, and y increases downwards. Colours are sRGB with 8 bits per
/// channel. A shape is not drawn if a coordinate is not finite or if the transform has no inverse. Use a context on one
/// thread at a time, and only inside ``GraphicsImageRenderer/image(_:)``.
public final class GraphicsContext {
    /// The state that ``saveGState()`` stores and ``restoreGState()`` restores.
    private struct State {
        var transform: CGAffineTransform
        var clip: Clip
        var fill = ImageColor.black
        var stroke = ImageColor.black
        var pen = Pen()
        var alpha = 1.0
        var blendMode = BlendMode.normal
    }

    let canvas: Canvas
    private var state: State
    private var saved: [State] = []
    /// Whether the drawing has ended. After its end, the pixels belong to an image and must not change.
    private var isEnded = false

    init(_ canvas: Canvas, scale: CGFloat) {
        self.canvas = canvas
        state = State(
            transform: CGAffineTransform(scaleX: scale, y: scale), clip: Clip(box: canvas.bounds, mask: nil))
    }

    /// Ends the drawing. Later drawing calls do nothing.
    func end() { isEnded = true }

    // MARK: State

    /// Saves colours, line settings, opacity, blend mode, transform and clip.
    public func saveGState() { saved.append(state) }
    /// Restores the last saved state. Does nothing if no state is saved.
    public func restoreGState() { if let last = saved.popLast() { state = last } }

    /// Calls `body`, then restores the state that was set before the call.
    public func withGState<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let depth = saved.count
        saveGState()
        defer {
            saved.removeLast(max(saved.count - depth - 1, 0))
            if saved.count > depth { restoreGState() }
        }
        return try body()
    }

    /// The colour of fills; black by default.
    public var fillColor: ImageColor {
        get { state.fill }
        set { state.fill = newValue }
    }
    /// The colour of lines; black by default.
    public var strokeColor: ImageColor {
        get { state.stroke }
        set { state.stroke = newValue }
    }
    /// The width of lines in points; 1 by default.
    public var lineWidth: CGFloat {
        get { CGFloat(state.pen.width) }
        set { state.pen.width = Double(newValue) }
    }
    /// The shape of the two ends of a line; ``LineCap/butt`` by default.
    public var lineCap: LineCap {
        get { state.pen.cap }
        set { state.pen.cap = newValue }
    }
    /// The shape of joints between lines; ``LineJoin/miter`` by default.
    public var lineJoin: LineJoin {
        get { state.pen.join }
        set { state.pen.join = newValue }
    }
    /// The maximum length of a pointed joint, in line widths; 10 by default. A longer joint is drawn as
    /// ``LineJoin/bevel``.
    public var miterLimit: CGFloat {
        get { CGFloat(state.pen.miterLimit) }
        set { state.pen.miterLimit = Double(newValue) }
    }
    /// The opacity of all drawing, 0…1; 1 by default. Other values are clamped to 0…1.
    public var alpha: Double {
        get { state.alpha }
        set { state.alpha = newValue.isNaN ? 0 : min(max(newValue, 0), 1) }
    }
    /// How drawn pixels are blended with the surface; `.normal` by default.
    public var blendMode: BlendMode {
        get { state.blendMode }
        set { state.blendMode = newValue }
    }

    // MARK: Transform

    /// The transform from drawing coordinates to pixels.
    public var currentTransform: CGAffineTransform { state.transform }
    /// Adds a transform. Coordinates are first changed by `transform`, then by the previous transform.
    public func concatenate(_ transform: CGAffineTransform) {
        state.transform = transform.concatenating(state.transform)
    }
    /// Moves the origin by `x`, `y`.
    public func translateBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.translatedBy(x: x, y: y) }
    /// Scales the coordinates by `x`, `y`.
    public func scaleBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.scaledBy(x: x, y: y) }
    /// Rotates the coordinates clockwise about the origin. The angle is in radians.
    public func rotate(by angle: CGFloat) { state.transform = state.transform.rotated(by: angle) }

    // MARK: Clip

    /// Limits drawing to the intersection of the current clip and the inside of a path.
    public func clip(to path: GraphicsPath, using rule: FillRule = .winding) {
        attempt { () throws(WebImageError) in
            let area = polygons(path)
            let cover = try canvas.coverage(of: area, rule: rule, in: state.clip.box)
            state.clip = try state.clip.intersected(cover, isRect: Self.isAligned(area))
        }
    }

    /// Limits drawing to the intersection of the current clip and a rectangle.
    public func clip(to rect: CGRect) { clip(to: GraphicsPath(rect: rect)) }

    // MARK: Inside

    var pen: Pen { state.pen }
    /// The number of pixels per point. If the axes have different scales, this is the larger number.
    var pixelsPerPoint: Double {
        let transform = state.transform
        let along = length(SIMD2(Double(transform.a), Double(transform.b)))
        return max(along, length(SIMD2(Double(transform.c), Double(transform.d))))
    }

    func polygons(_ path: GraphicsPath) -> [[SIMD2<Double>]] { path.flattened(state.transform).map(\.points) }

    /// Paints the inside of polygons. The coordinates are in pixels.
    func paint(_ polygons: [[SIMD2<Double>]], rule: FillRule, with source: PixmanImage) throws(WebImageError) {
        if Self.isAligned(polygons), let corner = polygons[0].min(by: { $0.sum() < $1.sum() }),
            let other = polygons[0].max(by: { $0.sum() < $1.sum() })
        {
            let limit = SIMD2<Double>(repeating: 40_000)
            let (from, to) = (
                corner.clamped(lowerBound: -limit, upperBound: limit),
                other.clamped(lowerBound: -limit, upperBound: limit)
            )
            let rect = PixelRect(x: Int(from.x), y: Int(from.y), width: Int(to.x - from.x), height: Int(to.y - from.y))
            return try paint(source, in: rect)
        }
        guard let cover = try canvas.coverage(of: polygons, rule: rule, in: state.clip.box) else { return }
        try state.clip.narrow(cover.mask, at: cover.box)
        try fade(cover.mask)
        try canvas.paint(source, state.blendMode, in: cover.box, through: cover.mask)
    }

    /// Paints a rectangle of whole pixels.
    func paint(_ source: PixmanImage, in rect: PixelRect) throws(WebImageError) {
        guard let box = rect.intersection(state.clip.box) else { return }
        var mask: PixelBuffer?
        if state.clip.mask != nil || state.alpha < 1 {
            let full = try PixelBuffer(width: box.width, height: box.height, format: .gray8)
            full.withUnsafeMutableBytes { _ = memset($0.baseAddress!, 255, $0.count) }
            try state.clip.narrow(full, at: box)
            try fade(full)
            mask = full
        }
        try canvas.paint(source, state.blendMode, in: box, through: mask)
    }

    private func fade(_ mask: PixelBuffer) throws(WebImageError) {
        guard state.alpha < 1 else { return }
        try PixmanImage(ImageColor(white: 0, alpha: state.alpha)).composite(PIXMAN_OP_IN, onto: mask)
    }

    /// Whether `polygons` is a single rectangle with horizontal and vertical edges at whole pixels.
    private static func isAligned(_ polygons: [[SIMD2<Double>]]) -> Bool {
        guard polygons.count == 1, polygons[0].count == 4 else { return false }
        let corners = polygons[0]
        guard corners.allSatisfy({ $0 == $0.rounded(.toNearestOrAwayFromZero) }) else { return false }
        return (0..<4).allSatisfy { index in
            let way = corners[(index + 1) % 4] - corners[index]
            let next = corners[(index + 2) % 4] - corners[(index + 1) % 4]
            return (way.x == 0) != (way.y == 0) && (way.x == 0) != (next.x == 0)
        }
    }

    /// Calls `draw`, unless the drawing has ended. If `draw` throws, logs the error and leaves the shape out of the
    /// drawing. `draw` throws if memory is short or if pixman cannot create the source.
    func attempt(_ draw: () throws(WebImageError) -> Void) {
        guard !isEnded else { return }
        do throws(WebImageError) { try draw() } catch {
            WebImageLog.shared.log(.warning, "drawing failed: \(error)", metadata: error.logMetadata)
        }
    }
}
