import Foundation

/// Who may find a stored body again.
public enum CacheScope: Sendable, Hashable {
    /// Everybody who asks for the URL.
    case shared
    /// Those alone whose loads have the same scope; a keyed hash of the text is part of the cache key.
    case scoped(String)
    /// Nobody: it is neither looked up nor stored.
    case unstored

    /// The cache key of a URL's key in this scope; nil where nothing is stored.
    public func key(_ key: String) -> String? {
        switch self {
        case .shared: key
        case .scoped(let scope): "\(key)#scope=\(Self.keyedHash(scope))"
        case .unstored: nil
        }
    }

    /// A scope's name in key strings: no URL's author can make it up, and no key string tells the scope.
    private static func keyedHash(_ scope: String) -> String {
        let known = lastHash.withLock { $0 }
        if let known, known.scope == scope { return known.hash }
        let hash = SHA256.shortName(of: [machine, "scope", scope].map { "\($0.utf8.count):\($0)" }.joined())
        lastHash.withLock { $0 = (scope, hash) }
        return hash
    }

    /// The last one made: the loads of one user follow each other.
    private static let lastHash = Locked<(scope: String, hash: String)?>(nil)
    /// The same in every process of this user on this machine, so that each finds what another stored.
    private static let machine =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"
}
