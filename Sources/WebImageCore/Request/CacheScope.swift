import Foundation

/// The scope of a stored body. It decides which loads find the body in a cache.
public enum CacheScope: Sendable, Hashable {
    /// All loads of the URL find the body.
    case shared
    /// Only loads with the same scope find the body. A keyed hash of the text is part of the cache key.
    case scoped(String)
    /// No load finds the body: it is neither looked up nor stored.
    case unstored

    /// Returns the cache key for a URL's key in this scope; nil for ``unstored``.
    public func key(_ key: String) -> String? {
        switch self {
        case .shared: key
        case .scoped(let scope): "\(key)#scope=\(Self.keyedHash(scope))"
        case .unstored: nil
        }
    }

    /// Returns the hash of a scope for use in cache keys. The hash does not reveal the scope, and the author of a URL
    /// cannot guess it.
    private static func keyedHash(_ scope: String) -> String {
        let known = lastHash.withLock { $0 }
        if let known, known.scope == scope { return known.hash }
        let hash = SHA256.shortName(of: [machine, "scope", scope].map { "\($0.utf8.count):\($0)" }.joined())
        lastHash.withLock { $0 = (scope, hash) }
        return hash
    }

    /// The last computed hash. It is usually needed again, because consecutive loads usually have the same scope.
    private static let lastHash = Locked<(scope: String, hash: String)?>(nil)
    /// The key of the hash. It is equal in all processes of this user on this machine, so that each process finds the
    /// entries of the other processes.
    private static let machine =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"
}
