import Foundation
import WebImageCore

/// Determines whether two loads can share one download and one cache entry.
public struct LoadIdentity: Sendable, Hashable {
    /// Concurrent loads share one download if they have the same value of this property. If the value is nil, the load
    /// shares its download with no other load. The value is never written to disk, because it can contain secrets.
    public var sharing: String?
    /// The scope of the stored bytes.
    public var cacheScope: CacheScope
    /// Whether ``sharing`` contains everything that decides the bytes, so that other machines of the same user may receive
    /// them. False for cookies of a jar and without certificate checks.
    package var isPortable = true
    /// The place of the URL in ``sharing``, in UTF-8 bytes; nil if the text has none. See ``withoutURL``.
    package var urlPart: Range<Int>?

    /// Creates an identity. A load whose scope is ``CacheScope/unstored`` shares its download with no other load.
    public init(sharing: String?, cacheScope: CacheScope = .shared) {
        self.sharing = cacheScope == .unstored ? nil : sharing
        self.cacheScope = cacheScope
    }

    /// The identity of loads of different URLs that have one cache key, such as URLs with a signature that a key filter
    /// removes. Nil if the loader does not say which part of ``sharing`` is the URL.
    package var withoutURL: LoadIdentity? {
        guard let sharing, let urlPart else { return nil }
        let bytes = Array(sharing.utf8)
        guard urlPart.upperBound <= bytes.count else { return nil }
        var identity = self
        identity.sharing =
            String(decoding: bytes[..<urlPart.lowerBound], as: UTF8.self) + " any "
            + String(decoding: bytes[urlPart.upperBound...], as: UTF8.self)
        identity.urlPart = nil
        return identity
    }
}

extension ImageLoader {
    /// Returns the default identity. Loads share a download if they have the same URL and the same values of the
    /// options that can change the bytes (`.handleCookies` and `.allowInvalidSSLCertificates`). The scope is the
    /// context's `.cacheScope`.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        let options = load.options.intersection([.handleCookies, .allowInvalidSSLCertificates])
        let (start, url) = ("\(options.rawValue) ", load.url.absoluteString)
        var identity = LoadIdentity(sharing: start + url, cacheScope: load.declaredScope ?? .shared)
        identity.urlPart = start.utf8.count..<(start.utf8.count + url.utf8.count)
        return identity
    }

    /// Returns the scope of ``identity(of:)``.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope { identity(of: load).cacheScope }
}

extension ImageDataLoad {
    /// The scope that the context's `.cacheScope` declares; nil if the context declares no scope.
    package var declaredScope: CacheScope? { request.values.cacheScope }
}

/// The result of preparing a load: the identity of the load, and an opaque value that the loader uses to perform the
/// load.
package struct PreparedLoad: Sendable {
    package let identity: LoadIdentity
    /// The loader's value. The loader receives this value in ``ImageDataLoad/prepared``. Nil when the load cannot be
    /// prepared.
    package let value: (any AnyObject & Sendable)?

    package init(identity: LoadIdentity, value: (any AnyObject & Sendable)?) {
        self.identity = identity
        self.value = value
    }
}
