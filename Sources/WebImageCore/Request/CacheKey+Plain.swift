import Foundation

// Fast path for plain web addresses, without parsing them: a list computes a key for every row it binds.
extension CacheKey {
    /// The result of `transformed` for a plain web address; nil for every other key.
    ///
    /// A plain address is one that `URL` returns unchanged: scheme and host, a numeric port, a path and a query of
    /// unreserved characters. `escaped` is inserted into the path; `suffix` is appended to a key whose path has no
    /// extension.
    static func plainTransformed(_ key: String, suffix: String, escaped: String) -> String? {
        var key = key
        guard let address = key.withUTF8({ PlainAddress($0) }) else { return nil }
        guard let dot = address.extensionStart else { return key + "-" + suffix }
        let index = key.utf8.index(key.startIndex, offsetBy: dot)
        var result = ""
        result.reserveCapacity(key.utf8.count + 1 + escaped.utf8.count)
        result += key[..<index]
        result += "-"
        result += escaped
        result += key[index...]
        return result
    }

    /// Returns a text escaped for the path of a URL.
    static func escapedForPath(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 128 && pathBytes[Int($0)] }) { return text }
        return text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? text
    }

    /// Determined by escaping each byte: fewer bytes stay unescaped than the character set promises.
    private static let pathBytes = (0..<128).map { byte in
        let text = String(UnicodeScalar(UInt8(byte)))
        return text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) == text
    }
}

/// The parts of a plain web address that a key needs.
private struct PlainAddress {
    /// The position of the dot before the path's extension; nil when the path has none.
    let extensionStart: Int?

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard var index = Self.endOfScheme(bytes) else { return nil }
        let host = index
        var colon: Int?
        while index < bytes.count, bytes[index] != UInt8(ascii: "/") {
            if bytes[index] == UInt8(ascii: ":"), colon == nil {
                colon = index
            } else if colon != nil {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
            } else {
                guard Self.isPlain(bytes[index]) else { return nil }
            }
            index += 1
        }
        guard index < bytes.count, (colon ?? index) > host, colon.map({ index - $0 > 1 }) ?? true else { return nil }

        var (name, dot): (Int, Int?) = (index, nil)
        while index < bytes.count, bytes[index] != UInt8(ascii: "?") {
            if bytes[index] == UInt8(ascii: "/") {
                (name, dot) = (index + 1, nil)
            } else if bytes[index] == UInt8(ascii: ".") {
                dot = index
            } else {
                guard Self.isPlain(bytes[index]) else { return nil }
            }
            index += 1
        }
        // Other rules apply to a path that ends with a slash or a dot and to a name that begins with a dot.
        guard name < index, bytes[name] != UInt8(ascii: "."), bytes[index - 1] != UInt8(ascii: ".") else { return nil }
        while index < bytes.count {
            guard Self.isPlain(bytes[index]) || Self.queryBytes.contains(bytes[index]) else { return nil }
            index += 1
        }
        extensionStart = dot
    }

    private static func endOfScheme(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for scheme in [https, http] where bytes.starts(with: scheme) { return scheme.count }
        return nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static let https = Array("https://".utf8)
    private static let http = Array("http://".utf8)
    private static let queryBytes = Array("?=&/,".utf8)
}
