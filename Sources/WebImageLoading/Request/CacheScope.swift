import Foundation
import WebImageCore

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
