import WebImageHTTP

/// Finds the address of a client behind proxies.
///
/// Each proxy appends the address of its own client to `X-Forwarded-For`. The entries are therefore read from the last
/// to the first. An entry is used only if a trusted proxy wrote it, because an untrusted sender can invent entries.
enum ForwardedClient {
    /// - Parameters:
    ///   - peer: The address of the connection; nil for a Unix socket, whose client is always trusted.
    ///   - field: The values of `X-Forwarded-For`, joined by commas.
    static func address(peer: IPAddress?, field: String?, trusted: [AddressRange]) -> IPAddress? {
        var current = peer
        guard let field else { return current }
        for entry in field.split(separator: ",").reversed() {
            if let current, !trusted.contains(where: { $0.contains(current) }) { return current }
            guard let address = address(entry) else { return current }
            current = address
        }
        return current
    }

    /// Parses `192.0.2.1`, `192.0.2.1:1234`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:1234`.
    private static func address(_ entry: Substring) -> IPAddress? {
        var text = entry.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        guard text.utf8.count <= 64 else { return nil }
        if let address = IPAddress(String(text)) { return address.withoutMapping }
        guard let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil else { return nil }
        let host = text[..<colon]
        guard host.hasPrefix("[") || !host.contains(":") else { return nil }
        return IPAddress(String(host))?.withoutMapping
    }
}
