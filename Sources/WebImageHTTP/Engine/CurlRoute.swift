import WebImageCore

/// How requests get to their servers and what shows who sends them: the same for most requests of a downloader, and so
/// a reference that they share.
final class CurlRoute: Sendable, Hashable {
    struct Members: Sendable, Hashable {
        var username: String?
        var password: String?
        var clientCertificate: ClientCertificate?
        /// PEM file of the authorities to trust instead of the system's.
        var certificateAuthorityFile: String?
        /// Nil is the environment's proxies, the empty text none.
        var proxy: String?
        /// With a policy redirects are not followed by curl, and every address is checked before a byte is sent.
        var policy: DownloadPolicy?
        var maxRedirects = 10
        /// Answers of the name service known beforehand, as `host:port:address`.
        var resolved: [String] = []
    }

    let members: Members

    init(_ members: Members = Members()) { self.members = members }

    static func == (left: CurlRoute, right: CurlRoute) -> Bool { left === right || left.members == right.members }

    func hash(into hasher: inout Hasher) { hasher.combine(members) }

    /// The same without what shows who sends.
    var anonymous: CurlRoute {
        var members = members
        (members.username, members.password, members.clientCertificate) = (nil, nil, nil)
        return CurlRoute(members)
    }
}
