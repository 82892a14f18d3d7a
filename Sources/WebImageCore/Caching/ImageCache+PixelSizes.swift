import Foundation

/// The sizes of pictures beyond the pictures themselves, so that views can be laid out before anything is loaded.
extension ImageCache {
    /// The pixel size of the image last stored under a key, also when its pixels and bytes are gone; nil when none was,
    /// or when a quarter of a million others have been since.
    ///
    /// A dictionary for those seen lately, else one look into the disk layer's index, which waits for no other disk
    /// work. Clearing the disk forgets it.
    public func pixelSize(forKey key: String?) -> PixelSize? {
        guard let key else { return nil }
        if let size = withSizes({ $0.size(key) }) { return size }
        guard let size = disk.now({ $0?.pixelSize(forKey: key) }) else { return nil }
        return withSizes { sizes in
            // A newer picture may have come meanwhile.
            if let newer = sizes.size(key) { return newer }
            _ = sizes.put(size, key)
            return size
        }
    }

    /// A thumbnail says nothing about the size of the picture whose key it has.
    func rememberSize(of image: Image, forKey key: String) {
        if image.isThumbnail, !CacheKey.isThumbnail(key) { return }
        remember(image.pixelSize, forKey: key)
    }

    /// The size that bytes stored without an image say they have.
    func rememberSize(of data: Data, forKey key: String) {
        decodePool.submit(priority: .low) { [self] in
            guard let info = try? coders.imageInfo(of: data, limits: DecodingLimits()) else {
                return
            }
            self.remember(info.pixelSize, forKey: key)
        }
    }

    private func remember(_ size: PixelSize, forKey key: String) {
        guard withSizes({ $0.put(size, key) }) else { return }
        disk.async { $0?.setPixelSize(size, forKey: key) }
    }
}
