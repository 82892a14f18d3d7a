public import Foundation
public import WebImageCore

/// Lines and curves for fills, strokes and clips, in points; y points downwards.
///
/// A value. A path with a coordinate that is not finite draws nothing.
public struct GraphicsPath: Sendable, Hashable {
    enum Element: Sendable, Hashable {
        case move(CGPoint)
        case line(CGPoint)
        case curve(CGPoint, CGPoint, CGPoint)
        case close
    }

    private(set) var elements: [Element] = []
    /// The start of the next line; nil for an empty path.
    public private(set) var currentPoint: CGPoint?
    private var start: CGPoint?

    /// Makes an empty path.
    public init() {}

    /// Starts a new line.
    public mutating func move(to point: CGPoint) {
        elements.append(.move(point))
        (start, currentPoint) = (point, point)
    }

    /// Adds a straight line; in an empty path it only sets the start.
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

    /// Adds a line to the start of the current subpath.
    public mutating func closeSubpath() {
        guard let start, elements.last != .close else { return }
        elements.append(.close)
        currentPoint = start
    }

    /// Adds another path's elements, transformed.
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

    /// Whether the path has no elements.
    public var isEmpty: Bool { elements.isEmpty }
}
