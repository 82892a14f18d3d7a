public import Foundation
public import WebImage

/// Decodes an image with the options and context of a load. Intended for custom loaders. Blocks during decoding.
/// Returns nil if the data cannot be decoded.
public func SDImageLoaderDecodeImageData(
    _ imageData: Data, _ imageURL: URL, _ options: SDWebImageOptions, _ context: SDWebImageContext?
) -> UIImage? {
    try? ImageLoaderDecoding.image(from: imageData, url: imageURL, options: options, context: context)
}

/// Decodes an image with the options and context of a load. Intended for custom caches. Blocks during decoding.
/// Returns nil if the data cannot be decoded.
///
/// If `cacheKey` is not a valid URL, the function ignores the context and all options except `.decodeFirstFrameOnly`.
public func SDImageCacheDecodeImageData(
    _ imageData: Data, _ cacheKey: String, _ options: SDWebImageOptions, _ context: SDWebImageContext?
) -> UIImage? {
    guard let url = URL(string: cacheKey) else {
        return UIImage.sd_image(with: imageData, firstFrameOnly: options.contains(.decodeFirstFrameOnly))
    }
    return SDImageLoaderDecodeImageData(imageData, url, options, context)
}

/// Decodes the partial image of a download in progress. Intended for custom loaders. Returns nil if too few bytes have
/// arrived.
///
/// `imageData` must contain all bytes received so far, including the bytes of earlier calls. `operation` identifies the
/// load. Calls for the same load must not run at the same time.
public func SDImageLoaderDecodeProgressiveImageData(
    _ imageData: Data, _ imageURL: URL, _ finished: Bool, _ operation: any SDWebImageOperation,
    _ options: SDWebImageOptions, _ context: SDWebImageContext?
) -> UIImage? {
    let decoding = ImageLoaderDecoding.decodingOptions(for: imageURL, options: options, context: context)
    let operation = operation as AnyObject
    guard let coder = ProgressiveCoders.coder(of: operation, for: imageData, decoding, context) else { return nil }
    try? coder.update(imageData, finished: finished)
    if finished { ProgressiveCoders.forget(operation) }
    let image = coder.incrementalImage(options: decoding)
    image?.isIncremental = !finished
    return image
}

/// Returns the progressive coder of a load. Nil before the first bytes of the load are decoded, and nil after the last
/// bytes are decoded.
///
/// The coder of a cancelled load is removed when the load's operation has been released and a coder is set for another
/// load.
public func SDImageLoaderGetProgressiveCoder(
    _ operation: any SDWebImageOperation
) -> (any SDProgressiveImageCoder)? {
    ProgressiveCoders.known(operation as AnyObject) as? any SDProgressiveImageCoder
}

/// Sets the progressive coder of a load. Nil removes the coder.
public func SDImageLoaderSetProgressiveCoder(
    _ operation: any SDWebImageOperation, _ progressiveCoder: (any SDProgressiveImageCoder)?
) {
    ProgressiveCoders.set(progressiveCoder, operation as AnyObject)
}

/// Returns the coder options of a load, such as scale, thumbnail size, limits and hints. The function derives them from
/// the load's options, context and cache key.
public func SDGetDecodeOptionsFromContext(
    _ context: SDWebImageContext?, _ options: SDWebImageOptions, _ cacheKey: String
) -> SDImageCoderOptions {
    let url = URL(string: cacheKey) ?? URL(fileURLWithPath: cacheKey)
    return ImageLoaderDecoding.decodingOptions(for: url, options: options, context: context).dictionary
}

/// Writes coder options into the options and context of a load. This function is the inverse of
/// ``SDGetDecodeOptionsFromContext(_:_:_:)``.
public func SDSetDecodeOptionsToContext(
    _ mutableContext: inout SDWebImageContext, _ mutableOptions: inout SDWebImageOptions,
    _ decodeOptions: SDImageCoderOptions
) {
    if DecodingOptions(decodeOptions).firstFrameOnly {
        mutableOptions.insert(.decodeFirstFrameOnly)
    } else {
        mutableOptions.remove(.decodeFirstFrameOnly)
    }
    let keys: [(SDWebImageContextOption, SDImageCoderOption)] = [
        (.imageScaleFactor, .decodeScaleFactor), (.imagePreserveAspectRatio, .decodePreserveAspectRatio),
        (.imageThumbnailPixelSize, .decodeThumbnailPixelSize), (.imageScaleDownLimitBytes, .decodeScaleDownLimitBytes),
        (.imageDecodeToHDR, .decodeToHDR), (.imageTypeIdentifierHint, .decodeTypeIdentifierHint),
    ]
    for (contextKey, coderKey) in keys { mutableContext[contextKey] = decodeOptions[coderKey] }
}

/// Unavailable, because a context is a dictionary of Swift, which is passed `inout`.
@available(*, unavailable, message: "Pass variables of the types SDWebImageContext and SDWebImageOptions with &")
public func SDSetDecodeOptionsToContext(
    _ mutableContext: NSMutableDictionary, _ mutableOptions: UnsafeMutablePointer<SDWebImageOptions>,
    _ decodeOptions: SDImageCoderOptions
) {}

/// The progressive coders of all loads. An entry is removed when the last bytes of its load are decoded. Entries of
/// released operations are removed when the next coder is set.
private enum ProgressiveCoders {
    private struct Entry {
        weak var operation: AnyObject?
        var coder: any ProgressiveImageCoder
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    static func coder(
        of operation: AnyObject, for data: Data, _ options: DecodingOptions, _ context: SDWebImageContext?
    ) -> (any ProgressiveImageCoder)? {
        if let known = known(operation) { return known }
        let coder: (any ProgressiveImageCoder)?
        if let own = context?[.imageCoder] as? any ProgressiveImageCoder {
            coder = type(of: own).init(incremental: options)
        } else {
            coder = ImageCodersManager.shared.makeIncrementalCoder(for: data, options: options)
        }
        set(coder, operation)
        return coder
    }

    static func known(_ operation: AnyObject) -> (any ProgressiveImageCoder)? {
        entries.withLock { entries in
            entries[ObjectIdentifier(operation)].flatMap { $0.operation === operation ? $0.coder : nil }
        }
    }

    static func set(_ coder: (any ProgressiveImageCoder)?, _ operation: AnyObject) {
        // Returns the old entries from the closure, so that removed coders are released outside the lock.
        let dropped = entries.withLock { entries in
            let old = entries
            entries = entries.filter { $0.value.operation != nil }
            entries[ObjectIdentifier(operation)] = coder.map { Entry(operation: operation, coder: $0) }
            return old
        }
        withExtendedLifetime(dropped) {}
    }

    static func forget(_ operation: AnyObject) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }
}
