import Foundation
package import WebImageCore
import WebImageHTTP

extension ValkeyConnection.Configuration {
    /// Reads the address of a server.
    ///
    /// `valkey://[user[:password]@]host[:port][/database]`, with encryption `valkeys://`; `redis://` and `rediss://` mean
    /// the same. `unix:///path/to/socket` connects to a Unix socket. The default port is 6379.
    ///
    /// - Throws: `.invalidURL` with a hint that does not contain the password.
    package init(url text: String) throws(WebImageError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            throw Self.malformed("This is no URL.")
        }
        if scheme == "unix" {
            guard parts.host ?? "" == "", parts.path.hasPrefix("/"), parts.path.utf8.count < 108 else {
                throw Self.malformed("Write unix:///path/to/socket, at most 107 bytes.")
            }
            self.init(.init(.unix(path: parts.path)))
        } else {
            let isEncrypted: Bool
            switch scheme {
            case "valkey", "redis": isEncrypted = false
            case "valkeys", "rediss": isEncrypted = true
            default: throw Self.malformed("The scheme must be valkey, valkeys, redis, rediss or unix.")
            }
            // `URLComponents` keeps the brackets of an IPv6 address.
            let host = (parts.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            guard !host.isEmpty else { throw Self.malformed("The host is missing.") }
            let port = parts.port ?? 6379
            guard (1...65535).contains(port) else { throw Self.malformed("The port must be between 1 and 65535.") }
            var destination = DialledConnection.Destination(.host(host, port: port))
            if isEncrypted { destination.encryption = .init() }
            self.init(destination)
            let path = parts.path.split(separator: "/", omittingEmptySubsequences: true)
            if let name = path.first {
                guard path.count == 1, let number = Int(name), (0...65535).contains(number) else {
                    throw Self.malformed("The path must be the number of a database.")
                }
                database = number
            }
        }
        password = parts.password
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        guard user == nil || password != nil else { throw Self.malformed("A user requires a password.") }
    }

    private static func malformed(_ hint: String) -> WebImageError {
        WebImageError(
            .invalidURL, stage: .request, underlying: .message("not the address of a Valkey server"), hint: hint)
    }
}
