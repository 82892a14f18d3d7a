import Foundation

/// What decides whether two loads may share one download and one cache entry.
public struct LoadIdentity: Sendable, Hashable {
    /// Loads with equal texts get the same bytes; nil is shared with nobody. Held in memory alone: it may hold secrets.
    public var sharing: String?
    /// Who may find the stored bytes again.
    public var cacheScope: CacheScope

    /// Makes an identity.
    public init(sharing: String?, cacheScope: CacheScope = .shared) {
        self.sharing = sharing
        self.cacheScope = cacheScope
    }
}

extension ImageDataLoader {
    /// Shared by URL and by the options that change bytes; scoped by the context's `.cacheScope`.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        let options = load.options.intersection([.handleCookies, .allowInvalidSSLCertificates])
        return LoadIdentity(
            sharing: "\(options.rawValue) \(load.url.absoluteString)", cacheScope: load.declaredScope ?? .shared)
    }

    /// The scope of ``identity(of:)``.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { identity(of: load).cacheScope }
}

extension ImageDataLoad {
    /// The context's `.cacheScope`, as a scope.
    package var declaredScope: CacheScope? { requestContext.cacheScope }
}
