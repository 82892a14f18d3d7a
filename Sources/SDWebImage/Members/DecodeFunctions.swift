public import Foundation
public import WebImage

/// For authors of loaders: the picture that options and context mean. Blocks while it decodes; nil for what is no picture.
public func SDImageLoaderDecodeImageData(
    _ imageData: Data, _ imageURL: URL, _ options: SDWebImageOptions, _ context: SDWebImageContext?
) -> UIImage? {
    try? ImageLoaderDecoding.image(from: imageData, url: imageURL, options: options, context: context)
}

/// For authors of caches: the picture that options and context mean. Blocks while it decodes; nil for what is no picture.
public func SDImageCacheDecodeImageData(
    _ imageData: Data, _ cacheKey: String, _ options: SDWebImageOptions, _ context: SDWebImageContext?
) -> UIImage? {
    guard let url = URL(string: cacheKey) else {
        return UIImage.sd_image(with: imageData, firstFrameOnly: options.contains(.decodeFirstFrameOnly))
    }
    return SDImageLoaderDecodeImageData(imageData, url, options, context)
}

/// For authors of loaders: what can be shown of a picture whose bytes are arriving.
///
/// Call it with all bytes so far, from one thread at a time; `operation` tells the loads apart. Nil before anything can
/// be shown.
public func SDImageLoaderDecodeProgressiveImageData(
    _ imageData: Data, _ imageURL: URL, _ finished: Bool, _ operation: any SDWebImageOperation & AnyObject,
    _ options: SDWebImageOptions, _ context: SDWebImageContext?
) -> UIImage? {
    let decoding = ImageLoaderDecoding.decodingOptions(for: imageURL, options: options, context: context).dictionary
    guard let coder = ProgressiveCoders.coder(of: operation, for: imageData, decoding, context) else { return nil }
    coder.updateIncrementalData(imageData, finished: finished)
    if finished { ProgressiveCoders.forget(operation) }
    let image = coder.incrementalDecodedImage(with: decoding)
    image?.isIncremental = !finished
    return image
}

/// The coder of each load under way, forgotten with it.
private enum ProgressiveCoders {
    private struct Entry {
        weak var operation: AnyObject?
        var coder: any ProgressiveImageCoder
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    static func coder(
        of operation: AnyObject, for data: Data, _ options: SDImageCoderOptions, _ context: SDWebImageContext?
    ) -> (any ProgressiveImageCoder)? {
        let key = ObjectIdentifier(operation)
        let known = entries.withLock { entries in
            entries[key].flatMap { $0.operation === operation ? $0.coder : nil }
        }
        if let known { return known }
        let coder: (any ProgressiveImageCoder)?
        if let own = context?[.imageCoder] as? any ProgressiveImageCoder {
            coder = type(of: own).init(incrementalWithOptions: options)
        } else {
            coder = ImageCodersManager.shared.makeIncrementalCoder(for: data, options: options)
        }
        guard let coder else { return nil }
        entries.withLock { entries in
            entries = entries.filter { $0.value.operation != nil }
            entries[key] = Entry(operation: operation, coder: coder)
        }
        return coder
    }

    static func forget(_ operation: AnyObject) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }
}
