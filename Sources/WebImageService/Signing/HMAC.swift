import Foundation
import WebImageCore

/// Keyed hashes (RFC 2104) and their text forms.
enum HMAC {
    /// The HMAC-SHA-256 of a message; 32 bytes.
    static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] { authenticate(message, key: key, sha256) }

    /// The HMAC-SHA-1 of a message; 20 bytes.
    static func sha1(key: [UInt8], message: [UInt8]) -> [UInt8] { authenticate(message, key: key, SHA1.digest) }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let words = bytes.withUnsafeBytes { SHA256.digest(of: $0) }
        return words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func authenticate(
        _ message: [UInt8], key: [UInt8], _ hash: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        var block = key.count > 64 ? hash(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
    }

    /// Whether two values are equal. The duration depends only on their lengths, so it does not reveal where they
    /// differ.
    static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}

/// The URL-safe alphabet of base64 (RFC 4648 §5).
enum Base64URL {
    static func encode(_ bytes: [UInt8], isPadded: Bool = false) -> String {
        let text = Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return String(isPadded ? text : text.filter { $0 != "=" })
    }

    /// Returns the decoded bytes; nil if the text is not valid in this alphabet. Padding is optional.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 3)
        var padding = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "="):
                padding += 1
                continue
            case UInt8(ascii: "+"), UInt8(ascii: "/"): return nil
            default: bytes.append(byte)
            }
            // A character after padding is invalid.
            if padding > 0 { return nil }
        }
        guard padding <= 2 else { return nil }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(bytes)).map { [UInt8]($0) }
    }
}
