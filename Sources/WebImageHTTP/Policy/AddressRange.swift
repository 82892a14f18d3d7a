/// A range of addresses in CIDR notation, such as `10.0.0.0/8` or `fc00::/7`.
public struct AddressRange: Sendable, Hashable {
    private let base: IPAddress
    private let prefixLength: Int

    /// Parses a range or a single address; nil if the text is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let base = IPAddress(String(parts[0])), parts.count <= 2 else { return nil }
        let bits = base.bytes.count * 8
        let length = parts.count == 2 ? Int(parts[1]) : bits
        guard let length, (0...bits).contains(length) else { return nil }
        self.base = base
        prefixLength = length
    }

    /// Parses a range that this library defines. An invalid text is a programming error and stops the program.
    private init(known text: String) {
        guard let range = AddressRange(text) else { preconditionFailure("\(text) is not an address range") }
        self = range
    }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        for (index, (left, right)) in zip(address.bytes, base.bytes).enumerated() {
            let bits = min(max(prefixLength - index * 8, 0), 8)
            let mask = bits == 0 ? 0 : UInt8(truncatingIfNeeded: 0xFF << (8 - bits))
            if left & mask != right & mask { return false }
        }
        return true
    }

    static let nat64 = AddressRange(known: "64:ff9b::/96")
    static let localNAT64 = AddressRange(known: "64:ff9b:1::/48")
    static let sixToFour = AddressRange(known: "2002::/16")
    static let teredo = AddressRange(known: "2001::/32")

    /// The ranges of addresses that no public server has, and the use of each range. The ranges come from the
    /// registries of special-purpose addresses (RFC 6890 and its successors).
    static let special: [(AddressRange, String)] = [
        ("0.0.0.0/8", "unspecified"), ("10.0.0.0/8", "private"), ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"), ("169.254.0.0/16", "link-local"), ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"), ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"), ("192.168.0.0/16", "private"), ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"), ("203.0.113.0/24", "documentation"), ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"), ("::1/128", "loopback"), ("::/96", "v4-compatible"),
        ("::ffff:0:0/96", "v4-mapped"), ("::ffff:0:0:0/96", "v4-translated"), ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "local NAT64"), ("100::/64", "discard-only"), ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"), ("2002::/16", "6to4"), ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"), ("fc00::/7", "unique local"), ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"), ("ff00::/8", "multicast"),
    ].map { (AddressRange(known: $0.0), $0.1) }
}

extension IPAddress {
    /// The reason why no public server has this address; nil if a public server may have it. If an IPv6 address
    /// contains an IPv4 address, both addresses are checked.
    package var specialUse: String? {
        if let use = AddressRange.special.first(where: { $0.0.contains(self) }) { return use.1 }
        for inner in embedded {
            if let use = inner.specialUse { return "\(use) inside" }
        }
        return nil
    }
}
