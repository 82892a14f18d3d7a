import WebImageCore

/// The connection settings of requests: credentials, certificates, proxy, policy and redirect limit. This is a class,
/// so that most requests of a downloader share one copy.
final class CurlRoute: Sendable, Hashable {
    struct Members: Sendable, Hashable {
        var username: String?
        var password: String?
        /// The provider, region and service of a request that is signed with AWS Signature Version 4, such as
        /// `aws:amz:us-east-1:s3`; nil for other requests. User name and password are then the access key.
        var signature: String?
        var clientCertificate: ClientCertificate?
        /// The path of a PEM file with the certificate authorities to trust, instead of the system's authorities.
        var certificateAuthorityFile: String?
        /// The proxy. Nil uses the proxies of the environment; the empty text uses no proxy.
        var proxy: String?
        /// The rules for URLs and addresses; nil allows all URLs and addresses. Each redirect is checked before it is
        /// followed. Addresses are checked before a byte is sent.
        var policy: DownloadPolicy?
        var maxRedirects = 10
        /// Fixed addresses of hosts, as `host:port:address`. These hosts are not looked up in DNS.
        var resolved: [String] = []
    }

    let members: Members

    init(_ members: Members = Members()) { self.members = members }

    static func == (left: CurlRoute, right: CurlRoute) -> Bool { left === right || left.members == right.members }

    func hash(into hasher: inout Hasher) { hasher.combine(members) }

    /// The same route without user name, password and client certificate.
    var anonymous: CurlRoute {
        var members = members
        (members.username, members.password, members.clientCertificate) = (nil, nil, nil)
        return CurlRoute(members)
    }
}
