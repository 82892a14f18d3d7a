package import Foundation
package import WebImageCore

// The binary form of ISO 21496-1, annex C. JPEG stores it in a segment, HEIF and AVIF in the item `tmap`, and JPEG XL in
// the box `jhgm`.
extension GainMapMetadata {
    /// The highest version whose fields this function reads.
    private static let knownVersion = 0

    /// Reads the binary form.
    ///
    /// Also reads the layout of an early draft, which libultrahdr wrote until 2026: one denominator for all numbers.
    /// - Throws: `.badImageData` if the bytes are too short, need a later version, or contain numbers that no picture has:
    ///   see ``GainMapMetadata/isUsable``.
    package init(iso bytes: Data) throws(WebImageError) {
        var fields = BigEndianFields(bytes)
        let (minimumVersion, version, flags) = (try fields.unsigned(2), try fields.unsigned(2), try fields.unsigned(1))
        guard minimumVersion <= Self.knownVersion else { throw Self.invalid("needs version \(minimumVersion)") }
        let count = flags & 0x80 != 0 ? 3 : 1
        let common = flags & 0x08 != 0 ? try fields.unsigned(4) : nil
        func fraction(isSigned: Bool = false) throws(WebImageError) -> Double {
            let numerator = try isSigned ? fields.signed() : fields.unsigned(4)
            let denominator = if let common { common } else { try fields.unsigned(4) }
            guard denominator != 0 else { throw Self.invalid("a fraction has the denominator 0") }
            return Double(numerator) / Double(denominator)
        }
        let (base, alternate) = (try fraction(), try fraction())
        var channels: [Channel] = []
        for _ in 0..<count {
            channels.append(
                Channel(
                    minimum: try fraction(isSigned: true), maximum: try fraction(isSigned: true),
                    gamma: try fraction(), baseOffset: try fraction(isSigned: true),
                    alternateOffset: try fraction(isSigned: true)))
        }
        // Only a later writer may add fields.
        guard fields.rest == 0 || version > Self.knownVersion else {
            throw Self.invalid("has \(fields.rest) more bytes")
        }
        self.init(
            channels: channels, baseHeadroom: base, alternateHeadroom: alternate, usesBaseColorSpace: flags & 0x40 != 0)
        guard isUsable else { throw Self.invalid("has a number that no picture has") }
    }

    /// The binary form: 61 bytes for one channel, 141 for three.
    package var isoPayload: Data {
        var bytes: [UInt8] = [0, 0, 0, 0, (channels.count == 3 ? 0x80 : 0) | (usesBaseColorSpace ? 0x40 : 0)]
        func add(_ value: Double) {
            // A denominator of 2¹⁶ is exact to 8·10⁻⁶, and every reader accepts it.
            let numerator = Int32(clamping: Int((min(max(value, -30_000), 30_000) * 65536).rounded()))
            for number in [UInt32(bitPattern: numerator), 65536] {
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
        }
        add(baseHeadroom)
        add(alternateHeadroom)
        for channel in channels {
            for value in [
                channel.minimum, channel.maximum, max(channel.gamma, 1.0 / 65536), channel.baseOffset,
                channel.alternateOffset,
            ] { add(value) }
        }
        return Data(bytes)
    }

    static func invalid(_ fault: String) -> WebImageError {
        .badData("gain map", "its metadata \(fault)", hint: "The base picture can be decoded without the map.")
    }
}

/// Reads big-endian numbers from the start of bytes. Throws behind the end.
private struct BigEndianFields {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ data: Data) { bytes = Array(data.prefix(1024)) }

    var rest: Int { bytes.count - offset }

    mutating func unsigned(_ count: Int) throws(WebImageError) -> Int {
        guard rest >= count else { throw GainMapMetadata.invalid("is too short") }
        defer { offset += count }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func signed() throws(WebImageError) -> Int {
        Int(Int32(truncatingIfNeeded: try unsigned(4)))
    }
}
