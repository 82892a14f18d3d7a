public import Foundation

extension Image {
    /// The scale in a cache key or URL: `@2x.` or `@3x.` anywhere in it (`%402x.` in web addresses); else 1.
    public static func scaleFactor(forKey key: String?) -> CGFloat { CGFloat(key.map(CacheKey.scaleFactor) ?? 1) }

    /// Returns the image at the scale in its key; returns self when that scale is 1 or the current one.
    public final func scaled(forKey key: String?) -> Image { scaled(to: Self.scaleFactor(forKey: key)) }

    /// Returns the image at another scale; returns self for the current scale and for scales up to 1.
    public final func scaled(to scale: CGFloat) -> Image {
        guard scale.isFinite, scale > 1, scale != self.scale else { return self }
        let copy = rescaled(to: scale)
        copy.copyMetadata(from: self)
        return copy
    }
}
