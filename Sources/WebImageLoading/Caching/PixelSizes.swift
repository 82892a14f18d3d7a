import Foundation
public import WebImageCore

/// The pixel sizes of recent images by key. The number of sizes is limited, and so is the length of the stored keys. The
/// structure has no lock. Its owner
/// must synchronise access.
///
/// There are two generations, young and old. New sizes are added to the young generation. A look-up moves a size from
/// the old to the young generation. When the young generation is full, the sizes of the old generation are removed, and
/// the young generation becomes the old generation.
struct PixelSizes {
    private var young: [String: PixelSize] = [:]
    private var old: [String: PixelSize] = [:]
    private let limit: Int
    /// The total size, in bytes, of the image files that wait until their headers are read.
    private(set) var waitingBytes = 0

    init(limit: Int = 8192) { self.limit = limit / 2 }

    var count: Int { young.count + old.count }

    mutating func size(_ key: String) -> PixelSize? { size(ofBounded: key.boundedKey) }

    private mutating func size(ofBounded key: String) -> PixelSize? {
        if let size = young[key] { return size }
        guard let size = old.removeValue(forKey: key) else { return nil }
        insert(size, key)
        return size
    }

    /// Stores a size. Returns false if the same size was already stored under the key.
    mutating func put(_ size: PixelSize, _ key: String) -> Bool {
        let key = key.boundedKey
        if self.size(ofBounded: key) == size { return false }
        insert(size, key)
        return true
    }

    /// Adds a file that waits until its header is read. Returns false if the total would exceed `limit`; a single file
    /// may have any length.
    mutating func addWaiting(_ byteCount: Int, limit: Int) -> Bool {
        guard waitingBytes == 0 || waitingBytes + byteCount <= limit else { return false }
        waitingBytes += byteCount
        return true
    }

    mutating func removeWaiting(_ byteCount: Int) { waitingBytes -= byteCount }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }

    private mutating func insert(_ size: PixelSize, _ key: String) {
        if young.count >= limit {
            old = young
            young = [:]
        }
        young[key] = size
    }
}

/// The pixel sizes of images. A size stays stored after its image is evicted, so that a view can be laid out before
/// its image is loaded.
extension ImageCache {
    /// Returns the pixel size of the image that was last stored under a key, even after its entry was
    /// evicted. Returns nil if no image was stored, or if about 250,000 other images were stored later.
    ///
    /// The sizes of recent keys are in a dictionary. For other keys, the method reads the index of the disk
    /// layer, without waiting for queued disk work. All sizes are removed when the disk layer is cleared.
    public func pixelSize(forKey key: String?) -> PixelSize? {
        guard let key else { return nil }
        if let size = withSizes({ $0.size(key) }) { return size }
        guard let size = disk.now({ $0?.pixelSize(forKey: key) }) else { return nil }
        return withSizes { sizes in
            // Another thread may have stored a newer size after the first look-up in this method.
            if let newer = sizes.size(key) { return newer }
            _ = sizes.put(size, key)
            return size
        }
    }

    /// Stores the size of an image. Does nothing for a thumbnail that is stored under the original's key,
    /// because the size of the thumbnail is not the size of the original.
    func rememberSize(of image: Image, forKey key: String) {
        if image.isThumbnail, !CacheKey.isThumbnail(key) { return }
        rememberSize(image.pixelSize, forKey: key)
    }

    /// The maximum total size, in bytes, of the image files that wait until their headers are read.
    static let awaitingSizeLimit = 16 << 20

    /// Stores the size that the header of an image file declares. The cache calls this method when bytes are stored
    /// without a decoded image.
    ///
    /// A job on the decode pool reads the header at low priority. The job waits while decodes of higher priority occupy
    /// the pool. Meanwhile it keeps the whole file in memory. To limit this memory, the method submits no job if the
    /// files of all waiting jobs would exceed ``awaitingSizeLimit``. The size of the image is then not stored. If no
    /// other job waits, a file of any length is accepted.
    func rememberSize(of data: Data, forKey key: String) {
        let count = data.count
        guard withSizes({ $0.addWaiting(count, limit: Self.awaitingSizeLimit) }) else { return }
        decodePool.submit(priority: .low) { [self] in
            defer { withSizes { $0.removeWaiting(count) } }
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
