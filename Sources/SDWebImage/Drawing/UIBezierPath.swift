public import Foundation
public import WebImage
public import WebImageGraphics

/// Which corners of a rectangle are meant; ``WebImageCore/RectCorner``.
public typealias UIRectCorner = RectCorner

/// Lines and curves that are drawn in the current drawing; ``WebImageGraphics/GraphicsPath`` as an object.
///
/// Points, y downwards. For one thread. Drawing does nothing outside a drawing.
public final class UIBezierPath {
    /// The lines as a value.
    public var path = GraphicsPath()
    /// The width of lines in points; 1 at first.
    public var lineWidth: CGFloat = 1
    /// How lines end; cut off at first.
    public var lineCapStyle = LineCap.butt
    /// How lines meet; in a point at first.
    public var lineJoinStyle = LineJoin.miter
    /// Whether areas that are enclosed twice are left out; false at first.
    public var usesEvenOddFillRule = false

    /// An empty path.
    public init() {}
    /// A rectangle.
    public init(rect: CGRect) { path = GraphicsPath(rect: rect) }
    /// An ellipse that fills a rectangle.
    public init(ovalIn rect: CGRect) { path = GraphicsPath(ellipseIn: rect) }
    /// A rectangle with rounded corners; the radius is at most half the smaller side.
    public init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
        path = GraphicsPath(roundedRect: rect, cornerRadius: cornerRadius)
    }
    /// A rectangle of which some corners are rounded, by the smaller of both radii.
    public init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
        path = GraphicsPath(
            roundedRect: rect, cornerRadius: min(cornerRadii.width, cornerRadii.height), corners: corners)
    }
    /// A part of a circle; angles in radians from the right, growing clockwise.
    public init(
        arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
    }

    /// Whether there is no line.
    public var isEmpty: Bool { path.isEmpty }
    /// Where the next line begins; zero for an empty path.
    public var currentPoint: CGPoint { path.currentPoint ?? .zero }

    /// Begins a new line.
    public func move(to point: CGPoint) { path.move(to: point) }
    /// A straight line.
    public func addLine(to point: CGPoint) { path.addLine(to: point) }
    /// A cubic Bézier curve.
    public func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
        path.addCurve(to: endPoint, control1: controlPoint1, control2: controlPoint2)
    }
    /// A quadratic Bézier curve.
    public func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) {
        path.addQuadCurve(to: endPoint, control: controlPoint)
    }
    /// A part of a circle, joined to the path by a line; angles in radians from the right, growing clockwise.
    public func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool
    ) {
        guard startAngle.isFinite, endAngle.isFinite else { return }
        var sweep = (endAngle - startAngle).truncatingRemainder(dividingBy: 2 * .pi)
        // A whole circle stays whole; else the arc is the one that is reached in the direction asked for.
        if sweep == 0, endAngle != startAngle { sweep = clockwise ? 2 * .pi : -2 * .pi }
        if clockwise, sweep < 0 { sweep += 2 * .pi }
        if !clockwise, sweep > 0 { sweep -= 2 * .pi }
        path.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: startAngle + sweep)
    }
    /// A line back to where this one began.
    public func close() { path.closeSubpath() }
    /// Another path's lines.
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
    /// Draws nothing outside the path any more.
    public func addClip() { GraphicsContext.current?.clip(to: path, using: rule) }

    private var rule: FillRule { usesEvenOddFillRule ? .evenOdd : .winding }
}
