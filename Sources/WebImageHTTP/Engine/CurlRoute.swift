import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore

/// Enforces a policy's rules for addresses. Each address is checked before curl connects, and the address of a
/// reused connection is checked before the request is sent (``checkConnection``).
extension CurlTransfer {
    /// Whether addresses are checked. With an explicit proxy, addresses are not checked, because the proxy resolves
    /// host names itself.
    var checksAddresses: Bool {
        guard let policy = job.policy, policy.publicAddressesOnly else { return false }
        return job.route.members.proxy?.isEmpty ?? true
    }

    func installAddressChecks(_ easy: CurlEasy) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        webimage_curl_set_opensocket(easy.handle, openCheckedSocket)
        easy.set(CURLOPT_OPENSOCKETDATA, pointer: context)
    }

    /// The reason why curl must not connect to an address; nil if curl may connect. The argument is nil if the address
    /// could not be read; such a connection is always refused.
    func refusal(of address: IPAddress?) -> WebImageError? {
        guard let policy = job.policy else { return nil }
        guard let address else {
            return WebImageError(
                .invalidDownloadOperation, stage: .download, url: url,
                underlying: .message("the address of the connection is not an internet address"))
        }
        return policy.refusal(of: address, url: url)
    }
}

/// Curl's socket callback. It checks the address before curl connects. Curl connects to exactly this address, so a
/// later DNS answer cannot bypass the check.
private func openCheckedSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let bytes = withUnsafeBytes(of: &address.pointee.addr) { Array($0) }
    // An IPv6 address does not fit into `sockaddr`. Curl stores its further bytes directly after `addr` and sets
    // `addrlen` to the whole length.
    let length = Int(address.pointee.addrlen)
    var ip: IPAddress?
    switch address.pointee.family {
    case AF_INET where bytes.count >= 8: ip = IPAddress(bytes: Array(bytes[4..<8]))
    case AF_INET6 where length >= 24:
        let start = UnsafeRawPointer(address) + MemoryLayout<curl_sockaddr>.offset(of: \.addr)!
        ip = IPAddress(bytes: Array(UnsafeRawBufferPointer(start: start + 8, count: 16)))
    default: break
    }
    if let refusal = transfer.refusal(of: ip) {
        transfer.addressRefusal = refusal
        return -1
    }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, type, address.pointee.protocol)
}

/// Curl calls this function before it sends a request. The function checks the connection that curl has chosen.
func checkConnection(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    // Check the address a second time, because a reused connection may have been made under a different policy.
    if transfer.checksAddresses {
        guard let remote else { return CURL_PREREQFUNC_ABORT }
        let address = IPAddress(String(cString: remote))
        transfer.remoteAddress = address?.description
        if let refusal = transfer.refusal(of: address) {
            transfer.refusal = refusal
            return CURL_PREREQFUNC_ABORT
        }
    }
    return transfer.mayUseConnection(localPort: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

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
        /// The path of the Unix socket to connect to; nil for the host of the URL.
        var unixSocket: String?
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
