import CWebImagePixman
import Foundation

/// The rule that determines which areas are inside a path that overlaps or crosses itself.
public enum FillRule: Int32, Sendable, CaseIterable {
    /// An area is inside if its winding number is not 0.
    case winding = 0
    /// An area is inside if a ray from it to the outside crosses an odd number of lines.
    case evenOdd
}

/// Cuts polygons into trapezoids with horizontal top and bottom. pixman cannot draw polygons, but it can draw these
/// trapezoids.
///
/// Horizontal lines through all corners and through all crossings of sides divide the picture into slabs. No sides
/// cross inside a slab. In each slab, the fill rule determines which gaps between two sides are inside the polygons.
struct Trapezoids {
    private struct Side {
        var top: SIMD2<Double>
        var bottom: SIMD2<Double>
        var winding: Int

        func x(at y: Double) -> Double {
            top.x + (bottom.x - top.x) * ((y - top.y) / (bottom.y - top.y))
        }
    }

    private(set) var list: [pixman_trapezoid_t] = []
    private let rule: FillRule

    /// Cuts `polygons` into trapezoids. All coordinates must be inside pixman's number range.
    init(_ polygons: [[SIMD2<Double>]], rule: FillRule) {
        self.rule = rule
        let sides = polygons.flatMap(Self.sides).sorted { $0.top.y < $1.top.y }
        let levels = Set(sides.flatMap { [$0.top.y, $0.bottom.y] }).sorted()
        var active: [Side] = []
        var next = 0
        for (top, bottom) in zip(levels, levels.dropFirst()) {
            active.removeAll { $0.bottom.y <= top }
            while next < sides.count, sides[next].top.y <= top {
                active.append(sides[next])
                next += 1
            }
            if !active.isEmpty { cut(active, top, bottom, depth: 0) }
        }
    }

    /// Returns the sides of a polygon, without horizontal sides. Corners are rounded to pixman's precision of 1/65536
    /// px.
    private static func sides(of polygon: [SIMD2<Double>]) -> [Side] {
        let corners = polygon.map { ($0 * 65536).rounded(.toNearestOrAwayFromZero) / 65536 }
        return corners.indices.compactMap { index in
            let (from, to) = (corners[index], corners[(index + 1) % corners.count])
            if from.y == to.y { return nil }
            return from.y < to.y
                ? Side(top: from, bottom: to, winding: 1) : Side(top: to, bottom: from, winding: -1)
        }
    }

    private mutating func cut(_ sides: [Side], _ top: Double, _ bottom: Double, depth: Int) {
        let middle = (top + bottom) / 2
        let ordered = sides.map { ($0, $0.x(at: middle)) }.sorted { $0.1 < $1.1 }.map(\.0)
        if depth < 16, bottom - top > 1.0 / 1024, let crossing = Self.crossing(ordered, top, bottom) {
            cut(sides, top, crossing, depth: depth + 1)
            cut(sides, crossing, bottom, depth: depth + 1)
            return
        }
        var sum = 0
        var left: Side?
        for side in ordered {
            let wasInside = isInside(sum)
            sum += side.winding
            if !wasInside, isInside(sum) { left = side }
            if wasInside, !isInside(sum), let begin = left { append(begin, side, top, bottom) }
        }
    }

    private func isInside(_ sum: Int) -> Bool { rule == .winding ? sum != 0 : sum % 2 != 0 }

    /// Returns a y coordinate between `top` and `bottom` at which two neighbouring sides cross; nil if no sides cross
    /// there.
    private static func crossing(_ ordered: [Side], _ top: Double, _ bottom: Double) -> Double? {
        for (left, right) in zip(ordered, ordered.dropFirst()) {
            let above = right.x(at: top) - left.x(at: top)
            let below = right.x(at: bottom) - left.x(at: bottom)
            guard min(above, below) < -1.0 / 4096 else { continue }
            let place = top + (bottom - top) * (above / (above - below))
            if place > top, place < bottom { return place }
        }
        return nil
    }

    private mutating func append(_ left: Side, _ right: Side, _ top: Double, _ bottom: Double) {
        list.append(
            pixman_trapezoid(
                top: Self.fixed(top), bottom: Self.fixed(bottom), left: Self.line(left), right: Self.line(right)))
    }

    private static func line(_ side: Side) -> pixman_line_fixed_t {
        pixman_line_fixed(p1: point(side.top), p2: point(side.bottom))
    }

    private static func point(_ place: SIMD2<Double>) -> pixman_point_fixed_t {
        pixman_point_fixed(x: fixed(place.x), y: fixed(place.y))
    }

    private static func fixed(_ value: Double) -> Int32 { Int32(value * 65536) }
}

/// Clips polygons to a rectangle, so that no corner exceeds pixman's number range.
struct PolygonClip {
    let lower: SIMD2<Double>
    let upper: SIMD2<Double>

    /// Returns the part of the polygon inside the rectangle (Sutherland and Hodgman, 1974). The order of the points,
    /// clockwise or anticlockwise, is unchanged.
    func inside(_ polygon: [SIMD2<Double>]) -> [SIMD2<Double>] {
        var points = polygon
        for axis in 0..<2 {
            points = Self.cut(points) { $0[axis] - lower[axis] }
            points = Self.cut(points) { upper[axis] - $0[axis] }
        }
        return points
    }

    /// Returns the part of the polygon in which `distance` is 0 or more.
    private static func cut(
        _ points: [SIMD2<Double>], _ distance: (SIMD2<Double>) -> Double
    ) -> [SIMD2<Double>] {
        guard let last = points.last else { return [] }
        var kept: [SIMD2<Double>] = []
        var (before, depth) = (last, distance(last))
        for point in points {
            let own = distance(point)
            if (own >= 0) != (depth >= 0) { kept.append(before + (point - before) * (depth / (depth - own))) }
            if own >= 0 { kept.append(point) }
            (before, depth) = (point, own)
        }
        return kept
    }
}
