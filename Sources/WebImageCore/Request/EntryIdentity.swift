/// Identifies the entry that a load looks up or stores.
package struct EntryIdentity: Sendable {
    package var key: EntryKey
    /// The version of the original's bytes; nil in a lookup and when unknown.
    package var version: ContentDigest?

    package init(key: EntryKey, version: ContentDigest? = nil) {
        self.key = key
        self.version = version
    }
}
