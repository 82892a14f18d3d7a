import Foundation

/// The shape of the ends of a line.
public enum LineCap: Int32, Sendable, CaseIterable {
    /// The line ends exactly at its end point.
    case butt = 0
    /// The line ends with half a circle around its end point.
    case round
    /// The line ends with half a square around its end point.
    case square
}

/// The shape of the joint between two pieces of a line.
public enum LineJoin: Int32, Sendable, CaseIterable {
    /// A pointed joint. If the joint would be longer than the miter limit, it is drawn as ``bevel``.
    case miter = 0
    /// A circle around the point at which the pieces meet.
    case round
    /// A joint with a straight edge instead of a tip.
    case bevel
}

/// The width and shape of a line. Converts a line to the area that it covers.
struct Pen: Sendable {
    var width = 1.0
    var cap = LineCap.butt
    var join = LineJoin.miter
    /// The maximum length of a pointed joint, in line widths. A longer joint is drawn as a bevel.
    var miterLimit = 10.0

    /// Returns convex polygons that together cover the stroked area. The polygons can overlap.
    func pieces(along lines: [Polyline], pixelsPerUnit: Double) -> [[SIMD2<Double>]] {
        let reach = width / 2 * pixelsPerUnit
        guard width > 0, reach.isFinite else { return [] }
        let count = Int(min(max((reach * 8).squareRoot().rounded(.up), 2), 64)) * 4
        let dot = (0..<count).map { step -> SIMD2<Double> in
            let angle = Double(step) / Double(count) * 2 * .pi
            return SIMD2(cos(angle), sin(angle)) * (width / 2)
        }
        return lines.flatMap { pieces(along: $0, dot) }
    }

    private func pieces(along line: Polyline, _ dot: [SIMD2<Double>]) -> [[SIMD2<Double>]] {
        var points: [SIMD2<Double>] = []
        for point in line.points where points.last != point { points.append(point) }
        if line.isClosed, points.count > 1, points.first == points.last { points.removeLast() }
        guard points.count > 1 else { return spot(points, dot) }
        let segments = line.isClosed ? points.count : points.count - 1
        // The vector from the centre to the left edge, for each piece of the line. The length of the vector is half the
        // line width.
        let sides = (0..<segments).map { index -> SIMD2<Double> in
            let way = points[(index + 1) % points.count] - points[index]
            return SIMD2(way.y, -way.x) * (width / 2 / length(way))
        }
        var pieces = (0..<segments).map { index -> [SIMD2<Double>] in
            let (from, to, side) = (points[index], points[(index + 1) % points.count], sides[index])
            return [from + side, to + side, to - side, from - side]
        }
        for index in 0..<segments where line.isClosed || index > 0 {
            let before = sides[(index + segments - 1) % segments]
            pieces += joint(at: points[index], before, sides[index], dot)
        }
        if !line.isClosed {
            pieces += end(at: points[0], -sides[0], dot) + end(at: points[segments], sides[segments - 1], dot)
        }
        return pieces
    }

    /// Returns the shape of a line whose length is 0: a circle for round line caps, a square for square line caps,
    /// otherwise nothing.
    private func spot(_ points: [SIMD2<Double>], _ dot: [SIMD2<Double>]) -> [[SIMD2<Double>]] {
        guard let point = points.first else { return [] }
        switch cap {
        case .butt: return []
        case .round: return [dot.map { $0 + point }]
        case .square:
            let half = width / 2
            return [
                [SIMD2(-half, -half), SIMD2(half, -half), SIMD2(half, half), SIMD2(-half, half)].map { $0 + point }
            ]
        }
    }

    /// Returns the cap at the end of a piece. `side` is the vector from the centre of the piece to its left edge.
    private func end(at point: SIMD2<Double>, _ side: SIMD2<Double>, _ dot: [SIMD2<Double>]) -> [[SIMD2<Double>]] {
        switch cap {
        case .butt: return []
        case .round: return [dot.map { $0 + point }]
        case .square:
            let ahead = SIMD2(-side.y, side.x)
            return [[point + side, point + side + ahead, point - side + ahead, point - side]]
        }
    }

    private func joint(
        at point: SIMD2<Double>, _ before: SIMD2<Double>, _ after: SIMD2<Double>, _ dot: [SIMD2<Double>]
    ) -> [[SIMD2<Double>]] {
        if join == .round { return [dot.map { $0 + point }] }
        let turn = before.x * after.y - before.y * after.x
        // Two pieces in the same direction need no joint.
        guard abs(turn) > 1e-9 * width * width else { return [] }
        let (first, second) = turn > 0 ? (before, after) : (-before, -after)
        let middle = first + second
        let half = width / 2
        // α is the angle between the directions of the two pieces. The length of `middle` is the line width multiplied
        // by cos(α/2). The distance from `point` to the tip is half the line width divided by cos(α/2).
        let cosine = length(middle) / (2 * half)
        if join == .miter, cosine * miterLimit >= 1 {
            let tip = middle * (half / (cosine * length(middle)))
            return [[point, point + first, point + tip, point + second]]
        }
        return [[point, point + first, point + second]]
    }
}
