import Foundation
import WebImageCore

/// A position in pixels from the top left corner.
struct PixelPlace: Sendable, Hashable {
    var x: Int
    var y: Int
}

/// Functions that round sizes and compute positions.
enum Geometry {
    /// Rounds half away from zero. The result is at least 1. The upper bound is larger than any picture and avoids an
    /// integer overflow.
    static func rounded(_ value: Double) -> Int { max(Int(min((value + halfError).rounded(), 1e12)), 1) }

    /// A product of a side and a factor can miss an exact half by its rounding. No other product is so near to a half.
    private static let halfError = 1e-7

    static func scaled(_ side: Int, _ factor: Double) -> Int { rounded(Double(side) * factor) }

    /// The size of the smallest box around a picture that is rotated by an angle in degrees.
    static func rotated(_ size: PixelSize, by angle: Double) -> PixelSize {
        let quarters = angle / 90
        if abs(quarters - quarters.rounded()) < 1e-6 { return Int(quarters.rounded()) % 2 == 0 ? size : size.swapped }
        let (sine, cosine) = (abs(sin(angle * .pi / 180)), abs(cos(angle * .pi / 180)))
        let (width, height) = (Double(size.width), Double(size.height))
        return PixelSize(
            width: Int((width * cosine + height * sine - 1e-6).rounded(.up)),
            height: Int((width * sine + height * cosine - 1e-6).rounded(.up)))
    }

    /// Rounds half to even.
    static func even(_ value: Double) -> Int { Int(min(max(value.rounded(.toNearestOrEven), -1e12), 1e12)) }

    /// The position of `inner` in `outer` for a gravity other than `smart`. If `mayOverhang` is true, at least one
    /// pixel of `inner` is inside `outer`. If `mayOverhang` is false, all pixels of `inner` are inside `outer`.
    static func place(
        _ inner: PixelSize, in outer: PixelSize, _ gravity: Gravity, dpr: Double = 1, mayOverhang: Bool = false
    ) -> PixelPlace {
        var x: Int
        var y: Int
        if gravity.anchor == .focusPoint {
            x = even(Double(outer.width) * gravity.x) - inner.width / 2
            y = even(Double(outer.height) * gravity.y) - inner.height / 2
        } else {
            func offset(_ value: Double, _ side: Int) -> Int {
                even(abs(value) >= 1 ? value * dpr : value * Double(side))
            }
            let (offsetX, offsetY) = (offset(gravity.x, outer.width), offset(gravity.y, outer.height))
            let anchor = gravity.anchor
            x =
                anchor.isLeft
                ? offsetX
                : anchor.isRight
                    ? outer.width - inner.width - offsetX : even(Double(outer.width - inner.width + 1) / 2) + offsetX
            y =
                anchor.isTop
                ? offsetY
                : anchor.isBottom
                    ? outer.height - inner.height - offsetY
                    : even(Double(outer.height - inner.height + 1) / 2) + offsetY
        }
        let (lowX, highX) = mayOverhang ? (1 - inner.width, outer.width - 1) : (0, max(outer.width - inner.width, 0))
        let (lowY, highY) =
            mayOverhang ? (1 - inner.height, outer.height - 1) : (0, max(outer.height - inner.height, 0))
        x = min(max(x, lowX), highX)
        y = min(max(y, lowY), highY)
        return PixelPlace(x: x, y: y)
    }
}

extension PixelSize {
    var swapped: PixelSize { PixelSize(width: height, height: width) }
}
