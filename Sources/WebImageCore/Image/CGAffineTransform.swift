#if !canImport(CoreGraphics)
    public import Foundation

    /// A change of coordinates that keeps lines straight and parallel: x′ = a·x + c·y + tx, y′ = b·x + d·y + ty.
    ///
    /// Core Graphics' type, which Foundation lacks outside Apple's systems; names and order of operations are its own.
    public struct CGAffineTransform: Sendable, Hashable {
        /// x′ for each x.
        public var a: CGFloat
        /// y′ for each x.
        public var b: CGFloat
        /// x′ for each y.
        public var c: CGFloat
        /// y′ for each y.
        public var d: CGFloat
        /// Added to x′.
        public var tx: CGFloat
        /// Added to y′.
        public var ty: CGFloat

        /// Changes nothing.
        public static let identity = CGAffineTransform()

        /// The identity.
        public init() { self.init(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0) }

        /// The six numbers.
        public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
            (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
        }

        /// The same six numbers without their names.
        public init(_ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat, _ tx: CGFloat, _ ty: CGFloat) {
            self.init(a: a, b: b, c: c, d: d, tx: tx, ty: ty)
        }

        /// Moves.
        public init(translationX tx: CGFloat, y ty: CGFloat) { self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty) }

        /// Stretches.
        public init(scaleX: CGFloat, y: CGFloat) { self.init(a: scaleX, b: 0, c: 0, d: y, tx: 0, ty: 0) }

        /// Turns by radians from the x axis towards the y axis: clockwise where y points down.
        public init(rotationAngle angle: CGFloat) {
            let (sine, cosine) = (CGFloat(sin(Double(angle))), CGFloat(cos(Double(angle))))
            self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
        }

        /// Whether it changes nothing.
        public var isIdentity: Bool { self == .identity }

        /// This one first, the other after it.
        public func concatenating(_ next: CGAffineTransform) -> CGAffineTransform {
            CGAffineTransform(
                a: a * next.a + b * next.c, b: a * next.b + b * next.d, c: c * next.a + d * next.c,
                d: c * next.b + d * next.d, tx: tx * next.a + ty * next.c + next.tx,
                ty: tx * next.b + ty * next.d + next.ty)
        }

        /// A move first, this one after it.
        public func translatedBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
            CGAffineTransform(translationX: x, y: y).concatenating(self)
        }

        /// A stretch first, this one after it.
        public func scaledBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
            CGAffineTransform(scaleX: x, y: y).concatenating(self)
        }

        /// A turn first, this one after it.
        public func rotated(by angle: CGFloat) -> CGAffineTransform {
            CGAffineTransform(rotationAngle: angle).concatenating(self)
        }

        /// The way back; itself when there is none because a side collapses.
        public func inverted() -> CGAffineTransform {
            let determinant = a * d - b * c
            guard determinant != 0, determinant.isFinite else { return self }
            return CGAffineTransform(
                a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
                tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
        }
    }

    extension CGPoint {
        /// The place this point moves to.
        public func applying(_ transform: CGAffineTransform) -> CGPoint {
            CGPoint(
                x: transform.a * x + transform.c * y + transform.tx, y: transform.b * x + transform.d * y + transform.ty
            )
        }
    }

    extension CGSize {
        /// The size, turned and stretched but not moved.
        public func applying(_ transform: CGAffineTransform) -> CGSize {
            CGSize(
                width: transform.a * width + transform.c * height, height: transform.b * width + transform.d * height)
        }
    }

    extension CGRect {
        /// The smallest upright rectangle around where this one moves to.
        public func applying(_ transform: CGAffineTransform) -> CGRect {
            let corners = [(minX, minY), (maxX, minY), (minX, maxY), (maxX, maxY)].map {
                CGPoint(x: $0.0, y: $0.1).applying(transform)
            }
            let (xs, ys) = (corners.map(\.x), corners.map(\.y))
            guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
                return self
            }
            return CGRect(x: left, y: top, width: right - left, height: bottom - top)
        }
    }
#endif
