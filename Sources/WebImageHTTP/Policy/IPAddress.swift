import Foundation

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The 4 (IPv4) or 16 (IPv6) bytes of the address in network byte order.
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address as inet_pton(3) does. Brackets and a zone (`fe80::1%eth0`) are ignored. Other notations,
    /// such as octal numbers, are refused.
    package init?(_ text: String) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, String(text), &bytes) == 1 {
            self.bytes = Array(bytes[..<4])
        } else if inet_pton(AF_INET6, String(text), &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The IPv4 addresses that this IPv6 address contains as an IPv4-mapped, IPv4-compatible, NAT64, 6to4, Teredo or
    /// ISATAP address.
    package var embedded: [IPAddress] {
        guard bytes.count == 16 else { return [] }
        func four(_ start: Int, inverted: Bool = false) -> IPAddress? {
            IPAddress(bytes: bytes[start..<start + 4].map { inverted ? ~$0 : $0 })
        }
        var found: [IPAddress?] = []
        let leadingZeros = bytes.prefix { $0 == 0 }.count
        if leadingZeros >= 10, bytes[10] == bytes[11], bytes[10] == 0 || bytes[10] == 0xFF { found.append(four(12)) }
        if AddressRange.nat64.contains(self) || AddressRange.localNAT64.contains(self) { found.append(four(12)) }
        if AddressRange.sixToFour.contains(self) { found.append(four(2)) }
        if AddressRange.teredo.contains(self) { found += [four(4), four(12, inverted: true)] }
        if bytes[8] & 0xFC == 0, bytes[9] == 0, bytes[10] == 0x5E, bytes[11] == 0xFE { found.append(four(12)) }
        return found.compactMap { $0 }
    }
}
