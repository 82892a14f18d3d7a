public import Foundation
public import WebImageCore

/// Lines and curves that are filled, stroked or used as a clip. Coordinates are in the coordinate system of the
/// ``GraphicsContext``; y increases downwards.
///
/// A value type. A path is not drawn if one of its coordinates is not finite.
public struct GraphicsPath: Sendable, Hashable {
    enum Element: Sendable, Hashable {
        case move(CGPoint)
        case line(CGPoint)
        case curve(CGPoint, CGPoint, CGPoint)
        case close
    }

    private(set) var elements: [Element] = []
    /// The point at which the next line begins; nil for an empty path.
    public private(set) var currentPoint: CGPoint?
    private var start: CGPoint?

    /// Creates an empty path.
    public init() {}

    /// Begins a new line at `point`.
    public mutating func move(to point: CGPoint) {
        elements.append(.move(point))
        (start, currentPoint) = (point, point)
    }

    /// Adds a straight line to `point`. If the path is empty, begins a line at `point` instead.
    public mutating func addLine(to point: CGPoint) {
        guard currentPoint != nil else { return move(to: point) }
        elements.append(.line(point))
        currentPoint = point
    }

    /// Adds a cubic Bézier curve.
    public mutating func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
        if currentPoint == nil { move(to: control1) }
        elements.append(.curve(control1, control2, end))
        currentPoint = end
    }

    /// Adds a quadratic Bézier curve.
    public mutating func addQuadCurve(to end: CGPoint, control: CGPoint) {
        let from = currentPoint ?? control
        func third(_ point: CGPoint) -> CGPoint {
            CGPoint(x: point.x + (control.x - point.x) * 2 / 3, y: point.y + (control.y - point.y) * 2 / 3)
        }
        addCurve(to: end, control1: third(from), control2: third(end))
    }

    /// Closes the current subpath with a straight line to its start.
    public mutating func closeSubpath() {
        guard let start, elements.last != .close else { return }
        elements.append(.close)
        currentPoint = start
    }

    /// Adds the lines and curves of another path, changed by `transform`.
    public mutating func addPath(_ path: GraphicsPath, transform: CGAffineTransform = .identity) {
        for element in path.elements {
            switch element {
            case .move(let point): move(to: point.applying(transform))
            case .line(let point): addLine(to: point.applying(transform))
            case .curve(let first, let second, let end):
                addCurve(
                    to: end.applying(transform), control1: first.applying(transform),
                    control2: second.applying(transform))
            case .close: closeSubpath()
            }
        }
    }

    /// Whether the path is empty: it contains no point, line or curve.
    public var isEmpty: Bool { elements.isEmpty }
}
