public import Foundation
public import WebImageCore

extension Image {
    /// Returns the scale in a cache key or URL: 2 for `@2x.`, 3 for `@3x.`, otherwise 1. In web addresses, the escaped
    /// forms `%402x.` and `%403x.` have the same effect.
    public static func scaleFactor(forKey key: String?) -> CGFloat { CGFloat(key.map(CacheKey.scaleFactor) ?? 1) }

    /// Returns the image with the scale that the key contains. Returns self if this scale is 1 or the current scale.
    public final func scaled(forKey key: String?) -> Image { scaled(to: Self.scaleFactor(forKey: key)) }

    /// Returns the image with another scale. Returns self if `scale` is the current scale, not greater than 1, or not
    /// finite.
    public final func scaled(to scale: CGFloat) -> Image {
        guard scale.isFinite, scale > 1, scale != self.scale else { return self }
        let copy = rescaled(to: scale)
        copy.copyMetadata(from: self)
        return copy
    }
}
