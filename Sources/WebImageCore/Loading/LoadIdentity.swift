import Foundation

/// Determines whether two loads may share one download and one cache entry.
public struct LoadIdentity: Sendable, Hashable {
    /// Loads with equal text receive the same bytes; nil is never shared. Kept in memory only, because it may contain
    /// secrets.
    public var sharing: String?
    /// The scope of the stored bytes.
    public var cacheScope: CacheScope

    /// Creates an identity.
    public init(sharing: String?, cacheScope: CacheScope = .shared) {
        self.sharing = sharing
        self.cacheScope = cacheScope
    }
}

extension ImageDataLoader {
    /// The default identity: loads are shared by URL and the options that change the bytes. The scope is the context's
    /// `.cacheScope`.
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
