// This import supplies the declarations of <sys/socket.h>. In some builds, this C module is the first to include the
// header, and Swift then finds the declarations only through this module.
import CWebImageHTTPShim
import Foundation
import WebImageHTTP

/// The content of a `sockaddr`: an address with a port, or a Unix socket.
struct SocketAddress {
    var address: IPAddress?
    var port: UInt16 = 0
    var isLocal = false

    /// Returns the address to which a socket is bound; nil if the address cannot be read.
    static func bound(_ descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }

    /// Reads the content of a `sockaddr_storage`. Converts the IPv4-mapped address of an IPv6 socket to IPv4.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_UNIX: isLocal = true
        case AF_INET:
            let (bytes, port) = withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    (withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }, pointer.pointee.sin_port)
                }
            }
            address = IPAddress(bytes: bytes)
            self.port = UInt16(bigEndian: port)
        case AF_INET6:
            let (bytes, port) = withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    (withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }, pointer.pointee.sin6_port)
                }
            }
            address = IPAddress(bytes: bytes)?.withoutMapping
            self.port = UInt16(bigEndian: port)
        default: return nil
        }
    }
}

extension IPAddress {
    /// The IPv4 address if this is an IPv4-mapped IPv6 address (`::ffff:a.b.c.d`), otherwise the same address.
    var withoutMapping: IPAddress {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else {
            return self
        }
        return IPAddress(bytes: Array(bytes[12...])) ?? self
    }

    /// The bytes that identify a client: a whole IPv4 address, or the first 64 bits of an IPv6 address, because one
    /// client usually owns all 2^64 addresses of such a network.
    var clientKey: [UInt8] { bytes.count == 16 ? Array(bytes[..<8]) : bytes }
}
