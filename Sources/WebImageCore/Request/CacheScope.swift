import Foundation

/// The scope of a stored body: which loads may find it.
public enum CacheScope: Sendable, Hashable {
    /// All loads of the URL.
    case shared
    /// Only loads with the same scope; a keyed hash of the text is part of the cache key.
    case scoped(String)
    /// No load: the body is neither looked up nor stored.
    case unstored

    /// Returns the cache key of a URL's key in this scope; nil when nothing is stored.
    public func key(_ key: String) -> String? {
        switch self {
        case .shared: key
        case .scoped(let scope): "\(key)#scope=\(Self.keyedHash(scope))"
        case .unstored: nil
        }
    }

    /// Returns the scope's hash for key strings. The author of a URL cannot guess it, and it does not reveal the scope.
    private static func keyedHash(_ scope: String) -> String {
        let known = lastHash.withLock { $0 }
        if let known, known.scope == scope { return known.hash }
        let hash = SHA256.shortName(of: [machine, "scope", scope].map { "\($0.utf8.count):\($0)" }.joined())
        lastHash.withLock { $0 = (scope, hash) }
        return hash
    }

    /// The last result: consecutive loads usually have the same scope.
    private static let lastHash = Locked<(scope: String, hash: String)?>(nil)
    /// Equal in all processes of this user on this machine, so that each finds entries of the others.
    private static let machine =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"
}
