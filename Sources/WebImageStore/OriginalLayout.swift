import Foundation
import WebImageCore

/// The file names of SDWebImage. A name is the MD5 of the key in lower-case hexadecimal digits, then a dot and the
/// extension of the URL's path.
enum OriginalLayout {
    static func fileName(forKey key: String) -> String {
        let digest = MD5.hex(of: key.utf8.prefix { $0 != 0 })
        var fileExtension = URL(string: key).map(\.pathExtension) ?? (key as NSString).pathExtension
        fileExtension.removeAll { $0 == "\0" || $0 == ":" }
        // 222 characters is the length of the longest extension that fits into a file name after the digest and the
        // dot.
        if fileExtension.isEmpty || fileExtension.utf16.count > 222 { return digest }
        return digest + "." + fileExtension
    }

    /// Whether a file name has the form of SDWebImage's file names.
    static func isFileName(_ name: String) -> Bool {
        let digits = name.utf8.prefix { $0 != UInt8(ascii: ".") }
        return digits.count == 32 && digits.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
    }

    /// Returns the provisional key of an imported file. The entry of the file has this key until a load requests the
    /// file by its real key.
    static func provisionalKey(_ fileName: String) -> String { "imported file " + fileName }

    /// Returns the provisional keys under which the entry of a key may be stored. The result can contain two keys,
    /// because older versions of SDWebImage wrote file names without an extension.
    static func provisionalKeys(of key: String) -> [String] {
        let name = fileName(forKey: key)
        let bare = String(name.prefix(32))
        return (name == bare ? [name] : [name, bare]).map(provisionalKey)
    }
}
