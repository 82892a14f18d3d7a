package import Foundation
import WebImageCore

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
    package static func mayBeVariant(_ key: String) -> Bool {
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
