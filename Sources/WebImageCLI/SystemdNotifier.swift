import Foundation
import WebImage

/// Reports the state of the process to systemd (`sd_notify(3)`) if systemd requests it.
enum SystemdNotifier {
    /// Sends one datagram to the socket that `NOTIFY_SOCKET` names. Failures are ignored, as the protocol requires.
    static func notify(_ state: String) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }),
            path.hasPrefix("/") || path.hasPrefix("@")
        else { return }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var bytes = Array(path.utf8.prefix(MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1))
        // An `@` at the start means an abstract socket, whose name starts with a zero byte.
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
        sockaddr_un(path: bytes).withAddress { address, _ in
            _ = sendto(descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), address, length)
        }
    }
}
