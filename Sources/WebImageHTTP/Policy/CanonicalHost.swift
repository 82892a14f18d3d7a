package import Foundation
import WebImageCore

/// A host in the one spelling that policies compare and transfers connect to.
///
/// Percent escapes are decoded (RFC 3986 §3.2.2). Names are ASCII (IDNA) in lower case without a trailing dot.
/// Addresses are in their canonical notation. A host has many spellings. If a policy compared another spelling than this
/// one, a URL could bypass it.
package struct CanonicalHost: Sendable, Hashable {
    /// The host without brackets and zone.
    package let text: String
    /// The address, when the host is one.
    package let address: IPAddress?
    /// The zone of an IPv6 address, as the URL writes it.
    private let zone: String

    /// Reads a host as a URL or a user spells it, with or without brackets; nil when no server can have this name.
    package init?(_ spelling: String) {
        var spelling = spelling[...]
        if spelling.hasPrefix("["), spelling.hasSuffix("]") { spelling = spelling.dropFirst().dropLast() }
        if spelling.contains(":") {
            guard let address = IPAddress(String(spelling)) else { return nil }
            (self.address, text) = (address, address.description)
            zone = spelling.firstIndex(of: "%").map { String(spelling[$0...]) } ?? ""
            return
        }
        guard let decoded = String(spelling).removingPercentEncoding, let name = Self.asciiName(decoded) else {
            return nil
        }
        zone = ""
        address = Self.addressV4(name)
        text = address?.description ?? name
    }

    /// The host of a URL; nil when the URL has none, or one that no server can have.
    package init?(of url: URL) {
        guard let host = url.host() else { return nil }
        self.init(host)
    }

    /// The spellings under which a pattern may name this host. An IPv6 address that maps an IPv4 address also has that
    /// one's.
    var names: [String] {
        guard let address, address.isMappedV4 else { return [text] }
        return [text] + address.embedded.map(\.description)
    }

    /// The host as a URL writes it.
    fileprivate var urlText: String { address?.bytes.count == 16 ? "[\(text)\(zone)]" : text }

    /// Whether a host is certainly canonical, so that it needs no conversion.
    fileprivate static func isPlain(_ host: String) -> Bool { isPlainAddress(host) || isPlainName(host) }

    /// Whether a host is four decimal numbers of at most 255 without leading zeros.
    private static func isPlainAddress(_ host: String) -> Bool {
        var (count, number, digits) = (1, 0, 0)
        for byte in host.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                (count, number, digits) = (count + 1, 0, 0)
            } else {
                // A zero is a number alone; before other digits it would make the number octal.
                guard isDigit(byte), digits == 0 || number > 0 else { return false }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard number <= 255 else { return false }
            }
        }
        return count == 4 && digits > 0
    }

    private static func isPlainName(_ host: String) -> Bool {
        var previous = UInt8(ascii: ".")
        var labelBeginsWithDigit = false
        for byte in host.utf8 {
            guard isNameByte(byte), !isUpper(byte) else { return false }
            if previous == UInt8(ascii: ".") { labelBeginsWithDigit = isDigit(byte) }
            previous = byte
        }
        // A last label that begins with a digit may be part of an address.
        return previous != UInt8(ascii: ".") && !labelBeginsWithDigit
    }

    private static func asciiName(_ decoded: String) -> String? {
        var name = decoded
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            // A decoded delimiter would end the host in the URL below.
            guard !name.utf8.contains(where: { $0 < 0x80 && !isNameByte($0) }),
                let ascii = URL(string: "http://\(name)/")?.host(percentEncoded: false)
            else { return nil }
            name = ascii
        }
        name = name.lowercased()
        while name.hasSuffix(".") { name.removeLast() }
        return !name.isEmpty && name.utf8.allSatisfy(isNameByte) ? name : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isUpper(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    /// An IPv4 address as the resolver reads it (inet_aton(3)): one to four decimal, octal or hexadecimal numbers. The
    /// last number fills the remaining bytes.
    private static func addressV4(_ text: String) -> IPAddress? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var numbers = parts.compactMap(number)
        guard numbers.count == parts.count, let last = numbers.popLast(), numbers.allSatisfy({ $0 < 256 }),
            last < 1 << UInt64(8 * (4 - numbers.count))
        else { return nil }
        let rest = (0..<4 - numbers.count).reversed().map { UInt8(truncatingIfNeeded: last >> UInt64(8 * $0)) }
        return IPAddress(bytes: numbers.map { UInt8($0) } + rest)
    }

    private static func number(_ part: Substring) -> UInt64? {
        guard let first = part.utf8.first, isDigit(first) else { return nil }
        if part.hasPrefix("0x") { return part.count == 2 ? 0 : UInt64(unsigned: part.dropFirst(2), radix: 16) }
        return UInt64(unsigned: part, radix: part.hasPrefix("0") ? 8 : 10)
    }
}

extension UInt64 {
    /// Reads a number without a sign; the standard library would accept one.
    fileprivate init?(unsigned digits: Substring, radix: Int) {
        guard digits.first != "+", digits.first != "-", let value = UInt64(digits, radix: radix) else { return nil }
        self = value
    }
}

extension IPAddress {
    /// Whether this is an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2); a connection to it goes to the IPv4 address.
    fileprivate var isMappedV4: Bool {
        bytes.count == 16 && bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    }
}

extension URL {
    /// The URL with its host in the canonical spelling; nil when it has no host, or one that no server can have.
    package var withCanonicalHost: URL? {
        guard let spelling = host() else { return nil }
        if CanonicalHost.isPlain(spelling) { return self }
        guard let host = CanonicalHost(spelling) else { return nil }
        if host.urlText == spelling { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.percentEncodedHost = host.urlText
        return components?.url
    }
}

/// The hosts that a policy names; a leading dot matches a host and every host below it.
struct HostPatterns: Sendable, Hashable {
    private var hosts: Set<String> = []
    private var suffixes: Set<String> = []

    init(_ patterns: Set<String>) {
        for pattern in patterns {
            let isSuffix = pattern.hasPrefix(".")
            let spelling = isSuffix ? String(pattern.dropFirst()) : pattern
            let host = CanonicalHost(spelling)?.text ?? spelling.lowercased()
            if isSuffix { suffixes.insert(host) } else { hosts.insert(host) }
        }
    }

    func contains(_ host: CanonicalHost) -> Bool {
        host.names.contains { name in
            hosts.contains(name) || suffixes.contains { name == $0 || name.hasSuffix(".\($0)") }
        }
    }
}
