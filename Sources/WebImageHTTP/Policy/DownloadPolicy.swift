package import Foundation
package import WebImageCore

/// Rules for the URLs and addresses that a downloader may fetch from, for programs that load URLs from others.
///
/// URLs are checked for the request and for every redirect. Addresses are checked when a connection is made, so that a
/// name that later resolves to another address does not bypass the policy.
public struct DownloadPolicy: Sendable, Hashable {
    /// Schemes that may be fetched.
    public var allowedSchemes: Set<String> = ["http", "https"]
    /// Hosts that may be fetched from; `.example.org` matches this host and every host below it. Nil allows any host.
    ///
    /// Hosts are compared in their canonical spelling: escapes, capital letters, international names, a trailing dot
    /// and other notations of an address make no difference.
    public var allowedHosts: Set<String>? { didSet { allowed = allowedHosts.map(HostPatterns.init) } }
    /// Hosts that may not be fetched from, in the same notation.
    public var deniedHosts: Set<String> = [] { didSet { denied = HostPatterns(deniedHosts) } }
    /// Whether addresses must be those of public servers: no loopback, private, link-local (cloud metadata), multicast …
    public var publicAddressesOnly = false
    /// Addresses that are allowed although not public.
    public var allowedAddresses: [AddressRange] = []
    /// Whether a redirect may lead from https to http.
    public var allowsDowngrade = false
    /// Whether the proxies of the environment (`http_proxy`, …) are used. An explicit proxy always is.
    public var usesEnvironmentProxies = true

    private var allowed: HostPatterns?
    private var denied = HostPatterns([])

    /// Allows every host over http and https, but no redirect from https to http.
    public init() {}

    /// A policy for servers: only public addresses, no proxies from the environment, no redirect from https to http.
    public static let server: DownloadPolicy = {
        var policy = DownloadPolicy()
        policy.publicAddressesOnly = true
        policy.usesEnvironmentProxies = false
        return policy
    }()

    /// The reason why a URL may not be fetched, judged by its text alone; nil when it may.
    package func refusal(of url: URL) -> WebImageError? {
        let scheme = url.scheme?.lowercased() ?? ""
        guard allowedSchemes.contains(scheme) else { return refused(url, "the scheme \(scheme) is not allowed") }
        guard let host = CanonicalHost(of: url) else { return refused(url, "the URL has no host") }
        if let allowed, !allowed.contains(host) {
            return refused(url, "the host \(host.text) is not among those allowed")
        }
        if denied.contains(host) { return refused(url, "the host \(host.text) is denied") }
        if let address = host.address { return refusal(of: address, url: url) }
        return nil
    }

    /// The reason why a local file may not be read; nil when it may.
    ///
    /// `file` must be an allowed scheme. A policy that allows only public addresses allows no file.
    package func refusal(ofFile url: URL) -> WebImageError? {
        if publicAddressesOnly { return refused(url, "a file of this machine is not public") }
        return allowedSchemes.contains("file") ? nil : refused(url, "the scheme file is not allowed")
    }

    /// The reason why a redirect may not be followed; nil when it may.
    package func refusal(ofRedirectFrom source: URL, to target: URL) -> WebImageError? {
        if let refusal = refusal(of: target) { return refusal }
        if !allowsDowngrade, source.scheme?.lowercased() == "https", target.scheme?.lowercased() == "http" {
            return refused(target, "the redirect leads from https to http")
        }
        return nil
    }

    /// The reason why an address may not be connected to; nil when it may.
    package func refusal(of address: IPAddress, url: URL) -> WebImageError? {
        guard publicAddressesOnly, !allowedAddresses.contains(where: { $0.contains(address) }),
            let use = address.specialUse
        else { return nil }
        return refused(url, "the address \(address) is not public (\(use))")
    }

    private func refused(_ url: URL, _ reason: String) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .download, url: url, underlying: .message(reason),
            hint: "The downloader's policy decides what may be fetched.")
    }
}
