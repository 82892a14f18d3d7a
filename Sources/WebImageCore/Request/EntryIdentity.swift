package import Foundation

/// Identifies the entry that a load looks up or stores. A cache that records entries takes the properties of a stored
/// entry from it.
package struct EntryIdentity: Sendable {
    package var key: EntryKey
    /// The version of the original's bytes; nil in a lookup and if the version is unknown.
    package var version: ContentDigest?

    /// The size of the image in the bytes when it is known; otherwise a cache reads their header.
    package var pixelSize: PixelSize?

    /// The loader's metadata, which is stored together with the bytes; nil in a lookup.
    package var metadata: Data?

    package init(
        key: EntryKey, version: ContentDigest? = nil, pixelSize: PixelSize? = nil, metadata: Data? = nil
    ) {
        self.key = key
        self.version = version
        self.pixelSize = pixelSize
        self.metadata = metadata
    }
}
