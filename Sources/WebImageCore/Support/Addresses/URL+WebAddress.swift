public import Foundation

extension URL {
    /// Creates a URL from text as browsers do (WHATWG URL Standard).
    ///
    /// Blanks and control characters at both ends are removed, and so are tabs and line ends. Percent escapes stay as
    /// they are. Characters that a URL cannot contain are escaped one by one. In web addresses, `\` is `/`, and `.` and
    /// `..` in the path are resolved. `URL(string:)` differs: it escapes `%20` to `%2520` if another character of the
    /// same component must be escaped.
    ///
    /// The characters that the standard keeps, but RFC 3986 forbids, are escaped too, because `URL` cannot contain them:
    /// `[ ] | { } ^ "` and a `%` that begins no escape. An IPv6 address may have a zone (`%25eth0`), which the standard
    /// refuses.
    ///
    /// - Parameters:
    ///   - text: An absolute address, or a reference relative to `base`.
    ///   - base: The URL to which a relative reference refers, such as the URL of a redirect.
    /// - Returns: nil if the standard's parser fails, for example without a scheme and a base, or without a host in a web
    ///   address.
    public init?(webAddress text: String, relativeTo base: URL? = nil) {
        if text.isSerializedWebAddress {
            self.init(string: text, encodingInvalidCharacters: false)
            return
        }
        let base = base.flatMap { WebAddress($0.absoluteString) }
        guard let address = WebAddress(text, relativeTo: base) else { return nil }
        self.init(string: address.text, encodingInvalidCharacters: false)
    }
}

extension String {
    /// Whether the text is a usual `http` or `https` address that the parser would return unchanged. False for an address
    /// whose parts must be looked at more closely. Most addresses are usual, and this takes no memory.
    fileprivate var isSerializedWebAddress: Bool {
        var copy = self
        return copy.withUTF8 { bytes in
            var place = 0
            func skips(_ prefix: StaticString) -> Bool {
                let count = prefix.utf8CodeUnitCount
                guard bytes.count > count, memcmp(bytes.baseAddress!, prefix.utf8Start, count) == 0 else {
                    return false
                }
                place = count
                return true
            }
            guard bytes.count <= 4096, skips("http://") || skips("https://") else { return false }
            let hostStart = place
            var (label, beginsWithLetter) = (0, false)
            while place < bytes.count {
                let byte = bytes[place]
                if byte == UInt8(ascii: ".") {
                    guard label > 0 else { return false }
                    (label, beginsWithLetter) = (0, false)
                } else if (0x61...0x7A).contains(byte) {
                    (label, beginsWithLetter) = (label + 1, beginsWithLetter || label == 0)
                } else if (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") && label > 0 {
                    label += 1
                } else {
                    break
                }
                guard label < 64, place - hostStart < 250 else { return false }
                place += 1
            }
            // A last label that begins with a digit can be an address in numbers; only the most usual one is recognised here.
            let host = UnsafeBufferPointer(rebasing: bytes[hostStart..<place])
            guard label > 0, host.last != UInt8(ascii: "-"), !host.contains(x4: "xn--") else { return false }
            if !beginsWithLetter {
                guard host.count == 9, memcmp(host.baseAddress!, "127.0.0.1", 9) == 0 else { return false }
            }
            if place < bytes.count, bytes[place] == UInt8(ascii: ":") {
                var (port, digits) = (0, 0)
                place += 1
                while place < bytes.count, (0x30...0x39).contains(bytes[place]), digits < 5 {
                    (port, digits) = (port * 10 + Int(bytes[place]) - 0x30, digits + 1)
                    place += 1
                }
                guard digits > 2, port > 443, port <= 65535, bytes[place - digits] != 0x30 else { return false }
            }
            guard place < bytes.count, bytes[place] == UInt8(ascii: "/") else { return false }
            var (previous, isQuery) = (UInt8(0), false)
            for byte in bytes[place...] {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                    UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: ","), UInt8(ascii: "+"):
                    break
                // A segment that begins with a dot can be a step.
                case UInt8(ascii: "."): guard isQuery || previous != UInt8(ascii: "/") else { return false }
                case UInt8(ascii: "?"): isQuery = true
                default: return false
                }
                previous = byte
            }
            return true
        }
    }

    /// Returns the text of the bytes of an address. If the bytes are not UTF-8, every byte outside of ASCII is
    /// percent-escaped, as browsers do with a `Location` field.
    package init(addressBytes bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self = text
        } else {
            self.init(decoding: bytes.flatMap { $0 < 0x80 ? [$0] : PercentEncoding.escape($0) }, as: UTF8.self)
        }
    }

    /// The text with its percent escapes decoded once. The escapes stay if the bytes are not UTF-8 text: then only the
    /// escapes of ASCII characters are decoded.
    package var removingAddressEscapes: String { String(addressBytes: PercentEncoding.decoded(utf8)) }
}

/// Percent escapes of URLs (RFC 3986 §2.1).
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns the three bytes of an escape.
    static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Returns the value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Decodes every valid escape. A `%` that begins no escape stays, as in browsers.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
        let text = Array(text)
        guard text.contains(UInt8(ascii: "%")) else { return text }
        var (bytes, index): ([UInt8], Int) = ([], 0)
        bytes.reserveCapacity(text.count)
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
                let low = hexValue(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }
}

/// The characters of one component of a URL that are not escaped: those that both the WHATWG standard keeps and RFC 3986
/// allows.
struct AddressCharacters: Sendable {
    private let kept: [Bool]

    private init(_ marks: String) {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        var kept = [Bool](repeating: false, count: 256)
        for byte in (letters + marks).utf8 { kept[Int(byte)] = true }
        self.kept = kept
    }

    static let user = Self("!$&'()*+,")
    static let opaqueHost = Self("!$&'()*+,;=")
    static let segment = Self("!$&'()*+,;=:@")
    static let opaquePath = Self("!$&'()*+,;=:@/")
    static let query = Self("!$&'()*+,;=:@/?")
    /// An apostrophe could end an attribute of HTML, so the standard escapes it in the query of a web address.
    static let specialQuery = Self("!$&()*+,;=:@/?")

    /// Returns the bytes with an escape for each byte that the component cannot contain. Valid escapes stay.
    func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            let isEscape =
                byte == UInt8(ascii: "%") && index + 2 < bytes.endIndex
                && PercentEncoding.hexValue(bytes[index + 1]) != nil
                && PercentEncoding.hexValue(bytes[index + 2]) != nil
            if kept[Int(byte)] || isEscape { result.append(byte) } else { result += PercentEncoding.escape(byte) }
        }
        return result
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether four ASCII characters occur in the bytes.
    fileprivate func contains(x4 text: StaticString) -> Bool {
        guard count >= 4, let start = baseAddress else { return false }
        return (0...count - 4).contains { memcmp(start + $0, text.utf8Start, 4) == 0 }
    }
}
