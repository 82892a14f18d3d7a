public import Foundation

/// Metadata that an encoder writes into a file in addition to the pixels.
///
/// A decoded image contains no EXIF or XMP metadata. To preserve this metadata, read it from the original file with
/// ``ImageCodersManager/imageProperties(of:limits:)`` and pass it to the encoder. The colour profile needs no extra
/// step, because it is part of the image. The encoders of JPEG, PNG, WebP, AVIF, JPEG XL and TIFF write EXIF and XMP, and
/// those of JPEG, PNG and TIFF the density.
public struct EmbeddedMetadata: Sendable, Hashable {
    /// The EXIF data: a TIFF structure (EXIF 2.32 §4.5) without the `Exif` prefix. The encoder replaces the orientation
    /// in this data by ``orientation``.
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?
    /// The orientation that the file declares. The default is `.up`, because decoded pixels are upright. With another
    /// value, viewers turn the encoded pixels.
    public var orientation = ImageOrientation.up
    /// The pixels on an inch of paper. WebP, AVIF and JPEG XL have no place for it but ``exif``, which is not changed.
    public var density: PixelDensity?

    /// Creates metadata from EXIF and XMP data.
    public init(exif: Data? = nil, xmp: Data? = nil) {
        self.exif = exif
        self.xmp = xmp
    }

    /// The EXIF data to write into a file: ``exif`` with the value of ``orientation``. Nil if ``exif`` is nil and the
    /// file needs no orientation.
    ///
    /// The orientation is added if it is not `.up`, or if ``xmp`` contains an orientation, which would otherwise apply.
    public var exifWithOrientation: Data? {
        let needsEntry = orientation != .up || xmp?.range(of: Data("tiff:Orientation".utf8)) != nil
        guard let exif else { return needsEntry ? OrientedTIFF.structure(with: orientation) : nil }
        return OrientedTIFF(exif)?.setting(orientation, adds: needsEntry)
            ?? (needsEntry ? OrientedTIFF.structure(with: orientation) : exif)
    }

    /// The XMP packet to write into a file: ``xmp``, in which each value of `tiff:Orientation` is ``orientation``. Programs
    /// that read XMP first would otherwise turn upright pixels again. Nil if ``xmp`` is nil.
    ///
    /// The properties of a gain map (Adobe's namespace `hdr-gain-map`) and its place in the file are removed: they describe
    /// a map that the new file does not have, or has with other numbers.
    public var xmpWithOrientation: Data? {
        guard let xmp else { return nil }
        var packet = XMPGainMap.removed(from: Data(xmp))
        var start = packet.startIndex
        while let place = XMPOrientation.nextValue(in: packet[start...]) {
            packet[place] = UInt8(ascii: "0") + UInt8(orientation.rawValue)
            start = place
        }
        return packet
    }
}

/// Removes the description of a gain map from an XMP packet.
private enum XMPGainMap {
    private static let namespace = Data("http://ns.adobe.com/hdr-gain-map/1.0/".utf8)
    /// The starts of the names of elements that are removed, and how far the end of such an element can be from its start. The
    /// distance is limited, so that a packet of starts without ends takes no quadratic time.
    private static let elements: [(name: [UInt8], reach: Int)] = [
        (Array("hdrgm:".utf8), 4096), (Array("Container:Directory".utf8), 16384),
        (Array("GContainer:Directory".utf8), 16384),
    ]
    private static let attribute = Array("hdrgm:".utf8)

    static func removed(from packet: Data) -> Data {
        guard packet.count < 1 << 20, packet.range(of: namespace) != nil else { return packet }
        let text = Array(packet)
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let end =
                switch text[index] {
                case UInt8(ascii: "<"): elementEnd(text, from: index)
                case 0x20, 9...13: attributeEnd(text, from: index)
                default: nil as Int?
                }
            if let end {
                index = end
            } else {
                kept.append(text[index])
                index += 1
            }
        }
        return Data(kept)
    }

    /// Returns the end of an element to remove that starts at `start`; nil if none starts there. The declarations of the
    /// namespaces stay, because other properties can need them.
    private static func elementEnd(_ text: [UInt8], from start: Int) -> Int? {
        guard let (_, reach) = elements.first(where: { text[(start + 1)...].starts(with: $0.name) }),
            let close = text[start...].prefix(1024).firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        guard text[close - 1] != UInt8(ascii: "/") else { return close + 1 }
        let name = text[(start + 1)..<close].prefix { $0 > 0x20 }
        let tag = Array("</".utf8) + name + [UInt8(ascii: ">")]
        let rest = text[close...].prefix(reach)
        let found = Data(rest).range(of: Data(tag))
        return found.map { close + $0.upperBound } ?? close + 1
    }

    /// Returns the end of an attribute to remove that starts with the blanks at `start`; nil if none starts there.
    private static func attributeEnd(_ text: [UInt8], from start: Int) -> Int? {
        guard let name = text[start...].prefix(256).firstIndex(where: { $0 > 0x20 }),
            text[name...].starts(with: attribute),
            let equals = text[name...].prefix(128).firstIndex(of: UInt8(ascii: "=")),
            let quote = text[(equals + 1)...].prefix(64).firstIndex(where: { $0 > 0x20 }),
            [0x22, 0x27].contains(text[quote]),
            let end = text[(quote + 1)...].prefix(256).firstIndex(of: text[quote])
        else { return nil }
        return end + 1
    }
}

/// Finds the orientation in an XMP packet.
package enum XMPOrientation {
    private static let name = Data("tiff:Orientation".utf8)
    private static let separators = Data("=\"'> \t\r\n".utf8)

    /// Returns the position of the digit of the first orientation: an attribute or an element with the name
    /// `tiff:Orientation` (XMP part 2 §3.2.2).
    package static func nextValue(in xmp: Data) -> Data.Index? {
        var rest = xmp[...]
        while let found = rest.range(of: name) {
            rest = rest[found.upperBound...]
            // A value is written as `="6"`, `='6'` or `>6<`. If the character after the name does not belong to such a
            // value, the text is the start of a longer property name. Skip this text.
            let digits = rest.prefix(16).drop { separators.contains($0) }
            guard digits.startIndex > rest.startIndex, let digit = digits.first else { continue }
            let following = digits.dropFirst().first ?? 0
            guard (0x31...0x38).contains(digit), !following.isASCIIDigit else { continue }
            return digits.startIndex
        }
        return nil
    }
}

/// A TIFF structure whose orientation (tag 0x0112, TIFF 6.0 §8) can be changed.
private struct OrientedTIFF {
    private let data: Data
    private let isBigEndian: Bool
    /// The offset of the first directory.
    private let directory: Int
    private let count: Int

    private static let tag = 0x0112

    /// Reads the header; nil if the data is not a TIFF structure with a complete first directory.
    init?(_ exif: Data) {
        data = Data(exif)
        guard data.count >= 8, data.starts(with: "II".utf8) || data.starts(with: "MM".utf8) else { return nil }
        isBigEndian = data[0] == UInt8(ascii: "M")
        directory = Self.number(data, at: 4, count: 4, isBigEndian: isBigEndian) ?? 0
        guard Self.number(data, at: 2, count: 2, isBigEndian: isBigEndian) == 42, directory >= 8,
            let count = Self.number(data, at: directory, count: 2, isBigEndian: isBigEndian),
            directory + 6 + 12 * count <= data.count
        else { return nil }
        self.count = count
    }

    /// A structure that contains only an orientation.
    static func structure(with orientation: ImageOrientation) -> Data {
        let head: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0]
        return Data(head + entry(orientation, isBigEndian: false) + [0, 0, 0, 0])
    }

    /// Returns the structure with the orientation. If it has no orientation, adds one if `adds` is true.
    func setting(_ orientation: ImageOrientation, adds: Bool) -> Data {
        let entry = Self.entry(orientation, isBigEndian: isBigEndian)
        var result = data
        for index in 0..<count {
            let start = directory + 2 + 12 * index
            guard Self.number(data, at: start, count: 2, isBigEndian: isBigEndian) == Self.tag else { continue }
            result.replaceSubrange(start..<start + 12, with: entry)
            return result
        }
        guard adds, count < 0xFFFF, data.count < Int(UInt32.max) - 0x10_0000 else { return data }
        // Append a copy of the first directory with one more entry. The old directory remains but is not used. Its
        // values keep their offsets.
        let entries = (0..<count).map { data[(directory + 2 + 12 * $0)..<(directory + 14 + 12 * $0)] }
        let first = entries.prefix {
            (Self.number(Data($0), at: 0, count: 2, isBigEndian: isBigEndian) ?? 0) < Self.tag
        }
        if result.count % 2 == 1 { result.append(0) }
        let place = result.count
        result.append(contentsOf: bytes(count + 1, 2))
        for old in first { result.append(old) }
        result.append(contentsOf: entry)
        for old in entries.dropFirst(first.count) { result.append(old) }
        result.append(data[(directory + 2 + 12 * count)..<(directory + 6 + 12 * count)])
        result.replaceSubrange(4..<8, with: bytes(place, 4))
        return result
    }

    /// A directory entry with one SHORT value.
    private static func entry(_ orientation: ImageOrientation, isBigEndian: Bool) -> [UInt8] {
        let value = UInt8(orientation.rawValue)
        return isBigEndian ? [1, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0] : [0x12, 1, 3, 0, 1, 0, 0, 0, value, 0, 0, 0]
    }

    private static func number(_ data: Data, at offset: Int, count: Int, isBigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= data.count - count else { return nil }
        let bytes = data[offset..<offset + count]
        return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }

    private func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? little.reversed() : little
    }
}
