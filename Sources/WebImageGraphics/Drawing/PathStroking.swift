import Foundation
import WebImageCore

/// The shape of the ends of a line.
public enum LineCap: Int32, Sendable, CaseIterable {
    /// Cut off at the end.
    case butt = 0
    /// Half a circle about the end.
    case round
    /// Half a square about the end.
    case square
}

/// The shape of the joint between two pieces of a line.
public enum LineJoin: Int32, Sendable, CaseIterable {
    /// A point, or cut off when the point would be longer than the miter limit.
    case miter = 0
    /// A circle.
    case round
    /// Cut off.
    case bevel
}

/// A pen, which turns a line into an area.
struct Pen: Sendable {
    var width = 1.0
    var cap = LineCap.butt
    var join = LineJoin.miter
    /// The maximum length of a pointed joint in line widths; longer ones are cut off.
    var miterLimit = 10.0

    /// Returns convex, overlapping pieces that together cover the stroked area.
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
        // For each piece of the line, the vector to its left side, half the width long.
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

    /// A line without length is a dot if its ends are round or square.
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

    /// The cap after the end of a piece whose left side is `side`.
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
        // Lines that continue straight leave no gap.
        guard abs(turn) > 1e-9 * width * width else { return [] }
        let (first, second) = turn > 0 ? (before, after) : (-before, -after)
        let middle = first + second
        let half = width / 2
        // |middle| is the width times the cosine of half the turn; the tip is half the width / cosine from `point`.
        let cosine = length(middle) / (2 * half)
        if join == .miter, cosine * miterLimit >= 1 {
            let tip = middle * (half / (cosine * length(middle)))
            return [[point, point + first, point + tip, point + second]]
        }
        return [[point, point + first, point + second]]
    }
}
