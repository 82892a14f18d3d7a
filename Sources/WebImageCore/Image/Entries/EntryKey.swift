package import Foundation

/// What an entry of a cache is: the parts of its key string, which the string itself cannot be taken apart into.
///
/// A URL may look like the key string of a variant or of another scope. Entries therefore record this value, and a load
/// takes only an entry whose value equals its own (`Documentation/Decisions/typed-keys.md`).
package struct EntryKey: Sendable {
    /// The box of a thumbnail as the context names it.
    package struct Box: Hashable, Sendable {
        // Bits, so that a box that is not a number equals itself.
        private let width: UInt64
        private let height: UInt64
        private let preservesAspectRatio: Bool

        package init(_ size: CGSize, preservesAspectRatio: Bool) {
            width = Double(size.width).bitPattern
            height = Double(size.height).bitPattern
            self.preservesAspectRatio = preservesAspectRatio
        }

        package var size: CGSize { CGSize(width: Double(bitPattern: width), height: Double(bitPattern: height)) }
        fileprivate var text: String { "\(width),\(height),\(preservesAspectRatio)" }
    }

    /// The URL's own key: what the key filter made of it, else the whole URL with its fragment.
    package let source: String
    /// Whose credentials the entry belongs to; nil is unscoped.
    package let scope: String?
    package let thumbnail: Box?
    package let transformer: String?
    /// The page of a document; no load asks for one yet.
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

    /// The key of an unscoped original.
    package static func shared(_ source: String) -> EntryKey { EntryKey(source: source, string: source) }

    /// Whether the entry is made from the original rather than being it.
    package var isVariant: Bool { thumbnail != nil || transformer != nil || page != nil }

    /// A digest of all parts, for what must not hold the key itself.
    package var fingerprint: KeyFingerprint {
        KeyFingerprint(parts: [
            source, scope, thumbnail?.text, transformer, page.map(String.init),
        ])
    }

    /// The fingerprint of the original that the entry is, or is made from.
    package var sourceFingerprint: KeyFingerprint { KeyFingerprint(parts: [source, scope, nil, nil, nil]) }

    /// A digest of the scope; nil for an unscoped entry.
    package var scopeFingerprint: KeyFingerprint? { scope.map { KeyFingerprint(parts: ["scope", $0]) } }
}

extension EntryKey: Hashable {
    // The string follows from the other parts.
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

/// 128 bits of SHA-256 over the parts of a key, each with its length, so that no two lists of parts run together.
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

    /// From 16 stored bytes; nil for any other number of them.
    package init?(_ data: Data?) {
        guard let words = TwoWords.read(data) else { return nil }
        (high, low) = words
    }

    package var data: Data { TwoWords.data(high, low) }
}

/// Two numbers as 16 bytes, the greater digits first.
enum TwoWords {
    static func data(_ high: UInt64, _ low: UInt64) -> Data {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
    }

    /// Nil for any other number of bytes.
    static func read(_ data: Data?) -> (UInt64, UInt64)? {
        guard let data, data.count == 16 else { return nil }
        func word(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return (word(data.prefix(8)), word(data.suffix(8)))
    }
}
