/// What a load says of an entry it looks up or stores.
package struct EntryNote: Sendable {
    package var key: EntryKey
    /// The version of the original's bytes; nil in a look-up, and where it is not known.
    package var version: ContentDigest?

    package init(key: EntryKey, version: ContentDigest? = nil) {
        self.key = key
        self.version = version
    }
}
