import Foundation

/// Pixel sizes that are kept longer than their images, so that views can be laid out before a load.
extension ImageCache {
    /// Returns the pixel size of the image that was last stored under a key, even after its entry was
    /// evicted. Returns nil if no image was stored, or if about 250,000 other images were stored later.
    ///
    /// The sizes of recent keys are in a dictionary. For other keys, the method reads the index of the disk
    /// layer; it does not wait for queued disk work. Clearing the disk removes all sizes.
    public func pixelSize(forKey key: String?) -> PixelSize? {
        guard let key else { return nil }
        if let size = withSizes({ $0.size(key) }) { return size }
        guard let size = disk.now({ $0?.pixelSize(forKey: key) }) else { return nil }
        return withSizes { sizes in
            // Another thread may have stored a newer size since the look-up above.
            if let newer = sizes.size(key) { return newer }
            _ = sizes.put(size, key)
            return size
        }
    }

    /// Stores the size of an image. Does nothing for a thumbnail that is stored under the original's key,
    /// because its size is not the original's.
    func rememberSize(of image: Image, forKey key: String) {
        if image.isThumbnail, !CacheKey.isThumbnail(key) { return }
        rememberSize(image.pixelSize, forKey: key)
    }

    /// The maximum of bytes whose headers wait to be read.
    static let awaitingSizeLimit = 16 << 20

    /// Stores the size that the header of an image file declares. Used when bytes are stored without a decoded image.
    ///
    /// The size is left out when too many bytes wait already: while decodes of higher priority fill the pool, these jobs
    /// never run, and each holds a file in memory.
    func rememberSize(of data: Data, forKey key: String) {
        let count = data.count
        let mayWait = bytesAwaitingSize.withLock { waiting in
            guard waiting == 0 || waiting + count <= Self.awaitingSizeLimit else { return false }
            waiting += count
            return true
        }
        guard mayWait else { return }
        decodePool.submit(priority: .low) { [self] in
            defer { bytesAwaitingSize.withLock { $0 -= count } }
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
