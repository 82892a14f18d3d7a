import Foundation

/// The content of a `data:` URL.
struct DataURL {
    enum Failure: Error { case ambiguous }

    /// The declared media type in lower case, without parameters. Empty if there is none.
    let mediaType: String
    private let payload: Data
    private let isBase64: Bool

    /// Parses a `data:` URL. Returns nil if the text is not a `data:` URL.
    ///
    /// - Throws: ``Failure`` if the header contains `base64`, but not as the last parameter. librsvg could interpret
    ///   such a header differently from this parser.
    init?(_ reference: Data) throws(Failure) {
        // Remove control characters and spaces from the start of the text. Remove all tabs and line ends. URL parsers
        // do the same (WHATWG URL §4.4).
        let text = Self.withoutLineEnds(Data(reference.drop { $0 <= 0x20 }))
        guard String(decoding: text.prefix(5), as: UTF8.self).lowercased() == "data:",
            let comma = text.firstIndex(of: UInt8(ascii: ","))
        else { return nil }
        let header = String(decoding: text[5..<comma], as: UTF8.self).lowercased()
        let rest = text[(comma + 1)...]
        payload = Data(rest[..<(rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex)])
        mediaType = header.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        let parameters = header.split(separator: ";", omittingEmptySubsequences: false).dropFirst()
        isBase64 = parameters.last.map { $0.filter { $0 != " " } } == "base64"
        guard isBase64 || !header.filter({ $0 != " " }).contains("base64") else { throw .ambiguous }
    }

    /// The decoded content. Nil if the header declares base64, but the content is not valid base64.
    var content: Data? { Self.decoded(payload, isBase64: isBase64) }

    /// The first bytes of the decoded content. Only the first 4,096 characters of the content are decoded. The parsed
    /// text may contain other text after the URL. For base64, decoding stops at the first character that is not a
    /// base64 digit.
    var start: Data {
        let bytes = Self.unescaped(Data(payload.prefix(4096)))
        guard isBase64 else { return bytes }
        let digits = Data(bytes.lazy.filter { $0 > 0x20 }.prefix { Self.isDigit($0) })
        return Data(base64Encoded: digits.prefix(digits.count / 4 * 4)) ?? Data()
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func decoded(_ payload: Data, isBase64: Bool) -> Data? {
        let bytes = unescaped(payload)
        guard isBase64 else { return bytes }
        if let data = Data(base64Encoded: bytes) { return data }
        // Accept base64 text with spaces or without padding, because lenient readers accept such text.
        var digits = Data(bytes.filter { $0 > 0x20 })
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        if digits.count % 4 == 1 { digits.removeLast() }
        digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4))
        return Data(base64Encoded: digits)
    }

    /// Returns the text without tabs and line ends.
    static func withoutLineEnds(_ text: Data) -> Data {
        guard [UInt8(0x09), 0x0A, 0x0D].contains(where: { text.contains($0) }) else { return text }
        return Data(text.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D })
    }

    /// Returns the text with each `%XX` replaced by a byte. The result is not always valid UTF-8.
    private static func unescaped(_ text: Data) -> Data {
        guard text.contains(UInt8(ascii: "%")) else { return text }
        var result = Data(capacity: text.count)
        var rest = text[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            result.append(rest[..<percent])
            let digits = rest[(percent + 1)...].prefix(2)
            if digits.count == 2, digits.first != UInt8(ascii: "+"),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                result.append(value)
                rest = rest[(percent + 3)...]
            } else {
                result.append(rest[percent])
                rest = rest[(percent + 1)...]
            }
        }
        result.append(rest)
        return result
    }
}
