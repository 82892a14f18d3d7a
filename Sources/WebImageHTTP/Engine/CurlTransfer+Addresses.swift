import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore

/// Enforces a policy's rules for addresses. Each address is checked before curl connects, and the address of a
/// reused connection is checked before the request is sent.
extension CurlTransfer {
    /// Whether addresses are checked. With an explicit proxy, addresses are not checked, because the proxy resolves
    /// host names itself.
    var checksAddresses: Bool {
        guard let policy = order.policy, policy.publicAddressesOnly else { return false }
        return order.route.members.proxy?.isEmpty ?? true
    }

    func installAddressChecks(_ easy: CurlEasy) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        webimage_curl_set_opensocket(easy.handle, openCheckedSocket)
        easy.set(CURLOPT_OPENSOCKETDATA, pointer: context)
        webimage_curl_set_prereq(easy.handle, checkConnection)
        easy.set(CURLOPT_PREREQDATA, pointer: context)
    }

    /// The reason why curl must not connect to an address; nil if curl may connect. The argument is nil if the address
    /// could not be read; such a connection is always refused.
    func refusal(of address: IPAddress?) -> WebImageError? {
        guard let policy = order.policy else { return nil }
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

/// Curl calls this function before it sends a request. The function checks the address of the connection a second time,
/// because a reused connection may have been made under a different policy.
private func checkConnection(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    guard let refusal = transfer.refusal(of: IPAddress(String(cString: remote))) else { return CURL_PREREQFUNC_OK }
    transfer.refusal = refusal
    return CURL_PREREQFUNC_ABORT
}
