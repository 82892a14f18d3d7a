public import Foundation
public import WebImage

extension ImageCache {
    /// Keeps a picture in memory and on disk, encoded.
    @preconcurrency public func store(
        _ image: UIImage?, forKey key: String?, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: nil, forKey: key, cacheType: .all, completion: completionBlock)
    }

    /// Keeps a picture in memory and, encoded, on disk if asked.
    @preconcurrency public func store(
        _ image: UIImage?, forKey key: String?, toDisk: Bool, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: nil, forKey: key, toDisk: toDisk, completion: completionBlock)
    }

    /// Keeps a picture in memory and, if asked, its bytes on disk.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, toDisk: Bool,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: imageData, forKey: key, cacheType: toDisk ? .all : .memory, completion: completionBlock)
    }

    /// Keeps a picture, its bytes, or both, in the layers `cacheType` names.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: completionBlock)
    }

    /// Keeps a picture in memory, at once.
    public func storeImage(toMemory image: UIImage?, forKey key: String?) { storeImageToMemory(image, forKey: key) }

    /// Keeps bytes on disk; blocks.
    public func storeImageData(toDisk imageData: Data?, forKey key: String?) {
        storeImageDataToDisk(imageData, forKey: key)
    }
}
