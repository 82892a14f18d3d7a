import Foundation

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
