public import Foundation

extension ImageCache {
    // MARK: Bytes

    /// Whether there is a disk entry, without reading it; blocks.
    public func diskImageDataExists(withKey key: String?) -> Bool {
        guard let key else { return false }
        return disk.sync { $0?.containsData(forKey: key) ?? false }
    }

    /// Whether there is a disk entry; told on main.
    public func diskImageExists(withKey key: String?, completion: (@Sendable (Bool) -> Void)? = nil) {
        disk.async { disk in
            let exists = key.map { disk?.containsData(forKey: $0) ?? false } ?? false
            CallbackQueue.main.async { completion?(exists) }
        }
    }

    /// The encoded data on disk; blocks.
    public func diskImageData(forKey key: String?) -> Data? { diskImageDataSync(forKey: key) }

    /// The encoded data on disk, verified; blocks.
    public func diskImageDataSync(forKey key: String?) -> Data? {
        guard let key else { return nil }
        return disk.sync { self.read(key, from: $0) }
    }

    /// The encoded data on disk, verified; read on the cache's own queue.
    public func diskImageData(forKey key: String?) async -> Data? {
        guard let key else { return nil }
        return await disk.run { self.read(key, from: $0) }
    }

    /// The encoded data on disk; told on main.
    public func diskImageDataQuery(forKey key: String?, completion: (@Sendable (Data?) -> Void)? = nil) {
        disk.async { disk in
            let data = key.flatMap { self.read($0, from: disk) }
            CallbackQueue.main.async { completion?(data) }
        }
    }

    func read(_ key: String, from disk: (any DiskCaching)?) -> Data? {
        if let data = disk?.data(forKey: key) { return data }
        guard let path = additionalCachePathBlock?(key) else { return nil }
        return try? Data(contentsOf: URL(fileURLWithPath: path), options: config.diskCacheReadingOptions)
    }

    // MARK: Images

    /// The image on disk, decoded on the calling thread and promoted to memory; blocks.
    public func imageFromDiskCache(
        forKey key: String?, options: WebImageOptions = [], context: WebImageContext? = nil
    ) -> Image? {
        guard let key, let entry = disk.sync({ self.resource(key, from: $0) }) else { return nil }
        return decode(entry, key: key, options: options, context: context)
    }

    /// The image in memory, else on disk; blocks when it comes from disk.
    public func imageFromCache(
        forKey key: String?, options: WebImageOptions = [], context: WebImageContext? = nil
    ) -> Image? {
        if let image = imageFromMemoryCache(forKey: key),
            let adapted = MemoryMatch.adapted(image, options: options, context: context)
        {
            return adapted
        }
        return imageFromDiskCache(forKey: key, options: options, context: context)
    }

    static func decoding(_ key: String, _ options: WebImageOptions, _ context: WebImageContext?) -> ImageDecoding {
        ImageDecoding(options, context: context, key: key, thumbnail: LoadKeys.Thumbnail(context))
    }

    func decode(_ entry: CachedResource, key: String, options: WebImageOptions, context: WebImageContext?) -> Image? {
        decode(entry, key: key, Self.decoding(key, options, context), context: context)
    }

    /// Decodes an entry; promotes the image, or removes the entry that is no picture.
    func decode(_ entry: CachedResource, key: String, _ decoding: ImageDecoding, context: WebImageContext?) -> Image? {
        do throws(WebImageError) {
            let image = try decoding.decode(entry.data)
            if let extended = entry.extended { image.extendedObject = extended }
            rememberSize(of: image, forKey: key)
            promote(image, key: key, context: context)
            return image
        } catch {
            if decoding.isWorthless(entry.data, after: error) { removeCorruptDiskEntry(forKey: key) }
            return nil
        }
    }

    /// A thumbnail goes under its own key, never under the full picture's.
    private func promote(_ image: Image, key: String, context: WebImageContext?) {
        let target = context?.readCacheType(.storeCacheType) ?? .all
        guard keepsImagesInMemory, target.includesMemory else { return }
        let thumbnail = CacheKey.isThumbnail(key) ? nil : LoadKeys.Thumbnail(context)
        storeImageToMemory(image, forKey: LoadKeys.key(key, thumbnail: thumbnail, suffix: nil))
    }
}
