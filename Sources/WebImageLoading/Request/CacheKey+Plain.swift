import Foundation
import WebImageCore

// Derives the keys of plain web addresses without parsing the address as a URL. This code must be fast, because a list
// view computes a key for each row that it shows.
extension CacheKey {
    /// Returns the same key as `transformed(_:suffix:)` for a plain web address; nil for every other key.
    ///
    /// A plain address has a scheme, a host and a path. It can have a numeric port and a query of plain characters.
    /// `URL` does not change such an address. If the path has an extension, `-` and `escaped` are inserted before the
    /// extension. `escaped` is `suffix` with the percent escapes of a path. If the path has no extension, `-` and
    /// `suffix` are appended to the key.
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

    /// Returns `text` with the percent escapes that the path of a URL requires.
    static func escapedForPath(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 128 && pathBytes[Int($0)] }) { return text }
        return text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? text
    }

    /// A table with one value for each ASCII byte. The value is true if Foundation does not escape the byte in a path.
    /// To compute the table, Foundation escapes each byte once. The set `urlPathAllowed` alone is not sufficient,
    /// because Foundation escapes some bytes of this set.
    private static let pathBytes = (0..<128).map { byte in
        let text = String(UnicodeScalar(UInt8(byte)))
        return text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) == text
    }
}

/// The result of scanning a plain web address. `init` returns nil for an address that is not plain.
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
        // Reject a path that ends with a slash or a dot, and a file name that begins with a dot. Foundation has
        // different rules for the extension of such paths.
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
