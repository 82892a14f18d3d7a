/// The full keys under which loads stored an image in memory. The image contains these keys, because a memory cache
/// contains only key strings.
///
/// One image can be stored under several keys, for example when a transformer returns the same image for
/// several URLs. Only the latest 16 keys are kept. A load with an older key gets a miss.
package struct ImageEntries {
    package struct Entry {
        /// The identity of an entry. If a load stored the image, the identity is the key of this load. If a caller read
        /// the image from disk by a key string, the full key is not known. The identity is then the fingerprint that
        /// the disk layer has recorded.
        package enum Identity {
            case key(EntryKey)
            case fingerprint(KeyFingerprint, string: String)
        }

        var identity: Identity
        /// The version of the original from which the image was made; nil if the version is unknown.
        var version: OriginalVersion?

        package init(identity: Identity, version: OriginalVersion? = nil) {
            self.identity = identity
            self.version = version
        }
    }

    private static let limit = 16
    private var entries: [Entry] = []
    private var hasForgotten = false

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ entry: Entry) {
        entries.removeAll { $0.identity.isSame(as: entry.identity) }
        entries.append(entry)
        guard entries.count > Self.limit else { return }
        entries.removeFirst()
        hasForgotten = true
    }

    /// Returns the version of the original from which the entry for `key` was made; nil if the version is unknown.
    func version(of key: EntryKey) -> OriginalVersion? {
        entries.last { entry in
            switch entry.identity {
            case .key(let known): known == key
            case .fingerprint(let known, let string): string == key.string && known == key.fingerprint
            }
        }?.version
    }

    /// Whether an entry belongs to the original with this fingerprint. An entry that was read by a key string belongs to
    /// it only if it is the original itself.
    func isMade(from source: KeyFingerprint) -> Bool {
        entries.contains { entry in
            switch entry.identity {
            case .key(let key): key.sourceFingerprint == source
            case .fingerprint(let fingerprint, _): fingerprint == source
            }
        }
    }

    /// Returns whether a load of `key` may use the image that the memory cache found under the key's string.
    ///
    /// - True if a load of `key` stored the image and no newer version of the image's original is known.
    /// - True if no load stored the image under this string. In this case, a program stored the image through the
    ///   interface of the cache.
    /// - False if the image could belong to another key with the same string.
    func accept(_ key: EntryKey) -> Bool {
        var isOther = hasForgotten
        for entry in entries {
            switch entry.identity {
            case .key(let known):
                if known == key { return entry.version?.isStale != true }
                isOther = isOther || known.string == key.string
            case .fingerprint(let known, let string):
                guard string == key.string else { continue }
                if known == key.fingerprint { return entry.version?.isStale != true }
                isOther = true
            }
        }
        return !isOther
    }
}

extension ImageEntries.Entry.Identity {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.key(let left), .key(let right)): left == right
        case (.fingerprint(let left, _), .fingerprint(let right, _)): left == right
        default: false
        }
    }
}

/// One version of an original. All images in memory that were made from the same version share one object of this
/// class.
package final class OriginalVersion: Sendable {
    private struct State {
        var isSuperseded: Bool
        var isStored: Bool
    }

    package let digest: ContentDigest
    private let state: Locked<State>

    package init(_ digest: ContentDigest, isStale: Bool = false, isStored: Bool = false) {
        self.digest = digest
        state = Locked(State(isSuperseded: isStale, isStored: isStored))
    }

    /// Whether a newer version of the original is known.
    package var isStale: Bool { state.withLock { $0.isSuperseded } }

    /// Whether the disk layer has had this version. A different version on disk is then newer. Otherwise the bytes of
    /// this version may still be waiting to be written.
    package var isStored: Bool { state.withLock { $0.isStored } }

    package func supersede() { state.withLock { $0.isSuperseded = true } }
    package func noteStored() { state.withLock { $0.isStored = true } }
}
