/// Identifies the entry that a load looks up or stores.
package struct EntryIdentity: Sendable {
    package var key: EntryKey
    /// The version of the original's bytes; nil in a lookup and if the version is unknown.
    package var version: ContentDigest?

    /// The size of the image in the bytes when it is known; otherwise a cache reads their header.
    package var pixelSize: PixelSize?

    package init(key: EntryKey, version: ContentDigest? = nil, pixelSize: PixelSize? = nil) {
        self.key = key
        self.version = version
        self.pixelSize = pixelSize
    }
}
