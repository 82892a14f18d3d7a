import Foundation
import WebImageHTTP

/// An address at which a server accepts connections.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A numeric address and a port; port 0 selects a free port. `::` accepts only IPv6.
    case network(host: String, port: UInt16)
    /// Every IPv4 and IPv6 address of the machine.
    case everywhere(port: UInt16)
    /// A Unix socket at a path.
    case local(path: String)
    /// A listening socket that the parent process opened (socket activation), with its name if it has one.
    case inherited(descriptor: Int32, name: String?)

    /// Parses `ADDRESS:PORT`, `[ADDRESS]:PORT`, `localhost:PORT` (127.0.0.1), `*:PORT` (all addresses) or `unix:PATH`.
    public init(_ text: String) throws(HTTPServerError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count < Self.longestPath, !path.utf8.contains(0) else {
                throw HTTPServerError(
                    "listen address '\(text)' needs a path of 1 to \(Self.longestPath - 1) bytes after unix:")
            }
            self = .local(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw HTTPServerError("listen address '\(text)' is not ADDRESS:PORT or unix:PATH")
        }
        let host = String(text[..<colon])
        switch host {
        case "*", "": self = .everywhere(port: port)
        case "localhost": self = .network(host: "127.0.0.1", port: port)
        default:
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            guard let address = IPAddress(host), (address.bytes.count == 16) == isBracketed else {
                throw HTTPServerError(
                    "listen address '\(text)' has no numeric address; write an IPv6 address in brackets")
            }
            self = .network(host: address.description, port: port)
        }
    }

    /// The address in the form that ``init(_:)`` parses. For an inherited socket, the text is `fd:NUMBER`, and
    /// ``init(_:)`` rejects this text.
    public var description: String {
        switch self {
        case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .everywhere(let port): "*:\(port)"
        case .local(let path): "unix:\(path)"
        case .inherited(let descriptor, _): "fd:\(descriptor)"
        }
    }

    /// Throws if one of the other addresses leaves no place for a socket with this address.
    package func check(beside others: [ListenAddress]) throws(HTTPServerError) {
        guard let other = others.first(where: excludes) else { return }
        throw HTTPServerError("\(other) and \(self) cannot both be listening addresses; change one of them")
    }

    /// Whether no two sockets can listen on both addresses at the same time.
    private func excludes(_ other: ListenAddress) -> Bool {
        switch (self, other) {
        case (.network(let host, let port), .network(let otherHost, let otherPort)):
            guard port == otherPort, port != 0 else { return false }
            if host == otherHost { return true }
            return host.contains(":") == otherHost.contains(":")
                && [host, otherHost].contains { $0 == "0.0.0.0" || $0 == "::" }
        case (.network(_, let port), .everywhere(let otherPort)), (.everywhere(let port), .network(_, let otherPort)),
            (.everywhere(let port), .everywhere(let otherPort)):
            return port == otherPort && port != 0
        case (.local(let path), .local(let otherPath)):
            return URL(fileURLWithPath: path).standardizedFileURL == URL(fileURLWithPath: otherPath).standardizedFileURL
        default: return false
        }
    }

    /// Whether only processes on this machine can connect.
    public var isLoopback: Bool {
        switch self {
        case .network(let host, _):
            guard let bytes = IPAddress(host)?.bytes else { return false }
            return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
        case .everywhere: return false
        case .local: return true
        case .inherited(let descriptor, _):
            guard let bound = SocketAddress.bound(descriptor) else { return false }
            return bound.isLocal
                || bound.address.map { Self.network(host: $0.description, port: 0).isLoopback } ?? false
        }
    }

    /// Returns the sockets that systemd passed to this process; empty if there are none.
    ///
    /// Call this function once, before the process starts a child process. The function sets close-on-exec on the
    /// descriptors and removes the environment variables (`sd_listen_fds(3)`). Therefore a child process does not use
    /// the sockets.
    public static func inherited() -> [ListenAddress] {
        let environment = ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...1_000).contains(count)
        else { return [] }
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        return (0..<count).map { index in
            let descriptor = 3 + index
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return .inherited(
                descriptor: descriptor, name: names.indices.contains(Int(index)) ? String(names[Int(index)]) : nil)
        }
    }

    /// `sizeof(sockaddr_un.sun_path)` on Linux, in bytes.
    static let longestPath = 108
}
