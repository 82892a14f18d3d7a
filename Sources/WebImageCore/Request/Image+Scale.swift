public import Foundation

extension Image {
    /// The scale a cache key or URL asks for: `@2x.`, `@3x.` anywhere in it (`%40` in web addresses); else 1.
    public static func scaleFactor(forKey key: String?) -> CGFloat { CGFloat(key.map(CacheKey.scaleFactor) ?? 1) }

    /// The same picture at the scale its key asks for; itself when that is the one it has, or 1.
    public final func scaled(forKey key: String?) -> Image { scaled(to: Self.scaleFactor(forKey: key)) }

    /// The same picture at another scale; itself for the scale it has and for scales up to 1.
    public final func scaled(to scale: CGFloat) -> Image {
        guard scale.isFinite, scale > 1, scale != self.scale else { return self }
        let copy = rescaled(to: scale)
        copy.copyMetadata(from: self)
        return copy
    }
}
