public import Foundation
public import WebImage
public import WebImageGraphics

/// A set of corners of a rectangle; ``WebImageCore/RectCorner``.
public typealias UIRectCorner = RectCorner

/// Lines and curves for the current drawing; ``WebImageGraphics/GraphicsPath`` as an object.
///
/// Coordinates are in points, y grows downwards. For one thread at a time. ``fill()`` and ``stroke()`` do nothing outside a
/// drawing.
public final class UIBezierPath {
    /// The lines and curves as a struct.
    public var path = GraphicsPath()
    /// The line width in points; 1 by default.
    public var lineWidth: CGFloat = 1
    /// The shape of line ends; butt by default.
    public var lineCapStyle = LineCap.butt
    /// The shape of line joins; miter by default.
    public var lineJoinStyle = LineJoin.miter
    /// Whether areas that are enclosed twice are not filled; false by default.
    public var usesEvenOddFillRule = false

    /// Creates an empty path.
    public init() {}
    /// Creates a rectangle.
    public init(rect: CGRect) { path = GraphicsPath(rect: rect) }
    /// Creates an ellipse that touches the sides of a rectangle.
    public init(ovalIn rect: CGRect) { path = GraphicsPath(ellipseIn: rect) }
    /// Creates a rectangle with rounded corners. The radius is limited to half the smaller side.
    public init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
        path = GraphicsPath(roundedRect: rect, cornerRadius: cornerRadius)
    }
    /// A rectangle with some rounded corners; their radius is the smaller of the two.
    public init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
        path = GraphicsPath(
            roundedRect: rect, cornerRadius: min(cornerRadii.width, cornerRadii.height), corners: corners)
    }
    /// An arc of a circle; angles are in radians, 0 is on the right, and they grow clockwise.
    public init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }

    /// Whether there is no line.
    public var isEmpty: Bool { path.isEmpty }
    /// The start of the next line; zero for an empty path.
    public var currentPoint: CGPoint { path.currentPoint ?? .zero }

    /// Begins a new line at `point`.
    public func move(to point: CGPoint) { path.move(to: point) }
    /// Adds a straight line.
    public func addLine(to point: CGPoint) { path.addLine(to: point) }
    /// Adds a cubic Bézier curve.
    public func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
        path.addCurve(to: endPoint, control1: controlPoint1, control2: controlPoint2)
    }
    /// Adds a quadratic Bézier curve.
    public func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) {
        path.addQuadCurve(to: endPoint, control: controlPoint)
    }
    /// Adds an arc of a circle and a line to its start; angles are in radians, 0 is on the right, and they grow clockwise.
    public func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        guard startAngle.isFinite, endAngle.isFinite else { return }
        var sweep = (endAngle - startAngle).truncatingRemainder(dividingBy: 2 * .pi)
        // Angles that differ by whole turns give a whole circle; others the arc in the requested direction.
        if sweep == 0, endAngle != startAngle { sweep = clockwise ? 2 * .pi : -2 * .pi }
        if clockwise, sweep < 0 { sweep += 2 * .pi }
        if !clockwise, sweep > 0 { sweep -= 2 * .pi }
        path.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: startAngle + sweep)
    }
    /// Adds a line to the start of the current line.
    public func close() { path.closeSubpath() }
    /// Adds the lines of another path.
    public func append(_ bezierPath: UIBezierPath) { path.addPath(bezierPath.path) }
    /// Removes all lines.
    public func removeAllPoints() { path = GraphicsPath() }

    /// Fills the inside with the current fill colour.
    public func fill() { GraphicsContext.current?.fill(path, using: rule) }
    /// Draws the line in the current stroke colour.
    public func stroke() {
        guard let context = GraphicsContext.current else { return }
        context.withGState {
            (context.lineWidth, context.lineCap, context.lineJoin) = (lineWidth, lineCapStyle, lineJoinStyle)
            context.stroke(path)
        }
    }
    /// Limits further drawing to the inside of the path.
    public func addClip() { GraphicsContext.current?.clip(to: path, using: rule) }

    private var rule: FillRule { usesEvenOddFillRule ? .evenOdd : .winding }
}
