public import Foundation
import WebImage
public import WebImageGraphics

/// A set of corners of a rectangle. UIKit's name for ``WebImageGraphics/RectCorner``.
public typealias UIRectCorner = RectCorner

/// Lines and curves for the current drawing. This type wraps the struct ``WebImageGraphics/GraphicsPath``. It is a
/// class, because UIKit's path is a class.
///
/// Coordinates are in points, and y grows downwards. Use a path on one thread at a time. ``fill()`` and ``stroke()``
/// do nothing if no drawing is open.
public final class UIBezierPath {
    /// The lines and curves.
    public var path = GraphicsPath()
    /// The line width in points. Default: 1.
    public var lineWidth: CGFloat = 1
    /// The shape of line ends. Default: `.butt`.
    public var lineCapStyle = LineCap.butt
    /// The shape of line joins. Default: `.miter`.
    public var lineJoinStyle = LineJoin.miter
    /// Whether ``fill()`` and ``addClip()`` use the even-odd rule. By this rule, an area that the path encloses twice
    /// is not inside the path. Default: false.
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
    /// Creates a rectangle and rounds the corners that `corners` contains. The radius is the smaller of
    /// `cornerRadii.width` and `cornerRadii.height`.
    public init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
        path = GraphicsPath(
            roundedRect: rect, cornerRadius: min(cornerRadii.width, cornerRadii.height), corners: corners)
    }
    /// Creates an arc of a circle. Angles are in radians. Angle 0 is on the right, and angles grow clockwise.
    public init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }

    /// Whether the path is empty.
    public var isEmpty: Bool { path.isEmpty }
    /// The start of the next line. The point (0, 0) for an empty path.
    public var currentPoint: CGPoint { path.currentPoint ?? .zero }

    /// Begins a new sequence of lines and curves (a subpath) at `point`.
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
    /// Adds a line from the current point to the start of an arc of a circle, then adds the arc. Angles are in radians.
    /// Angle 0 is on the right, and angles grow clockwise. Adds nothing if an angle is not finite.
    public func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        guard startAngle.isFinite, endAngle.isFinite else { return }
        var sweep = (endAngle - startAngle).truncatingRemainder(dividingBy: 2 * .pi)
        // If the angles differ by whole turns, draw a whole circle. Otherwise draw the arc in the requested direction.
        if sweep == 0, endAngle != startAngle { sweep = clockwise ? 2 * .pi : -2 * .pi }
        if clockwise, sweep < 0 { sweep += 2 * .pi }
        if !clockwise, sweep > 0 { sweep -= 2 * .pi }
        path.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: startAngle + sweep)
    }
    /// Closes the current subpath with a line to its start.
    public func close() { path.closeSubpath() }
    /// Adds the lines and curves of another path.
    public func append(_ bezierPath: UIBezierPath) { path.addPath(bezierPath.path) }
    /// Removes all lines and curves.
    public func removeAllPoints() { path = GraphicsPath() }

    /// Fills the inside of the path with the current fill colour.
    public func fill() { GraphicsContext.current?.fill(path, using: rule) }
    /// Draws the lines and curves in the current stroke colour.
    public func stroke() {
        guard let context = GraphicsContext.current else { return }
        context.withGState {
            (context.lineWidth, context.lineCap, context.lineJoin) = (lineWidth, lineCapStyle, lineJoinStyle)
            context.stroke(path)
        }
    }
    /// Limits everything that is drawn later in the current drawing to the inside of the path.
    public func addClip() { GraphicsContext.current?.clip(to: path, using: rule) }

    private var rule: FillRule { usesEvenOddFillRule ? .evenOdd : .winding }
}
