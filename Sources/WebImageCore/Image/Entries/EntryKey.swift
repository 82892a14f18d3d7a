package import Foundation

/// The identity of a cache entry: its key string and the parts from which the string was made.
///
/// The string alone does not identify an entry: a URL can look like the key string of a variant or of another
/// scope. Every entry is therefore stored with its identity. A load uses an entry only if the entry's identity
/// equals the load's `EntryKey` (`Documentation/Decisions/typed-keys.md`).
package struct EntryKey: Sendable {
    /// The thumbnail box that the load's context sets.
    package struct Box: Hashable, Sendable {
        // The sides are stored as bit patterns, so that a box with a NaN side equals itself.
        private let width: UInt64
        private let height: UInt64
        private let preservesAspectRatio: Bool

        package init(_ size: CGSize, preservesAspectRatio: Bool) {
            width = Double(size.width).bitPattern
            height = Double(size.height).bitPattern
            self.preservesAspectRatio = preservesAspectRatio
        }

        /// A hash of the box for the library's own hash tables. A `Hasher` would need more time.
        package var hashBits: Int {
            Int(truncatingIfNeeded: (width &* 31 &+ height) >> 40) &* 2 &+ (preservesAspectRatio ? 1 : 0)
        }

        package var size: CGSize { CGSize(width: Double(bitPattern: width), height: Double(bitPattern: height)) }
        fileprivate var text: String { "\(width),\(height),\(preservesAspectRatio)" }
    }

    /// The key of the original: the result of the key filter, or the whole URL with its fragment if there is
    /// no filter.
    package let source: String
    /// The scope of the entry. It identifies the credentials with which the entry was loaded. Nil means that the entry
    /// was loaded without credentials.
    package let scope: String?
    package let thumbnail: Box?
    package let transformer: String?
    /// The page of a document. At present no load sets a page, so the value is always nil.
    package let page: Int?
    /// The key string, under which the caches store the entry.
    package let string: String
    /// The state of the file if the original is a `file:` URL; otherwise nil. An image of another state is a miss.
    package var file: FileState?

    package init(
        source: String, scope: String? = nil, thumbnail: Box? = nil, transformer: String? = nil, page: Int? = nil,
        string: String
    ) {
        self.source = source
        self.scope = scope
        self.thumbnail = thumbnail
        self.transformer = transformer
        self.page = page
        self.string = string
    }

    /// Returns the key of an original without scope.
    package static func shared(_ source: String) -> EntryKey { EntryKey(source: source, string: source) }

    /// Whether the entry is a variant of the original.
    package var isVariant: Bool { thumbnail != nil || transformer != nil || page != nil }

    /// A digest of all parts of the key. The digest is stored instead of the key, because the key contains the URL, and
    /// a URL can contain secrets.
    package var fingerprint: KeyFingerprint {
        guard isVariant || file != nil else { return sourceFingerprint }
        let parts = [source, scope, thumbnail?.text, transformer, page.map(String.init)]
        return KeyFingerprint(parts: file.map { parts + [$0.text] } ?? parts)
    }

    /// The fingerprint of the original. For the key of an original, it equals ``fingerprint``. For the key of a
    /// variant, it belongs to the original from which the variant is made. All states of a file have the same.
    package var sourceFingerprint: KeyFingerprint {
        let hash = source.hashValue
        if let known = Self.recentFingerprints.withLock({ $0.fingerprint(source: source, scope: scope, hash: hash) }) {
            return known
        }
        let new = KeyFingerprint(parts: [source, scope, nil, nil, nil])
        Self.recentFingerprints.withLock { $0.insert(new, source: source, scope: scope, hash: hash) }
        return new
    }

    private static let recentFingerprints = Locked(RecentFingerprints())

    /// A digest of the scope. Nil for an entry without scope.
    package var scopeFingerprint: KeyFingerprint? { scope.map { KeyFingerprint(parts: ["scope", $0]) } }
}

extension EntryKey: Hashable {
    // The key string is not compared, because it is derived from the other parts.
    package static func == (left: Self, right: Self) -> Bool {
        left.source == right.source && left.scope == right.scope && left.thumbnail == right.thumbnail
            && left.transformer == right.transformer && left.page == right.page && left.file == right.file
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(scope)
        hasher.combine(thumbnail)
        hasher.combine(transformer)
        if let file { hasher.combine(file) }
    }
}

/// A digest of the parts of a key: the first 128 bits of their SHA-256. The input of the SHA-256 includes the length
/// of each part. Two different lists of parts therefore never produce the same input.
package struct KeyFingerprint: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(parts: [String?]) {
        var text = ""
        for part in parts {
            guard let part else {
                text += "-;"
                continue
            }
            text += "\(part.utf8.count):\(part);"
        }
        (high, low) = SHA256.firstWords(of: text)
    }

    /// Creates the fingerprint from its 16 stored bytes. Returns nil if `data` does not contain exactly 16 bytes.
    package init?(_ data: Data?) {
        guard let words = TwoWords.read(data) else { return nil }
        (high, low) = words
    }

    package var data: Data { TwoWords.data(high, low) }
    package var words: (high: UInt64, low: UInt64) { (high, low) }
}

/// Converts two 64-bit numbers to 16 bytes in big-endian order and back.
enum TwoWords {
    static func data(_ high: UInt64, _ low: UInt64) -> Data {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
    }

    /// Reads the two numbers. Returns nil if `data` does not contain exactly 16 bytes.
    static func read(_ data: Data?) -> (UInt64, UInt64)? {
        guard let data, data.count == 16 else { return nil }
        return data.withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}

/// A small cache of the fingerprints of originals. A load needs the fingerprint of its original four times,
/// and each computation takes 9,000 instructions.
///
/// The cache is a table of 256 elements. The hash of the original's key (``EntryKey/source``) selects the element. A
/// new fingerprint replaces the old fingerprint in the same element. Keys longer than 1 KB, such as `data:` URLs, are
/// not stored, because they would use too much memory.
struct RecentFingerprints {
    private struct Place {
        let source: String
        let scope: String?
        let fingerprint: KeyFingerprint
    }

    private static let placeCount = 256
    private static let longestSource = 1024

    private var places: ContiguousArray<Place?> = []

    /// Returns the fingerprint of an original; nil if it is not in the table.
    func fingerprint(source: String, scope: String?, hash: Int) -> KeyFingerprint? {
        guard !places.isEmpty, let known = places[hash & (Self.placeCount - 1)], known.source == source,
            known.scope == scope
        else { return nil }
        return known.fingerprint
    }

    mutating func insert(_ fingerprint: KeyFingerprint, source: String, scope: String?, hash: Int) {
        guard source.utf8.count <= Self.longestSource else { return }
        if places.isEmpty { places = ContiguousArray(repeating: nil, count: Self.placeCount) }
        places[hash & (Self.placeCount - 1)] = Place(source: source, scope: scope, fingerprint: fingerprint)
    }
}

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
    /// Whether a key was dropped because of the limit. A string that no entry has may then belong to the dropped key.
    private var hasForgotten = false

    var isEmpty: Bool { entries.isEmpty }

    /// Adds an entry as the newest one, in place of an entry with the same identity.
    mutating func add(_ entry: Entry) {
        entries.removeAll { $0.identity.isSame(as: entry.identity) }
        entries.append(entry)
        guard entries.count > Self.limit else { return }
        entries.removeFirst()
        hasForgotten = true
    }

    /// Returns the version of the original from which the entry for `key` was made; nil if the version is unknown.
    func version(of key: EntryKey) -> OriginalVersion? {
        // A key and a fingerprint of the same entry are two identities. The newest one has the version of the image.
        entries.last { entry in
            switch entry.identity {
            case .key(let known): known == key
            case .fingerprint(let known, let string): string == key.string && known == key.fingerprint
            }
        }?.version
    }

    /// The keys of variants with this key string.
    func variantKeys(under string: String) -> [EntryKey] {
        entries.compactMap { entry in
            guard case .key(let key) = entry.identity, key.isVariant, key.string == string else { return nil }
            return key
        }
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
