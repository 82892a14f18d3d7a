package import Foundation

/// The text of SVG documents.
package enum MarkupText {
    /// Returns the UTF-8 form of a document in UTF-16 with a byte order mark; nil for a document in another encoding.
    ///
    /// Readers of SVG expect an encoding that contains ASCII. The XML declaration is left out, because it names the former
    /// encoding. The result has at most three bytes for each two of the document.
    ///
    /// - Throws: `.badImageData` if the document is not valid UTF-16.
    package static func narrowed(_ document: Data) throws(WebImageError) -> Data? {
        let isBigEndian = document.starts(with: [0xFE, 0xFF])
        guard isBigEndian || document.starts(with: [0xFF, 0xFE]) else { return nil }
        let units: [UInt16] = document.withUnsafeBytes { bytes in
            stride(from: 2, to: bytes.count - 1, by: 2).map { place in
                isBigEndian
                    ? UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
                    : UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place])
            }
        }
        guard document.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
            throw .badData("SVG", "the document is not valid UTF-16")
        }
        guard text.hasPrefix("<?xml"), let next = text.unicodeScalars.dropFirst(5).first, next.properties.isWhitespace,
            let end = text.range(of: "?>")
        else { return Data(text.utf8) }
        return Data(text[end.upperBound...].utf8)
    }
}
