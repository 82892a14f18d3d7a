import Foundation

extension NginxServer {
    /// Returns free ports. Another program could bind a port before nginx does; nginx then reports an error.
    package static func freePorts(_ count: Int) throws(NginxError) -> [Int] {
        let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets where socket >= 0 { close(socket) } }
        let ports = sockets.compactMap { socket -> Int? in
            withLoopback(port: 0) { address, length in
                var length = length
                guard bind(socket, address, length) == 0, getsockname(socket, address, &length) == 0 else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
        guard ports.count == count else { throw NginxError("no free port") }
        return ports
    }

    /// Whether a program accepts connections at a port of this machine.
    package static func accepts(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withLoopback(port: port) { connect(descriptor, $0, $1) == 0 }
    }

    private static func withLoopback<Result>(
        port: Int, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
