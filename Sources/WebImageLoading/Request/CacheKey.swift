public import Foundation
public import WebImageCore

/// Derives cache keys. The keys are identical to the keys that SDWebImage derives.
package enum CacheKey {
    /// Inserts `-` and `suffix` before the extension of `key` and returns the result. If `key` has no extension,
    /// appends them.
    ///
    /// In a URL, the extension is the extension of the path. The query, the fragment and the user name do not change.
    package static func transformed(_ key: String, suffix: String) -> String {
        transformed(key, suffix: suffix, escaped: escapedForPath(suffix))
    }

    private static func transformed(_ key: String, suffix: String, escaped: String) -> String {
        plainTransformed(key, suffix: suffix, escaped: escaped)
            ?? parsedTransformed(key, suffix: suffix, escaped: escaped)
    }

    /// Returns the same result as `transformed(_:suffix:)`. This function accepts every key, but is slower, because it
    /// parses the key.
    static func parsedTransformed(_ key: String, suffix: String, escaped: String) -> String {
        let url = URL(string: key)
        let fileExtension = url.map(\.pathExtension) ?? (key as NSString).pathExtension
        guard !fileExtension.isEmpty else { return key + "-" + suffix }
        if let url, !url.isFileURL, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            // Keep the escapes of the path, because two URLs that differ only in escapes can refer to different images.
            let path = parts.percentEncodedPath
            parts.percentEncodedPath = inserting(escaped, in: path)
            return parts.url?.absoluteString ?? parts.string ?? key + "-" + suffix
        }
        return inserting(suffix, in: key)
    }

    /// Returns the key of a thumbnail. `key` is the key of the original, and `box` is the thumbnail's box in pixels.
    package static func thumbnail(_ key: String, box: CGSize, preserveAspectRatio: Bool) -> String {
        let suffix = thumbnailSuffix(box, preserveAspectRatio)
        return transformed(key, suffix: suffix.text, escaped: suffix.escaped)
    }

    private struct ThumbnailSuffix {
        let box: CGSize
        let preserveAspectRatio: Bool
        let text: String
        let escaped: String
    }

    /// The last computed suffix. The next load usually needs the same suffix, because all rows of a list have the same
    /// size.
    private static let lastSuffix = Locked<ThumbnailSuffix?>(nil)

    private static func thumbnailSuffix(_ box: CGSize, _ preserveAspectRatio: Bool) -> ThumbnailSuffix {
        let last = lastSuffix.withLock { $0 }
        if let last, last.box == box, last.preserveAspectRatio == preserveAspectRatio { return last }
        let size = String(plainFormat: "%f,%f", box.width, box.height)
        let text = "Thumbnail({\(size)},\(preserveAspectRatio ? 1 : 0))"
        let new = ThumbnailSuffix(
            box: box, preserveAspectRatio: preserveAspectRatio, text: text, escaped: escapedForPath(text))
        lastSuffix.withLock { $0 = new }
        return new
    }

    /// Whether the key belongs to a thumbnail.
    package static func isThumbnail(_ key: String) -> Bool { key.contains("-Thumbnail(") }

    /// Whether a key can be the key of a variant: it contains a dash and, somewhere after the dash, an opening
    /// parenthesis. The key of an original can contain them by chance.
    static func mayBeVariant(_ key: String) -> Bool {
        guard let dash = key.firstIndex(of: "-") else { return false }
        return key[dash...].contains("(")
    }

    /// Returns the scale in a key: 2 for `@2x.`, 3 for `@3x.`, otherwise 1. In web addresses, the escaped forms
    /// `%402x.` and `%403x.` have the same effect.
    package static func scaleFactor(_ key: String) -> Double {
        guard key.utf16.count >= 8 else { return 1 }
        let isWeb = key.hasPrefix("http://") || key.hasPrefix("https://")
        var key = key
        return key.withUTF8 { scaleFactor($0, isWeb: isWeb) }
    }

    /// Searches for all forms in one pass over the bytes. Every load calls this function, and four separate string
    /// searches took 60,000 instructions.
    private static func scaleFactor(_ bytes: UnsafeBufferPointer<UInt8>, isWeb: Bool) -> Double {
        var isTripled = false
        var index = 1
        while index + 2 < bytes.count {
            defer { index += 1 }
            let digit = bytes[index]
            guard digit == UInt8(ascii: "2") || digit == UInt8(ascii: "3"), bytes[index + 1] == UInt8(ascii: "x"),
                bytes[index + 2] == UInt8(ascii: ".")
            else { continue }
            let isEscaped =
                isWeb && index >= 3 && bytes[index - 1] == UInt8(ascii: "0") && bytes[index - 2] == UInt8(ascii: "4")
                && bytes[index - 3] == UInt8(ascii: "%")
            guard isEscaped || bytes[index - 1] == UInt8(ascii: "@") else { continue }
            if digit == UInt8(ascii: "2") { return 2 }
            isTripled = true
        }
        return isTripled ? 3 : 1
    }

    /// Inserts `-` and `suffix` before the last dot of `path`. If `path` has no dot, appends them.
    private static func inserting(_ suffix: String, in path: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return path + "-" + suffix }
        return path[..<dot] + "-" + suffix + path[dot...]
    }
}

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
                guard bytes[index].isASCIIDigit else { return nil }
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

extension Image {
    /// Returns the scale in a cache key or URL: 2 for `@2x.`, 3 for `@3x.`, otherwise 1. In web addresses, the escaped
    /// forms `%402x.` and `%403x.` have the same effect.
    public static func scaleFactor(forKey key: String?) -> CGFloat { CGFloat(key.map(CacheKey.scaleFactor) ?? 1) }

    /// Returns the image with the scale that the key contains. Returns self if this scale is 1 or the current scale.
    public final func scaled(forKey key: String?) -> Image { scaled(to: Self.scaleFactor(forKey: key)) }

    /// Returns the image with another scale. Returns self if `scale` is the current scale, not greater than 1, or not
    /// finite.
    public final func scaled(to scale: CGFloat) -> Image {
        guard scale.isFinite, scale > 1, scale != self.scale else { return self }
        let copy = rescaled(to: scale)
        copy.copyMetadata(from: self)
        return copy
    }
}
