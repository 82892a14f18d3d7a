package import Foundation
package import WebImageCore

/// Reads the image orientation from EXIF and XMP. No other value in EXIF or XMP changes how pixels are shown.
///
/// The functions return nil for damaged metadata and throw no error, because the picture can be shown without metadata.
package enum ExifOrientation {
    /// Returns the orientation in an EXIF structure (EXIF 2.32 §4.5). The structure can begin with the signature
    /// `Exif\0\0`, as in JPEG.
    package static func orientation(exif: Data) -> ImageOrientation? {
        let tiff = exif.starts(with: exifSignature) ? exif.dropFirst(exifSignature.count) : exif
        guard let reader = TIFFReader(tiff), let entry = reader.orientationEntry else { return nil }
        return reader.integer(ofEntryAt: entry).flatMap(ImageOrientation.init)
    }

    /// Returns the orientation in an XMP packet. The orientation is an attribute or an element with the name
    /// `tiff:Orientation` (XMP part 2 §3.2.2).
    package static func orientation(xmp: Data) -> ImageOrientation? {
        XMPOrientation.nextValue(in: xmp).flatMap { ImageOrientation(rawValue: Int(xmp[$0]) - 0x30) }
    }

    /// Returns the orientation in the EXIF part of a file. If it contains none, returns the orientation in the XMP part; if
    /// that contains none either, `.up`.
    static func orientation(of file: Data, exif: Range<Int>?, xmp: Range<Int>?) -> ImageOrientation {
        exif.flatMap { orientation(exif: file.slice($0)) } ?? xmp.flatMap { orientation(xmp: file.slice($0)) } ?? .up
    }

    private static let exifSignature = Data("Exif\0\0".utf8)
    fileprivate static let orientationTag = 0x0112
}

/// Reads numbers from a TIFF structure in the structure's byte order. Returns nil for an offset outside the structure.
private struct TIFFReader {
    private let data: Data
    let isBigEndian: Bool

    init?(_ data: Data) {
        let order = data.prefix(2)
        guard data.count >= 8, order.elementsEqual("II".utf8) || order.elementsEqual("MM".utf8) else { return nil }
        self.data = data
        isBigEndian = order.first == UInt8(ascii: "M")
        guard short(at: 2) == 42 else { return nil }
    }

    /// The offset of the orientation entry in the first directory. Nil if the directory has no such entry.
    var orientationEntry: Int? {
        guard let offset = long(at: 4), offset >= 8, let count = short(at: offset) else { return nil }
        // The loop has at most 65535 steps, because the number of entries is a 16-bit value.
        for entry in stride(from: offset + 2, to: offset + 2 + 12 * count, by: 12) {
            guard let tag = short(at: entry) else { return nil }
            if tag == ExifOrientation.orientationTag { return entry }
        }
        return nil
    }

    func short(at offset: Int) -> Int? { number(at: offset, byteCount: 2) }

    func long(at offset: Int) -> Int? { number(at: offset, byteCount: 4) }

    /// Returns the value of an entry that has exactly one SHORT or LONG value. Such a value is stored in the entry
    /// itself. Returns nil for any other entry.
    func integer(ofEntryAt entry: Int) -> Int? {
        switch (short(at: entry + 2), long(at: entry + 4)) {
        case (3, 1): short(at: entry + 8)
        case (4, 1): long(at: entry + 8)
        default: nil
        }
    }

    private func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= data.count - byteCount else { return nil }
        let start = data.startIndex + offset
        let bytes = data[start..<start + byteCount]
        let inOrder = isBigEndian ? Array(bytes) : bytes.reversed()
        return inOrder.reduce(0) { $0 << 8 | Int($1) }
    }
}
