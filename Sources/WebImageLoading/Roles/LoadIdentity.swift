import Foundation
import WebImageCore

/// Determines whether two loads can share one download and one cache entry.
public struct LoadIdentity: Sendable, Hashable {
    /// Concurrent loads share one download if they have the same value of this property. If the value is nil, the load
    /// shares its download with no other load. The value is never written to disk, because it can contain secrets.
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
    /// Returns the default identity. Loads share a download if they have the same URL and the same values of the
    /// options that can change the bytes (`.handleCookies` and `.allowInvalidSSLCertificates`). The scope is the
    /// context's `.cacheScope`.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        let options = load.options.intersection([.handleCookies, .allowInvalidSSLCertificates])
        return LoadIdentity(
            sharing: "\(options.rawValue) \(load.url.absoluteString)", cacheScope: load.declaredScope ?? .shared)
    }

    /// Returns the scope of ``identity(of:)``.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { identity(of: load).cacheScope }
}

extension ImageDataLoad {
    /// The scope that the context's `.cacheScope` declares; nil if the context declares no scope.
    package var declaredScope: CacheScope? { request.values.cacheScope }
}
