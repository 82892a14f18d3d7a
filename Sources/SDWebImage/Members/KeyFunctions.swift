public import Foundation
public import WebImage

/// The scale that `@2x.` or `@3x.` in a key declares; 1 if the key contains neither.
public func SDImageScaleFactorForKey(_ key: String?) -> CGFloat { Image.scaleFactor(forKey: key) }

/// The image at the scale that the key declares by `@2x.` or `@3x.`.
public func SDScaledImageForKey(_ key: String?, _ image: UIImage?) -> UIImage? { image?.scaled(forKey: key) }

/// The image with another scale in pixels per point; the pixels stay the same.
public func SDScaledImageForScaleFactor(_ scale: CGFloat, _ image: UIImage?) -> UIImage? { image?.scaled(to: scale) }

/// The key of a transformed image: `transformerKey` is inserted before the extension.
public func SDTransformedKeyForKey(_ key: String?, _ transformerKey: String) -> String? {
    key.map { CacheKey.transformed($0, suffix: transformerKey) }
}

/// The key of a thumbnail.
public func SDThumbnailedKeyForKey(_ key: String?, _ size: CGSize, _ preserveAspectRatio: Bool) -> String? {
    key.map { CacheKey.thumbnail($0, box: size, preserveAspectRatio: preserveAspectRatio) }
}

/// Copies the descriptive metadata of `source` to `target`. The copied values replace those of `target`.
public func SDImageCopyAssociatedObject(_ source: UIImage?, _ target: UIImage?) {
    if let source { target?.copyMetadata(from: source) }
}
