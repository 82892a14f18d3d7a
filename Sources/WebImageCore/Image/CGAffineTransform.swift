#if !canImport(CoreGraphics)
    public import Foundation

    /// An affine transform: x′ = a·x + c·y + tx, y′ = b·x + d·y + ty. Straight lines stay straight, and parallel lines
    /// stay parallel.
    ///
    /// It replaces the Core Graphics type of the same name, which does not exist on Linux. The names and the order of
    /// operations are the same as in Core Graphics.
    public struct CGAffineTransform: Sendable, Hashable {
        /// The factor of x in x′.
        public var a: CGFloat
        /// The factor of x in y′.
        public var b: CGFloat
        /// The factor of y in x′.
        public var c: CGFloat
        /// The factor of y in y′.
        public var d: CGFloat
        /// The translation added to x′.
        public var tx: CGFloat
        /// The translation added to y′.
        public var ty: CGFloat

        /// The transform that changes nothing.
        public static let identity = CGAffineTransform()

        /// Makes the transform that changes nothing.
        public init() { self.init(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0) }

        /// Makes a transform from its six numbers.
        public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) {
            (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
        }

        /// Makes a transform from its six numbers, without argument labels.
        public init(_ a: CGFloat, _ b: CGFloat, _ c: CGFloat, _ d: CGFloat, _ tx: CGFloat, _ ty: CGFloat) {
            self.init(a: a, b: b, c: c, d: d, tx: tx, ty: ty)
        }

        /// Makes a translation.
        public init(translationX tx: CGFloat, y ty: CGFloat) { self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty) }

        /// Makes a scaling.
        public init(scaleX: CGFloat, y: CGFloat) { self.init(a: scaleX, b: 0, c: 0, d: y, tx: 0, ty: 0) }

        /// Makes a rotation by an angle in radians. A positive angle rotates from the x axis towards the y axis. This
        /// is clockwise if y points down.
        public init(rotationAngle angle: CGFloat) {
            let (sine, cosine) = (CGFloat(sin(Double(angle))), CGFloat(cos(Double(angle))))
            self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
        }

        /// Whether the transform is the identity.
        public var isIdentity: Bool { self == .identity }

        /// Returns the transform that first applies this transform and then applies `next`.
        public func concatenating(_ next: CGAffineTransform) -> CGAffineTransform {
            CGAffineTransform(
                a: a * next.a + b * next.c, b: a * next.b + b * next.d, c: c * next.a + d * next.c,
                d: c * next.b + d * next.d, tx: tx * next.a + ty * next.c + next.tx,
                ty: tx * next.b + ty * next.d + next.ty)
        }

        /// Returns the transform that first translates and then applies this transform.
        public func translatedBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
            CGAffineTransform(translationX: x, y: y).concatenating(self)
        }

        /// Returns the transform that first scales and then applies this transform.
        public func scaledBy(x: CGFloat, y: CGFloat) -> CGAffineTransform {
            CGAffineTransform(scaleX: x, y: y).concatenating(self)
        }

        /// Returns the transform that first rotates and then applies this transform.
        public func rotated(by angle: CGFloat) -> CGAffineTransform {
            CGAffineTransform(rotationAngle: angle).concatenating(self)
        }

        /// Returns the inverse transform. If the determinant is 0 or not finite, there is no inverse, and the method
        /// returns the transform unchanged.
        public func inverted() -> CGAffineTransform {
            let determinant = a * d - b * c
            guard determinant != 0, determinant.isFinite else { return self }
            return CGAffineTransform(
                a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
                tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
        }
    }

    extension CGPoint {
        /// Returns the transformed point.
        public func applying(_ transform: CGAffineTransform) -> CGPoint {
            CGPoint(
                x: transform.a * x + transform.c * y + transform.tx, y: transform.b * x + transform.d * y + transform.ty
            )
        }
    }

    extension CGSize {
        /// Returns the rotated and scaled size. The translation has no effect on a size.
        public func applying(_ transform: CGAffineTransform) -> CGSize {
            CGSize(
                width: transform.a * width + transform.c * height, height: transform.b * width + transform.d * height)
        }
    }

    extension CGRect {
        /// Returns the smallest axis-parallel rectangle that contains the transformed rectangle.
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
