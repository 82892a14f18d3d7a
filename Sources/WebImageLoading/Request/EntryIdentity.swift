package import Foundation
package import WebImageCore

/// Identifies the entry that a load looks up or stores. If a cache stores an ``EntryRecord`` with each entry, it
/// creates the record of a new entry from this value.
package struct EntryIdentity: Sendable {
    package var key: EntryKey
    /// The version of the original's bytes; nil in a lookup and if the version is unknown.
    package var version: ContentDigest?

    /// The pixel size of the encoded image; nil if the size is unknown. In this case the cache reads the size from the
    /// header of the bytes.
    package var pixelSize: PixelSize?

    /// The loader's metadata, which is stored together with the bytes; nil in a lookup.
    package var metadata: Data?

    /// The date at which a new entry expires; nil means that only the cache's maximum age applies.
    package var expires: Date?

    package init(
        key: EntryKey, version: ContentDigest? = nil, pixelSize: PixelSize? = nil, metadata: Data? = nil,
        expires: Date? = nil
    ) {
        self.key = key
        self.version = version
        self.pixelSize = pixelSize
        self.metadata = metadata
        self.expires = expires
    }
}
