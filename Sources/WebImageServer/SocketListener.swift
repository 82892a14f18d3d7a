// This import supplies the declarations of <sys/socket.h>. In some builds, this C module is the first to include the
// header, and Swift then finds the declarations only through this module.
import CWebImageHTTPShim
import Foundation
import WebImageCore
import WebImageHTTP

/// A listening socket. ``close()`` closes the socket and removes the file of a Unix socket.
struct SocketListener: Sendable {
    let descriptor: Int32
    /// The address. For port 0, it contains the port that the system chose.
    let address: ListenAddress
    /// Whether the parent process opened the socket and keeps it open.
    let isInherited: Bool
    private var file: (device: dev_t, inode: ino_t)?

    init(_ address: ListenAddress, mode: UInt32) throws(HTTPServerError) {
        if case .inherited = address { isInherited = true } else { isInherited = false }
        switch address {
        case .network(let host, let port):
            guard let bytes = IPAddress(host)?.bytes else {
                throw HTTPServerError("cannot listen on \(address): not a numeric address")
            }
            descriptor = try Self.network(bytes, port, onlyIPv6: true, address)
        case .everywhere(let port):
            descriptor = try Self.network([UInt8](repeating: 0, count: 16), port, onlyIPv6: false, address)
        case .local(let path):
            descriptor = try Self.local(path, mode, address)
            var status = stat()
            if lstat(path, &status) == 0 { file = (status.st_dev, status.st_ino) }
        case .inherited(let inherited, _):
            try Self.check(inherited, address)
            descriptor = inherited
        }
        self.address = Self.resolved(address, descriptor)
    }

    /// Closes the socket. Another process that shares the socket (socket activation) continues to listen.
    func close() {
        if case .local(let path) = address, let file {
            var status = stat()
            // Remove the file only if this server created it. Another process may have created a new socket at the
            // path.
            if lstat(path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode { unlink(path) }
        }
        Foundation.close(descriptor)
    }

    private static func resolved(_ address: ListenAddress, _ descriptor: Int32) -> ListenAddress {
        guard let bound = SocketAddress.bound(descriptor), let actual = bound.address else { return address }
        return switch address {
        case .network(let host, _): .network(host: host, port: bound.port)
        case .everywhere: .everywhere(port: bound.port)
        case .inherited: .network(host: actual.description, port: bound.port)
        case .local: address
        }
    }

    private static func failure(_ address: ListenAddress, _ number: Int32 = errno) -> HTTPServerError {
        HTTPServerError("cannot listen on \(address): \(String(cString: strerror(number)))")
    }

    private static func network(
        _ bytes: [UInt8], _ port: UInt16, onlyIPv6: Bool, _ address: ListenAddress
    ) throws(HTTPServerError) -> Int32 {
        let isSix = bytes.count == 16
        let descriptor = try open(isSix ? AF_INET6 : AF_INET, address)
        var on: Int32 = 1
        var only: Int32 = onlyIPv6 ? 1 : 0
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        let result: Int32
        if isSix {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, size)
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: bytes) }
            result = bind(descriptor, six)
        } else {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: bytes) }
            result = bind(descriptor, four)
        }
        guard result == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let error = failure(address)
            Foundation.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func local(
        _ path: String, _ mode: UInt32, _ address: ListenAddress
    ) throws(HTTPServerError) -> Int32 {
        let name = sockaddr_un(path: path.utf8)
        try removeStale(path, name, address)
        let descriptor = try open(AF_UNIX, address)
        // Set the permissions before `listen`, because no process can connect before `listen`.
        let isBound = bind(descriptor, name) == 0
        guard isBound, chmod(path, mode_t(mode)) == 0, listen(descriptor, SOMAXCONN) == 0 else {
            let error = failure(address)
            if isBound { unlink(path) }
            Foundation.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Removes the socket file of a process that has ended. Throws if the socket is in use, or if the file at the path
    /// is not a socket.
    private static func removeStale(
        _ path: String, _ name: sockaddr_un, _ address: ListenAddress
    ) throws(HTTPServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw HTTPServerError("cannot listen on \(address): the file exists and is not a socket")
        }
        let probe = try open(AF_UNIX, address)
        defer { Foundation.close(probe) }
        let result = name.withAddress { connect(probe, $0, $1) }
        guard result != 0, errno == ECONNREFUSED else { throw failure(address, EADDRINUSE) }
        unlink(path)
    }

    private static func check(_ descriptor: Int32, _ address: ListenAddress) throws(HTTPServerError) {
        var isListening: Int32 = 0
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
            getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0, isListening != 0,
            type == Int32(SOCK_STREAM.rawValue)
        else { throw HTTPServerError("cannot listen on \(address): it is not a listening stream socket") }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func open(_ family: Int32, _ address: ListenAddress) throws(HTTPServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw failure(address) }
        return descriptor
    }

    private static func bind<Name>(_ descriptor: Int32, _ name: Name) -> Int32 {
        withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }

}
