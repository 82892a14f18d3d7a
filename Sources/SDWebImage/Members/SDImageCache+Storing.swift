public import Foundation
public import WebImage

extension ImageCache {
    /// Stores an image in memory and the image's encoded bytes on disk.
    @preconcurrency public func store(
        _ image: UIImage?, forKey key: String?, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: nil, forKey: key, cacheType: .all, completion: completionBlock)
    }

    /// Stores an image in memory. If `toDisk` is true, also stores the image's encoded bytes on disk.
    @preconcurrency public func store(
        _ image: UIImage?, forKey key: String?, toDisk: Bool, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: nil, forKey: key, toDisk: toDisk, completion: completionBlock)
    }

    /// Stores an image in memory. If `toDisk` is true, also stores `imageData` on disk.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, toDisk: Bool,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: imageData, forKey: key, cacheType: toDisk ? .all : .memory, completion: completionBlock)
    }

    /// Stores an image, its encoded bytes, or both. `cacheType` selects the layers.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: completionBlock)
    }

    /// Stores an image in memory. The image is stored when this method returns.
    public func storeImage(toMemory image: UIImage?, forKey key: String?) { storeImageToMemory(image, forKey: key) }

    /// Stores bytes on disk. Blocks until the bytes are written.
    public func storeImageData(toDisk imageData: Data?, forKey key: String?) {
        storeImageDataToDisk(imageData, forKey: key)
    }
}
