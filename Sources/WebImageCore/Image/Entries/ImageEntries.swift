/// The keys an image in memory was stored for by loads; a memory layer itself has key strings alone.
///
/// One image may be stored for several keys, as when a transformer gives the same one for all. The latest are known; a
/// key that is known no more is a miss.
struct ImageEntries {
    struct Entry {
        /// What the load that stored it looked for, or, read by string, what the disk layer recorded.
        enum Identity {
            case key(EntryKey)
            case fingerprint(KeyFingerprint, string: String)
        }

        var identity: Identity
        /// The original it was made from; nil where that has no version.
        var version: OriginalVersion?
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

    /// The version of the original that the key's entry was made from.
    func version(of key: EntryKey) -> OriginalVersion? {
        entries.last { entry in
            switch entry.identity {
            case .key(let known): known == key
            case .fingerprint(let known, let string): string == key.string && known == key.fingerprint
            }
        }?.version
    }

    /// Whether a load of the key may take the image. One that only a caller stored, under a string of its own, is what
    /// the caller says.
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
