package import Foundation
package import WebImageCore

/// Restricts the URLs and addresses that a downloader may fetch from. Use a policy in programs that load URLs received
/// from other people.
///
/// The URL of the request and the URL of every redirect are checked. Addresses are checked when a connection is made.
/// An earlier check could be bypassed, because a host name can later resolve to a different address.
public struct DownloadPolicy: Sendable, Hashable {
    /// The allowed URL schemes, in lower case.
    public var allowedSchemes: Set<String> = ["http", "https"]
    /// The allowed hosts; nil allows any host. `.example.org` matches `example.org` and all its subdomains.
    ///
    /// Hosts are compared in canonical spelling. Percent escapes, capital letters, international names, a
    /// trailing dot and different notations of an address make no difference.
    public var allowedHosts: Set<String>? { didSet { allowed = allowedHosts.map(HostPatterns.init) } }
    /// The denied hosts, in the notation of ``allowedHosts``. A host in both sets is denied.
    public var deniedHosts: Set<String> = [] { didSet { denied = HostPatterns(deniedHosts) } }
    /// Whether only addresses of public servers are allowed. Loopback, private, link-local (cloud metadata), multicast
    /// and other special addresses are refused.
    public var publicAddressesOnly = false
    /// Exceptions to ``publicAddressesOnly``: addresses that are allowed although they are not public.
    public var allowedAddresses: [AddressRange] = []
    /// Whether a redirect may lead from https to http.
    public var allowsDowngrade = false
    /// Whether the proxies of the environment (`http_proxy`, …) are used. They are never used if
    /// ``publicAddressesOnly`` is true. An explicitly configured proxy is always used.
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

    /// The reason why a URL must not be fetched; nil if it may be fetched. Checks only the URL's text and makes no DNS
    /// query.
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

    /// The reason why a local file must not be read; nil if it may be read.
    ///
    /// A file may be read only if `file` is in ``allowedSchemes`` and ``publicAddressesOnly`` is false.
    package func refusal(ofFile url: URL) -> WebImageError? {
        if publicAddressesOnly { return refused(url, "a file of this machine is not public") }
        return allowedSchemes.contains("file") ? nil : refused(url, "the scheme file is not allowed")
    }

    /// The reason why a redirect must not be followed; nil if it may be followed.
    package func refusal(ofRedirectFrom source: URL, to target: URL) -> WebImageError? {
        if let refusal = refusal(of: target) { return refusal }
        if !allowsDowngrade, source.scheme?.lowercased() == "https", target.scheme?.lowercased() == "http" {
            return refused(target, "the redirect leads from https to http")
        }
        // A server that redirects could otherwise choose the user name and the password of the next request.
        if publicAddressesOnly, target.user != nil || target.password != nil {
            return refused(target, "the redirect names a user")
        }
        return nil
    }

    /// The reason why the downloader must not connect to an address; nil if it may connect.
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
