package import Foundation

/// Reads the directories of an EXIF structure (EXIF 2.32 §4.6). Skips a value that is damaged or is outside the
/// structure.
///
/// Reads at most four directories: image, EXIF, GPS and thumbnail. Reads at most 512 entries of each directory. Follows
/// no offset to any other directory. Therefore a damaged file whose offsets form a loop cannot cause an endless loop.
package struct ExifReader {
    typealias Tags = [Int: ImageProperties.Value]

    private let bytes: UnsafeRawBufferPointer
    private let isBigEndian: Bool

    /// Creates a reader. Returns nil if `bytes` does not begin with a byte order mark (`II` or `MM`) and the number 42.
    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.has("II", at: 0) || bytes.has("MM", at: 0) else { return nil }
        self.bytes = bytes
        isBigEndian = bytes[0] == UInt8(ascii: "M")
        guard short(2) == 42 else { return nil }
    }

    /// Reads the structure and stores its values in `properties`. The structure can begin with the signature
    /// `Exif\0\0`.
    package static func read(_ exif: Data, into properties: inout ImageProperties) {
        let signature = Data("Exif\0\0".utf8)
        let tiff = exif.starts(with: signature) ? exif.dropFirst(signature.count) : exif
        tiff.withUnsafeBytes { bytes in
            guard let reader = ExifReader(bytes), let first = reader.long(4) else { return }
            properties.exifData = Data(tiff)
            properties.tiff = reader.tags(at: first)
            if let offset = properties.tiff[0x8769]?.place { properties.exif = reader.tags(at: offset) }
            if let offset = properties.tiff[0x8825]?.place { properties.gps = reader.tags(at: offset) }
            properties.thumbnailData = reader.thumbnail(after: first)
            properties.density = PixelDensity(properties.tiff)
        }
    }

    private static let maxEntries = 512

    private func tags(at offset: Int) -> Tags {
        guard offset >= 8, let count = short(offset) else { return [:] }
        var tags = Tags()
        for index in 0..<min(count, Self.maxEntries) {
            let entry = offset + 2 + 12 * index
            guard let tag = short(entry) else { break }
            // Skip the maker note (0x927C). It is usually the largest entry, and its format is not documented.
            guard tag != 0x927C, let value = value(ofEntryAt: entry) else { continue }
            tags[tag] = tags[tag] ?? value
        }
        return tags
    }

    /// Returns the JPEG thumbnail that the second directory references. Returns nil if there is no JPEG thumbnail.
    private func thumbnail(after first: Int) -> Data? {
        guard let count = short(first), let second = long(first + 2 + 12 * count), second >= 8 else { return nil }
        let tags = tags(at: second)
        guard let start = tags[0x0201]?.place, let length = tags[0x0202]?.place,
            let range = bytes.range(at: start, count: length),
            bytes[range].starts(with: [0xFF, 0xD8, 0xFF])
        else { return nil }
        return Data(bytes[range])
    }

    private func value(ofEntryAt entry: Int) -> ImageProperties.Value? {
        guard let type = short(entry + 2), let count = long(entry + 4), count > 0, count <= bytes.count,
            let size = Self.sizes[type]
        else { return nil }
        let offset = size * count <= 4 ? entry + 8 : long(entry + 8) ?? .max
        guard let range = bytes.range(at: offset, count: size * count) else { return nil }
        func each<Element>(_ read: (Int) -> Element?) -> [Element] {
            (0..<min(count, 4096)).compactMap { read(range.lowerBound + size * $0) }
        }
        switch type {
        case 2: return .text(String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self))
        case 1: return .integers(each { Int(bytes[$0]) })
        case 6: return .integers(each { Int(Int8(bitPattern: bytes[$0])) })
        case 3: return .integers(each(short))
        case 8: return .integers(each { short($0).map { Int(Int16(truncatingIfNeeded: $0)) } })
        case 4: return .integers(each(long))
        case 9: return .integers(each(signedLong))
        case 5: return .rationals(each { rational($0, long) })
        case 10: return .rationals(each { rational($0, signedLong) })
        case 11: return .reals(each { long($0).map { Double(Float(bitPattern: UInt32($0))) } })
        case 12: return .reals(each(double))
        default: return .bytes(Data(bytes[range].prefix(1 << 16)))
        }
    }

    /// Maps the number of a TIFF type to the size of one value of this type, in bytes (TIFF 6.0 §2).
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8]

    private func short(_ offset: Int) -> Int? {
        isBigEndian ? bytes.bigEndian16(at: offset) : bytes.littleEndian16(at: offset)
    }

    private func long(_ offset: Int) -> Int? {
        isBigEndian ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
    }

    private func signedLong(_ offset: Int) -> Int? { long(offset).map { Int(Int32(truncatingIfNeeded: $0)) } }

    private func rational(_ offset: Int, _ read: (Int) -> Int?) -> ImageProperties.Rational? {
        guard let numerator = read(offset), let denominator = read(offset + 4) else { return nil }
        return .init(numerator: numerator, denominator: denominator)
    }

    private func double(_ offset: Int) -> Double? {
        guard let first = long(offset), let second = long(offset + 4) else { return nil }
        let (high, low) = isBigEndian ? (first, second) : (second, first)
        return Double(bitPattern: UInt64(high) << 32 | UInt64(low))
    }
}

extension ImageProperties.Value {
    /// The value as an integer that can be an offset or a byte count. Nil if the value is negative or not a whole
    /// number.
    fileprivate var place: Int? { number.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil } }
}
