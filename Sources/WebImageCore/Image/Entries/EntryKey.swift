package import Foundation

/// The identity of a cache entry: the parts of its key string. The string itself cannot be split into these parts.
///
/// A URL may look like the key string of a variant or of another scope. Entries therefore record this value, and a load
/// takes only an entry whose value equals its own (`Documentation/Decisions/typed-keys.md`).
package struct EntryKey: Sendable {
    /// The box of a thumbnail, as the context sets it.
    package struct Box: Hashable, Sendable {
        // Bit patterns, so that a box with a NaN side equals itself.
        private let width: UInt64
        private let height: UInt64
        private let preservesAspectRatio: Bool

        package init(_ size: CGSize, preservesAspectRatio: Bool) {
            width = Double(size.width).bitPattern
            height = Double(size.height).bitPattern
            self.preservesAspectRatio = preservesAspectRatio
        }

        /// Bits for a hash table of the library; cheaper than a `Hasher`.
        var hashBits: Int {
            Int(truncatingIfNeeded: (width &* 31 &+ height) >> 40) &* 2 &+ (preservesAspectRatio ? 1 : 0)
        }

        package var size: CGSize { CGSize(width: Double(bitPattern: width), height: Double(bitPattern: height)) }
        fileprivate var text: String { "\(width),\(height),\(preservesAspectRatio)" }
    }

    /// The URL's own key: the result of the key filter, or without a filter the whole URL with its fragment.
    package let source: String
    /// The scope whose credentials the entry belongs to; nil means unscoped.
    package let scope: String?
    package let thumbnail: Box?
    package let transformer: String?
    /// The page of a document; no load sets one yet.
    package let page: Int?
    /// The key string.
    package let string: String

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

    /// Returns the key of an unscoped original.
    package static func shared(_ source: String) -> EntryKey { EntryKey(source: source, string: source) }

    /// Whether the entry is a variant, made from the original.
    package var isVariant: Bool { thumbnail != nil || transformer != nil || page != nil }

    /// A digest of all parts, for storage that must not contain the key itself.
    package var fingerprint: KeyFingerprint {
        guard isVariant else { return sourceFingerprint }
        return KeyFingerprint(parts: [
            source, scope, thumbnail?.text, transformer, page.map(String.init),
        ])
    }

    /// The fingerprint of the original: the entry itself, or the original that it is made from.
    package var sourceFingerprint: KeyFingerprint {
        let hash = source.hashValue
        if let known = Self.recentFingerprints.withLock({ $0.fingerprint(source, scope, hash: hash) }) { return known }
        let new = KeyFingerprint(parts: [source, scope, nil, nil, nil])
        Self.recentFingerprints.withLock { $0.insert(new, source, scope, hash: hash) }
        return new
    }

    private static let recentFingerprints = Locked(RecentFingerprints())

    /// A digest of the scope; nil for an unscoped entry.
    package var scopeFingerprint: KeyFingerprint? { scope.map { KeyFingerprint(parts: ["scope", $0]) } }
}

extension EntryKey: Hashable {
    // The string is derived from the other parts.
    package static func == (left: Self, right: Self) -> Bool {
        left.source == right.source && left.scope == right.scope && left.thumbnail == right.thumbnail
            && left.transformer == right.transformer && left.page == right.page
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(scope)
        hasher.combine(thumbnail)
        hasher.combine(transformer)
    }
}

/// 128 bits of SHA-256 over the parts of a key. Each part is preceded by its length, so that different lists of parts
/// never give the same input.
package struct KeyFingerprint: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(parts: [String?]) {
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

    /// Reads 16 stored bytes; nil for any other length.
    package init?(_ data: Data?) {
        guard let words = TwoWords.read(data) else { return nil }
        (high, low) = words
    }

    package var data: Data { TwoWords.data(high, low) }
}

/// Two numbers as 16 bytes in big-endian order.
enum TwoWords {
    static func data(_ high: UInt64, _ low: UInt64) -> Data {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
    }

    /// Reads 16 bytes; nil for any other length.
    static func read(_ data: Data?) -> (UInt64, UInt64)? {
        guard let data, data.count == 16 else { return nil }
        func word(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return (word(data.prefix(8)), word(data.suffix(8)))
    }
}
