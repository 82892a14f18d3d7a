public import Foundation

extension Image {
    /// Returns 2 or 3 if the cache key or URL contains `@2x.` or `@3x.` (in web addresses also escaped as `%402x.`);
    /// otherwise 1.
    public static func scaleFactor(forKey key: String?) -> CGFloat { CGFloat(key.map(CacheKey.scaleFactor) ?? 1) }

    /// Returns the image with the scale that the key contains. Returns self if this scale is 1 or the current scale.
    public final func scaled(forKey key: String?) -> Image { scaled(to: Self.scaleFactor(forKey: key)) }

    /// Returns the image with another scale. Returns self if `scale` is the current scale or not greater than 1.
    public final func scaled(to scale: CGFloat) -> Image {
        guard scale.isFinite, scale > 1, scale != self.scale else { return self }
        let copy = rescaled(to: scale)
        copy.copyMetadata(from: self)
        return copy
    }
}
