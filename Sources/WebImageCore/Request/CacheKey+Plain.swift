import Foundation

// Derives keys of plain web addresses without parsing them. This must be fast, because a list computes a key for every
// row that it binds.
extension CacheKey {
    /// Returns the same as `transformed(_:suffix:)` for a plain web address; nil for every other key.
    ///
    /// `URL` does not change a plain address: it has scheme, host, optionally a numeric port, a path, and a query of
    /// plain characters. If the path has an extension, `escaped` is inserted before it; otherwise `suffix` is
    /// appended to the key.
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

    /// Whether each ASCII byte stays unescaped in a path. Determined by escaping each byte, because Foundation also
    /// escapes some bytes that `urlPathAllowed` contains.
    private static let pathBytes = (0..<128).map { byte in
        let text = String(UnicodeScalar(UInt8(byte)))
        return text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) == text
    }
}

/// The parts of a plain web address that a key needs.
private struct PlainAddress {
    /// The position of the dot before the path's extension; nil if the path has no extension.
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
        // Not plain: a path that ends with a slash or a dot, and a name that begins with a dot. Foundation has other
        // rules for their extension.
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
