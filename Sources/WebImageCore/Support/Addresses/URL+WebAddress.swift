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
        // Places behind a pointer, because the elements of a collection cost a memory block each in a debug build.
        return copy.withUTF8 { bytes in
            guard let start = bytes.baseAddress, bytes.count <= 4096 else { return false }
            guard let host = Self.placeBehindScheme(start, bytes.count),
                let path = Self.placeBehindHost(start, from: host, bytes.count)
            else { return false }
            return Self.isSerializedPath(start, from: path, bytes.count)
        }
    }

    private static func placeBehindScheme(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        if count > 7, memcmp(bytes, "http://", 7) == 0 { return 7 }
        return count > 8 && memcmp(bytes, "https://", 8) == 0 ? 8 : nil
    }

    /// Returns the place of the path if a usual host and a usual port or no port are before it.
    private static func placeBehindHost(_ bytes: UnsafePointer<UInt8>, from start: Int, _ count: Int) -> Int? {
        var (place, label, beginsWithLetter) = (start, 0, false)
        while place < count {
            let byte = bytes[place]
            if byte == UInt8(ascii: ".") {
                guard label > 0 else { return nil }
                (label, beginsWithLetter) = (0, false)
            } else if byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") {
                (label, beginsWithLetter) = (label + 1, beginsWithLetter || label == 0)
            } else if byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "-") && label > 0 {
                // A label with "--" can be encoded Unicode.
                guard byte != UInt8(ascii: "-") || bytes[place - 1] != byte else { return nil }
                label += 1
            } else {
                break
            }
            guard label < 64, place - start < 250 else { return nil }
            place += 1
        }
        guard label > 0, bytes[place - 1] != UInt8(ascii: "-") else { return nil }
        // A last label that begins with a digit can be an address in numbers; only the most usual one is recognised here.
        if !beginsWithLetter {
            guard place - start == 9, memcmp(bytes + start, "127.0.0.1", 9) == 0 else { return nil }
        }
        if place < count, bytes[place] == UInt8(ascii: ":") {
            let first = place + 1
            var port = 0
            place = first
            while place < count, bytes[place] >= UInt8(ascii: "0"), bytes[place] <= UInt8(ascii: "9"), place - first < 5
            {
                port = port * 10 + Int(bytes[place] - UInt8(ascii: "0"))
                place += 1
            }
            guard place - first > 2, port > 443, port <= 65535, bytes[first] != UInt8(ascii: "0") else { return nil }
        }
        return place < count && bytes[place] == UInt8(ascii: "/") ? place : nil
    }

    private static func isSerializedPath(_ bytes: UnsafePointer<UInt8>, from start: Int, _ count: Int) -> Bool {
        var (place, previous, isQuery) = (start, UInt8(0), false)
        while place < count {
            let byte = bytes[place]
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
            place += 1
        }
        return true
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
