import Foundation

/// Pixel sizes that outlive their images, so that views can be laid out before a load.
extension ImageCache {
    /// The pixel size of the image last stored under a key, even after its entry was evicted. Nil when none was stored,
    /// or after about 250,000 other images were stored.
    ///
    /// Recent keys are answered from a dictionary, others by one look-up in the disk layer's index, which does not wait
    /// for other disk work. Clearing the disk removes the sizes.
    public func pixelSize(forKey key: String?) -> PixelSize? {
        guard let key else { return nil }
        if let size = withSizes({ $0.size(key) }) { return size }
        guard let size = disk.now({ $0?.pixelSize(forKey: key) }) else { return nil }
        return withSizes { sizes in
            // Another thread may have stored a newer size meanwhile.
            if let newer = sizes.size(key) { return newer }
            _ = sizes.put(size, key)
            return size
        }
    }

    /// Stores the size of an image, unless it is a thumbnail stored under the original's key.
    func rememberSize(of image: Image, forKey key: String) {
        if image.isThumbnail, !CacheKey.isThumbnail(key) { return }
        rememberSize(image.pixelSize, forKey: key)
    }

    /// Stores the size that the header of the bytes declares, for bytes stored without an image.
    func rememberSize(of data: Data, forKey key: String) {
        decodePool.submit(priority: .low) { [self] in
            guard let info = try? coders.imageInfo(of: data, limits: DecodingLimits()) else {
                return
            }
            self.rememberSize(info.pixelSize, forKey: key)
        }
    }

    func rememberSize(_ size: PixelSize, forKey key: String) {
        guard withSizes({ $0.put(size, key) }) else { return }
        disk.async { $0?.setPixelSize(size, forKey: key) }
    }
}
