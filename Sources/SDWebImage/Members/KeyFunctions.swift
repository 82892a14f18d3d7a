public import Foundation
public import WebImage

/// The scale in a key, marked by `@2x.` or `@3x.`; 1 without a mark.
public func SDImageScaleFactorForKey(_ key: String?) -> CGFloat { Image.scaleFactor(forKey: key) }

/// The image at the scale in its key.
public func SDScaledImageForKey(_ key: String?, _ image: UIImage?) -> UIImage? { image?.scaled(forKey: key) }

/// The image at a scale.
public func SDScaledImageForScaleFactor(_ scale: CGFloat, _ image: UIImage?) -> UIImage? { image?.scaled(to: scale) }

/// The key of a transformed image: `transformerKey` is inserted before the extension.
public func SDTransformedKeyForKey(_ key: String?, _ transformerKey: String) -> String? {
    key.map { CacheKey.transformed($0, suffix: transformerKey) }
}

/// The key of a thumbnail.
public func SDThumbnailedKeyForKey(_ key: String?, _ size: CGSize, _ preserveAspectRatio: Bool) -> String? {
    key.map { CacheKey.thumbnail($0, box: size, preserveAspectRatio: preserveAspectRatio) }
}

/// Copies the descriptive metadata of an image to another image and replaces its own.
public func SDImageCopyAssociatedObject(_ source: UIImage?, _ target: UIImage?) {
    if let source { target?.copyMetadata(from: source) }
}
