public import Foundation
public import WebImage

/// Returns the scale that `@2x.` or `@3x.` in a key declares. Returns 1 if the key contains neither text.
public func SDImageScaleFactorForKey(_ key: String?) -> CGFloat { Image.scaleFactor(forKey: key) }

/// Returns the image with the scale that `@2x.` or `@3x.` in the key declares. The pixels do not change.
public func SDScaledImageForKey(_ key: String?, _ image: UIImage?) -> UIImage? { image?.scaled(forKey: key) }

/// Returns the image with the scale `scale`, in pixels per point. The pixels do not change.
public func SDScaledImageForScaleFactor(_ scale: CGFloat, _ image: UIImage?) -> UIImage? { image?.scaled(to: scale) }

/// Returns the key of a transformed image. Inserts `-` and `transformerKey` before the extension of the key.
public func SDTransformedKeyForKey(_ key: String?, _ transformerKey: String) -> String? {
    key.map { CacheKey.transformed($0, suffix: transformerKey) }
}

/// Returns the key of a thumbnail. `size` is in pixels.
public func SDThumbnailedKeyForKey(_ key: String?, _ size: CGSize, _ preserveAspectRatio: Bool) -> String? {
    key.map { CacheKey.thumbnail($0, box: size, preserveAspectRatio: preserveAspectRatio) }
}

/// Replaces the descriptive metadata of `target` with the descriptive metadata of `source`.
public func SDImageCopyAssociatedObject(_ source: UIImage?, _ target: UIImage?) {
    if let source { target?.copyMetadata(from: source) }
}
