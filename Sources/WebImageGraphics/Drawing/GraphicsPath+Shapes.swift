public import Foundation
import WebImageCore

/// Corners of a rectangle.
public struct RectCorner: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Top left.
    public static let topLeft = RectCorner(rawValue: 1)
    /// Top right.
    public static let topRight = RectCorner(rawValue: 2)
    /// Bottom left.
    public static let bottomLeft = RectCorner(rawValue: 4)
    /// Bottom right.
    public static let bottomRight = RectCorner(rawValue: 8)
    /// All four corners.
    public static let allCorners = RectCorner(rawValue: .max)
}

extension GraphicsPath {
    /// Creates a rectangle.
    public init(rect: CGRect) {
        self.init()
        addRect(rect)
    }

    /// Creates an ellipse that touches the sides of a rectangle.
    public init(ellipseIn rect: CGRect) {
        self.init()
        addEllipse(in: rect)
    }

    /// Creates a rectangle with rounded corners. The radius is limited to half the smaller side.
    public init(roundedRect rect: CGRect, cornerRadius: CGFloat, corners: RectCorner = .allCorners) {
        self.init()
        addRoundedRect(in: rect, cornerRadius: cornerRadius, corners: corners)
    }

    /// Adds a closed rectangle.
    public mutating func addRect(_ rect: CGRect) {
        move(to: CGPoint(x: rect.minX, y: rect.minY))
        addLine(to: CGPoint(x: rect.maxX, y: rect.minY))
        addLine(to: CGPoint(x: rect.maxX, y: rect.maxY))
        addLine(to: CGPoint(x: rect.minX, y: rect.maxY))
        closeSubpath()
    }

    /// Adds a closed ellipse that touches the sides of a rectangle.
    public mutating func addEllipse(in rect: CGRect) {
        let circle = CGAffineTransform(translationX: rect.midX, y: rect.midY)
            .scaledBy(x: rect.width / 2, y: rect.height / 2)
        var unit = GraphicsPath()
        unit.addArc(center: .zero, radius: 1, startAngle: 0, endAngle: .pi * 2)
        unit.closeSubpath()
        addPath(unit, transform: circle)
    }

    /// Adds a closed rectangle with rounded corners.
    public mutating func addRoundedRect(in rect: CGRect, cornerRadius: CGFloat, corners: RectCorner = .allCorners) {
        let rect = rect.standardized
        let radius = min(max(cornerRadius, 0), rect.width / 2, rect.height / 2)
        func length(_ corner: RectCorner) -> CGFloat { corners.contains(corner) ? radius : 0 }
        // The corners, clockwise from the top left. Each entry contains the corner point, the radius of the arc, and
        // the angle at which the arc begins.
        let places: [(CGPoint, CGFloat, CGFloat)] = [
            (CGPoint(x: rect.minX, y: rect.minY), length(.topLeft), .pi),
            (CGPoint(x: rect.maxX, y: rect.minY), length(.topRight), -.pi / 2),
            (CGPoint(x: rect.maxX, y: rect.maxY), length(.bottomRight), 0),
            (CGPoint(x: rect.minX, y: rect.maxY), length(.bottomLeft), .pi / 2),
        ]
        for (index, (corner, radius, angle)) in places.enumerated() {
            let center = CGPoint(
                x: corner.x + (index == 0 || index == 3 ? radius : -radius),
                y: corner.y + (index < 2 ? radius : -radius))
            let first = radius > 0 ? CGPoint.onCircle(center, radius, angle) : corner
            if index == 0 { move(to: first) } else { addLine(to: first) }
            if radius > 0 { addArc(center: center, radius: radius, startAngle: angle, endAngle: angle + .pi / 2) }
        }
        closeSubpath()
    }

    /// Adds an arc of a circle. A line connects the end of the path to the start of the arc. Angles are in radians. The
    /// angle 0 points to the right, and positive angles are clockwise.
    public mutating func addArc(center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat) {
        let sweep = min(max(endAngle - startAngle, -.pi * 2), .pi * 2)
        addLine(to: .onCircle(center, radius, startAngle))
        guard sweep.isFinite, sweep != 0 else { return }
        // Use one Bézier curve for up to a quarter of a circle. The error of the curve is below a thousandth of the
        // radius.
        let count = max(Int((abs(sweep) / (.pi / 2)).rounded(.up)), 1)
        let step = sweep / CGFloat(count)
        let reach = CGFloat(4 / 3 * tan(Double(step) / 4)) * radius
        for index in 0..<count {
            let (from, to) = (startAngle + step * CGFloat(index), startAngle + step * CGFloat(index + 1))
            let (first, last) = (CGPoint.onCircle(center, radius, from), CGPoint.onCircle(center, radius, to))
            let (out, back) = (CGPoint.onCircle(.zero, reach, from), CGPoint.onCircle(.zero, reach, to))
            addCurve(
                to: last, control1: CGPoint(x: first.x - out.y, y: first.y + out.x),
                control2: CGPoint(x: last.x + back.y, y: last.y - back.x))
        }
    }
}

extension CGPoint {
    fileprivate static func onCircle(_ center: CGPoint, _ radius: CGFloat, _ angle: CGFloat) -> CGPoint {
        CGPoint(x: center.x + radius * CGFloat(cos(Double(angle))), y: center.y + radius * CGFloat(sin(Double(angle))))
    }
}
