import Foundation
import WebImageCore

/// Makes `Content-Disposition` fields (RFC 6266) from names that clients choose.
enum ContentDisposition {
    /// - Parameters:
    ///   - name: The requested name. If it is nil, the last part of the source's path is the name.
    ///   - fileExtension: The extension of the name, without a dot; empty for no extension. In a name from the source's
    ///     path, this extension replaces the source's extension. In a requested name, this extension is added if the
    ///     name does not already end with it.
    static func field(name: String?, source: String, fileExtension: String, isAttachment: Bool) -> String {
        let type = isAttachment ? "attachment" : "inline"
        let stem = name.map(cleaned) ?? stemOfSource(source)
        let base = stem.isEmpty ? "image" : stem
        let suffix = fileExtension.isEmpty ? "" : "." + fileExtension
        let full = name != nil && base.lowercased().hasSuffix(suffix) ? base : base + suffix
        let ascii = String(
            full.unicodeScalars.map { scalar in
                scalar.isASCII && !"\"\\%".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
            })
        guard ascii != full else { return "\(type); filename=\"\(full)\"" }
        return "\(type); filename=\"\(ascii)\"; filename*=UTF-8''\(encoded(full))"
    }

    private static func stemOfSource(_ source: String) -> String {
        let path = source.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let decoded = cleaned(last.removingPercentEncoding ?? last)
        guard let dot = decoded.lastIndex(of: "."), dot > decoded.startIndex else { return decoded }
        return String(decoded[..<dot])
    }

    /// Removes three kinds of characters: characters that could end the field, characters that separate the parts of a
    /// path, and characters that could hide parts of the name. Returns at most 120 characters.
    private static func cleaned(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { scalar in
            let category = scalar.properties.generalCategory
            return category != .format && category != .control && category != .lineSeparator
                && category != .paragraphSeparator && !"/\\:*?\"<>|".unicodeScalars.contains(scalar)
        }
        var text = String(String.UnicodeScalarView(scalars)).prefix(120)
        while text.first == "." || text.first == " " { text.removeFirst() }
        return text.trimmed
    }

    /// Percent-encodes a text as RFC 8187 §3.2.1 requires.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isASCIILetter || (0x30...0x39).contains(byte) || "!#$&+-.^_`|~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : String(plainFormat: "%%%02X", byte)
        }.joined()
    }
}
