import WebImageCore

/// How requests reach their servers, and the credentials of the sender. A class, because most requests of a downloader
/// share one route.
final class CurlRoute: Sendable, Hashable {
    struct Members: Sendable, Hashable {
        var username: String?
        var password: String?
        var clientCertificate: ClientCertificate?
        /// PEM file of the authorities to trust instead of the system's.
        var certificateAuthorityFile: String?
        /// Nil uses the environment's proxies, the empty text none.
        var proxy: String?
        /// With a policy, curl does not follow redirects, and every address is checked before a byte is sent.
        var policy: DownloadPolicy?
        var maxRedirects = 10
        /// Name service answers that are known in advance, as `host:port:address`.
        var resolved: [String] = []
    }

    let members: Members

    init(_ members: Members = Members()) { self.members = members }

    static func == (left: CurlRoute, right: CurlRoute) -> Bool { left === right || left.members == right.members }

    func hash(into hasher: inout Hasher) { hasher.combine(members) }

    /// The same route without the sender's credentials.
    var anonymous: CurlRoute {
        var members = members
        (members.username, members.password, members.clientCertificate) = (nil, nil, nil)
        return CurlRoute(members)
    }
}
