public import Foundation

extension ImageFormat {
    /// The number of bytes at the start of a file that are sufficient to detect most formats. More bytes are necessary
    /// for SVG, for APNG, and for AVIF files with the general HEIF brand `mif1` or `msf1`.
    public static let signatureLength = 16

    /// Detects the format from the content. A file's name and its declared type are not used.
    ///
    /// Reads only the signature, with three exceptions:
    /// - PNG: reads the chunk headers up to the first `IDAT`, to detect ``apng``.
    /// - HEIF: reads the list of compatible brands, at most 256 bytes.
    /// - SVG: reads the first 1024 and the last 100 bytes.
    ///
    /// The result for an unknown signature is ``undefined``. Never fails and never reads outside `data`.
    public init(sniffing data: Data) {
        self = data.withUnsafeBytes { Self.sniff($0) }
    }

    static func sniff(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        guard let first = bytes.first else { return .undefined }
        switch first {
        case 0xFF:
            if bytes.starts(with: [0xFF, 0x0A]) { return .jpegXL }
            return bytes.starts(with: [0xFF, 0xD8]) ? .jpeg : .undefined
        case 0x89:
            guard bytes.starts(with: pngSignature) else { return .undefined }
            return declaresAnimation(bytes) ? .apng : .png
        case UInt8(ascii: "G"):
            return bytes.starts(with: Array("GIF8".utf8)) ? .gif : .undefined
        case UInt8(ascii: "I"), UInt8(ascii: "M"):
            return isTIFF(bytes) ? .tiff : .undefined
        case UInt8(ascii: "B"):
            return bytes.starts(with: Array("BM".utf8)) ? .bmp : .undefined
        case UInt8(ascii: "R"):
            return bytes.starts(with: Array("RIFF".utf8)) && has("WEBP", at: 8, in: bytes) ? .webP : .undefined
        case UInt8(ascii: "%"):
            return bytes.starts(with: Array("%PDF".utf8)) ? .pdf : .undefined
        case 0x00:
            return sniffBoxesAndIcons(bytes)
        default:
            return isSVG(bytes) ? .svg : .undefined
        }
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func has(_ text: StaticString, at offset: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    private static func isTIFF(_ bytes: UnsafeRawBufferPointer) -> Bool {
        [[0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2B]]
            .contains { (signature: [UInt8]) in bytes.starts(with: signature) }
    }

    /// Detects the formats that start with a zero byte: files of ISO base media boxes (HEIF, AVIF, JPEG XL containers)
    /// and Windows icons.
    private static func sniffBoxesAndIcons(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        if has("JXL ", at: 4, in: bytes) { return .jpegXL }
        if has("ftyp", at: 4, in: bytes) { return brandFormat(bytes) }
        // An icon file starts with three 16-bit numbers: a reserved 0, the type (1 for icon, 2 for cursor), and
        // the number of images (at least 1).
        if bytes.count >= 6, bytes[1] == 0, bytes[2] == 1 || bytes[2] == 2, bytes[3] == 0,
            bytes[4] != 0 || bytes[5] != 0
        {
            return .ico
        }
        return .undefined
    }

    private static func brandFormat(_ bytes: UnsafeRawBufferPointer) -> ImageFormat {
        if has("avif", at: 8, in: bytes) || has("avis", at: 8, in: bytes) { return .avif }
        let heic: [StaticString] = ["heic", "heix", "hevc", "hevx"]
        if heic.contains(where: { has($0, at: 8, in: bytes) }) { return .heic }
        guard has("mif1", at: 8, in: bytes) || has("msf1", at: 8, in: bytes) else { return .undefined }
        // The major brand does not name the codec, so read the compatible brands.
        let boxLength = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        for offset in stride(from: 16, to: min(boxLength, bytes.count, 256), by: 4) {
            if has("avif", at: offset, in: bytes) || has("avis", at: offset, in: bytes) { return .avif }
            if has("heic", at: offset, in: bytes) { return .heif }
        }
        return .heif
    }

    /// Whether `acTL` precedes the first `IDAT` (PNG third edition, §11.3.6.1).
    private static func declaresAnimation(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = pngSignature.count
        while offset + 8 <= bytes.count {
            if has("acTL", at: offset + 4, in: bytes) { return true }
            if has("IDAT", at: offset + 4, in: bytes) { return false }
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            offset += 12 + length
        }
        return false
    }

    /// Whether the bytes are an SVG document. The first character after a byte order mark and blanks must be `<`. In
    /// addition, the first 1024 bytes must contain `<svg`, or the last 100 bytes must contain `</svg>`.
    private static func isSVG(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.prefix(64).first(where: { !isBlank($0) }), first == UInt8(ascii: "<") else {
            return false
        }
        return UnsafeRawBufferPointer(rebasing: bytes.suffix(100)).offset(of: "</svg>") != nil
            || UnsafeRawBufferPointer(rebasing: bytes.prefix(1024)).offset(of: "<svg") != nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }
}
