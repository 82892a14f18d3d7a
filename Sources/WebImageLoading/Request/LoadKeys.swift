import Foundation
package import WebImageCore

/// The cache keys of a load, and the values from which they are made.
package struct LoadKeys: Sendable {
    /// The key of the URL without a scope; nil if the key filter returned nil.
    let base: String?
    let scope: CacheScope
    let thumbnail: Thumbnail?
    let transformer: (any ImageTransformer)?
    /// The prepared load, if the loader prepared the load to determine the scope; otherwise nil.
    let prepared: PreparedLoad?
    /// The key of the full-size, untransformed image. Nil if the key filter returned nil or the scope is
    /// ``CacheScope/unstored``. In these cases every lookup is a miss and nothing is stored.
    var original: EntryKey?
    /// The key of the requested image. It includes the thumbnail size and the transformer. If the request has
    /// neither, it is equal to `original`.
    package var variant: EntryKey?

    /// Creates the keys of a load. In the variant's key, the thumbnail suffix comes before the transformer suffix.
    init(
        base: String?, scope: CacheScope, thumbnail: Thumbnail?, transformer: (any ImageTransformer)?,
        prepared: PreparedLoad? = nil, file: FileState? = nil
    ) {
        self.base = base
        self.scope = scope
        self.thumbnail = thumbnail
        self.transformer = transformer
        self.prepared = prepared
        guard let base, let string = scope.key(base) else { return }
        let name: String? = if case .scoped(let name) = scope { name } else { nil }
        original = EntryKey(source: base, scope: name, string: string)
        original?.file = file
        defer { variant?.file = file }
        guard thumbnail != nil || transformer != nil else {
            variant = original
            return
        }
        if name == nil, transformer == nil, let thumbnail {
            variant = Self.thumbnail(thumbnail, of: base)
            return
        }
        let suffix = transformer?.transformerKey
        variant = scope.key(Self.key(base, thumbnail: thumbnail, suffix: suffix)).map {
            EntryKey(source: base, scope: name, thumbnail: thumbnail?.keyBox, transformer: suffix, string: $0)
        }
    }

    /// The box in pixels into which a thumbnail is decoded. The box comes from the context or from the decode options.
    struct Thumbnail: Sendable {
        var box: CGSize
        var preservesAspectRatio: Bool

        var keyBox: EntryKey.Box { EntryKey.Box(box, preservesAspectRatio: preservesAspectRatio) }
    }

    /// Returns the key of a thumbnail whose original has no scope. Recent keys are reused. Therefore no string is built
    /// when a list row is bound again.
    static func thumbnail(_ thumbnail: Thumbnail, of source: String) -> EntryKey {
        let box = thumbnail.keyBox
        let hash = source.hashValue ^ box.hashBits
        if let known = recentThumbnails.withLock({ $0.key(source, box, hash: hash) }) { return known }
        let new = EntryKey(
            source: source, thumbnail: box, string: key(source, thumbnail: thumbnail, suffix: nil))
        let old = recentThumbnails.withLock { $0.insert(new, hash: hash) }
        withExtendedLifetime(old) {}
        return new
    }

    private static let recentThumbnails = Locked(RecentThumbnailKeys())

    static func key(_ key: String, thumbnail: Thumbnail?, suffix: String?) -> String {
        var key = key
        if let thumbnail {
            key = CacheKey.thumbnail(
                key, box: thumbnail.box, preserveAspectRatio: thumbnail.preservesAspectRatio)
        }
        if let suffix { key = CacheKey.transformed(key, suffix: suffix) }
        return key
    }

    /// Returns the key of a URL without a scope; nil if the filter returns nil.
    static func base(_ url: URL, filter: (any WebImageCacheKeyFilterProtocol)?) -> String? {
        guard let filter else { return url.absoluteString }
        return filter.cacheKey(for: url)
    }
}

/// A table of recent thumbnail keys. The hash of a key selects a position in the table. A new key replaces the previous
/// key at its position.
///
/// The table stores at most 512 keys. Keys of URLs longer than 1,024 bytes are not stored, so that long `data:` URLs do
/// not occupy memory.
struct RecentThumbnailKeys {
    private static let placeCount = 512
    private static let longestSource = 1024

    private var places: ContiguousArray<EntryKey?> = []

    /// Returns the key of a thumbnail; nil if the table does not contain the key.
    func key(_ source: String, _ box: EntryKey.Box, hash: Int) -> EntryKey? {
        guard !places.isEmpty, let known = places[hash & (Self.placeCount - 1)], known.thumbnail == box,
            known.source == source
        else { return nil }
        return known
    }

    /// Stores a key. Returns the key that was at the same position before; the caller can then release the returned key
    /// outside the lock.
    mutating func insert(_ key: EntryKey, hash: Int) -> EntryKey? {
        guard key.source.utf8.count <= Self.longestSource else { return nil }
        if places.isEmpty { places = ContiguousArray(repeating: nil, count: Self.placeCount) }
        let place = hash & (Self.placeCount - 1)
        defer { places[place] = key }
        return places[place]
    }
}

/// The scope of a stored body. The scope determines which loads find the body in a cache.
public enum CacheScope: Sendable, Hashable {
    /// All loads of the URL find the body.
    case shared
    /// Only loads with the same scope find the body. The associated text names the scope. A keyed hash of this text is
    /// part of the cache key.
    case scoped(String)
    /// No load finds the body. The body is not stored, and loads do not look it up.
    case unstored

    /// Returns the cache key in this scope; nil for ``unstored``. `key` is the key of the URL without a scope.
    public func key(_ key: String) -> String? {
        switch self {
        case .shared: key
        case .scoped(let scope): "\(key)#scope=\(Self.keyedHash(scope))"
        case .unstored: nil
        }
    }

    /// Returns the hash of a scope for use in cache keys. The hash does not reveal the scope. The hash depends on this
    /// machine, so that the author of a URL cannot guess it. Otherwise the author could write a URL that is equal to
    /// the key of a scoped entry.
    private static func keyedHash(_ scope: String) -> String {
        let known = lastHash.withLock { $0 }
        if let known, known.scope == scope { return known.hash }
        let hash = MachineKey.hash(["scope", scope])
        lastHash.withLock { $0 = (scope, hash) }
        return hash
    }

    /// The last computed hash. The next load usually needs the same hash, because consecutive loads usually have the
    /// same scope.
    private static let lastHash = Locked<(scope: String, hash: String)?>(nil)
}

extension FileOwner {
    /// The owner of the bodies of a scope.
    package init(_ scope: CacheScope) {
        switch scope {
        case .shared: self = .shared
        case .scoped(let scope): self = .scoped(scope)
        case .unstored: self = .unknown
        }
    }
}
