import Foundation
import WebImageCore

/// A line that consists of straight pieces.
struct Polyline {
    var points: [SIMD2<Double>] = []
    var isClosed = false
}

extension GraphicsPath {
    /// Applies `transform` to the path and approximates its curves by straight pieces. The pieces differ from the
    /// curves by at most 1/40 px.
    ///
    /// - Parameter pixelsPerUnit: The number of pixels of the drawing surface per unit of the result.
    /// - Returns: An empty list if a coordinate is not finite or exceeds 1e9.
    func flattened(_ transform: CGAffineTransform = .identity, pixelsPerUnit: Double = 1) -> [Polyline] {
        var lines: [Polyline] = []
        var line = Polyline()
        func place(_ point: CGPoint) -> SIMD2<Double> {
            let moved = point.applying(transform)
            return SIMD2(Double(moved.x), Double(moved.y))
        }
        // True directly after a line was closed. Then `line` contains only a start point. This line is added to the
        // result only if a piece follows.
        var isFresh = false
        func end() { if !line.points.isEmpty, !isFresh { lines.append(line) } }
        for element in elements {
            switch element {
            case .move(let point):
                end()
                line = Polyline(points: [place(point)])
                isFresh = false
            case .line(let point):
                line.points.append(place(point))
                isFresh = false
            case .curve(let first, let second, let last):
                isFresh = false
                line.append(curve: place(first), place(second), place(last), pixelsPerUnit)
            case .close:
                line.isClosed = true
                let start = line.points.first
                end()
                line = Polyline(points: start.map { [$0] } ?? [])
                isFresh = true
            }
        }
        end()
        return lines.allSatisfy { $0.points.allSatisfy(\.isDrawable) } ? lines : []
    }
}

extension Polyline {
    /// Adds a cubic curve as 1 to 500 straight pieces. The number of pieces increases with the curvature.
    fileprivate mutating func append(
        curve first: SIMD2<Double>, _ second: SIMD2<Double>, _ last: SIMD2<Double>, _ pixelsPerUnit: Double
    ) {
        guard let start = points.last else { return }
        let bend = max(length(start - 2 * first + second), length(first - 2 * second + last)) * pixelsPerUnit
        guard bend.isFinite else { return points.append(last) }
        let count = Int(min(max((30 * bend).squareRoot().rounded(.up), 1), 500))
        for step in 1...count {
            let t = Double(step) / Double(count)
            let s = 1 - t
            points.append(start * (s * s * s) + first * (3 * s * s * t) + second * (3 * s * t * t) + last * (t * t * t))
        }
    }
}

extension SIMD2<Double> {
    /// Whether both coordinates are numbers and below 1e9 in magnitude. This limit is far outside any surface.
    var isDrawable: Bool { abs(x) < 1e9 && abs(y) < 1e9 }
}

func length(_ vector: SIMD2<Double>) -> Double { (vector * vector).sum().squareRoot() }
