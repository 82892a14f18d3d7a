package import Foundation
import WebImageCore

/// A host in its canonical spelling. Policies check the host in this spelling, and transfers use the same spelling for
/// the connection.
///
/// A URL can spell one host in many ways. If policies compared the spelling of the URL, another spelling could bypass
/// a policy. In the canonical spelling, percent escapes are decoded (RFC 3986 §3.2.2), names are ASCII (IDNA) in lower
/// case without a trailing dot, and addresses are in their canonical notation.
package struct CanonicalHost: Sendable, Hashable {
    /// The host without brackets and zone.
    package let text: String
    /// The address, if the host is an IP address and not a name.
    package let address: IPAddress?
    /// The zone of an IPv6 address as written in the URL, including `%`; empty without a zone.
    private let zone: String

    /// Parses a host in any spelling, with or without brackets; nil if the text is not a valid host.
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

    /// The host of a URL; nil if the URL has no host or an invalid one.
    package init?(of url: URL) {
        guard let host = url.host() else { return nil }
        self.init(host)
    }

    /// The spellings that a pattern is compared with. For an IPv4-mapped IPv6 address, the result also contains the
    /// IPv4 address.
    var names: [String] {
        guard let address, address.isMappedV4 else { return [text] }
        return [text] + address.embedded.map(\.description)
    }

    /// The host as it is written in a URL: an IPv6 address has brackets and its zone.
    fileprivate var urlText: String { address?.bytes.count == 16 ? "[\(text)\(zone)]" : text }

    /// Whether a host is certainly in canonical spelling. If false, the host must be converted. Most hosts pass this
    /// fast check and need no conversion.
    fileprivate static func isPlain(_ host: String) -> Bool { isPlainAddress(host) || isPlainName(host) }

    /// Whether a host consists of four decimal numbers from 0 to 255 without leading zeros.
    private static func isPlainAddress(_ host: String) -> Bool {
        var (count, number, digits) = (1, 0, 0)
        for byte in host.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                (count, number, digits) = (count + 1, 0, 0)
            } else {
                // `0` alone is a valid number. A zero before other digits is refused, because it means octal.
                guard byte.isASCIIDigit, digits == 0 || number > 0 else { return false }
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
            if previous == UInt8(ascii: ".") { labelBeginsWithDigit = byte.isASCIIDigit }
            previous = byte
        }
        // If the last label begins with a digit, the host may be an IPv4 address in another notation.
        return previous != UInt8(ascii: ".") && !labelBeginsWithDigit
    }

    private static func asciiName(_ decoded: String) -> String? {
        var name = decoded
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            // Refuse decoded delimiters such as `/`, because they would end the host in the URL below.
            guard !name.utf8.contains(where: { $0 < 0x80 && !isNameByte($0) }),
                let ascii = URL(string: "http://\(name)/")?.host(percentEncoded: false)
            else { return nil }
            name = ascii
        }
        name = name.lowercased()
        while name.hasSuffix(".") { name.removeLast() }
        return !name.isEmpty && name.utf8.allSatisfy(isNameByte) ? name : nil
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || isUpper(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    /// Parses an IPv4 address as the system's resolver does (inet_aton(3)): one to four decimal, octal or hexadecimal
    /// numbers. The last number fills the remaining bytes.
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
        guard let first = part.utf8.first, first.isASCIIDigit else { return nil }
        if part.hasPrefix("0x") { return part.count == 2 ? 0 : UInt64(unsigned: part.dropFirst(2), radix: 16) }
        return UInt64(unsigned: part, radix: part.hasPrefix("0") ? 8 : 10)
    }
}

extension UInt64 {
    /// Parses a number. Refuses a sign, which the standard library's initializer accepts.
    fileprivate init?(unsigned digits: Substring, radix: Int) {
        guard digits.first != "+", digits.first != "-", let value = UInt64(digits, radix: radix) else { return nil }
        self = value
    }
}

extension IPAddress {
    /// Whether this is an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). For such an address, the system connects to the
    /// contained IPv4 address.
    fileprivate var isMappedV4: Bool {
        bytes.count == 16 && bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    }
}

extension URL {
    /// The URL with its host in canonical spelling; nil if the URL has no host or an invalid one.
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

/// The hosts that a policy allows or denies. A pattern with a leading dot, such as `.example.org`, matches
/// `example.org` and all its subdomains.
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
