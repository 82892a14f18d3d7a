import WebImageCore

/// The header before the pixels of a Windows bitmap (MS-WMF §2.2.2.9) or an OS/2 bitmap (OS/2 2.x).
struct BMPHeader {
    /// The encoding of the pixels: uncompressed, or run-length encoded indices of 8 bits or 4 bits.
    enum Packing {
        case plain
        case runs8
        case runs4
    }

    /// One bit mask per channel. The mask of a missing channel is 0.
    struct Masks: Equatable {
        var red: UInt32
        var green: UInt32
        var blue: UInt32
        var alpha: UInt32 = 0
    }

    var size: PixelSize
    var isTopDown = false
    var bitCount: Int
    var packing = Packing.plain
    /// The bit masks of the channels if a pixel has 16 or 32 bits, else nil.
    var masks: Masks?
    /// The range of the palette in the file. An entry has the bytes blue, green and red, and one unused byte. After the
    /// 12-byte header of OS/2, an entry has no unused byte.
    var palette: Range<Int> = 0..<0
    var paletteEntryBytes = 4
    /// The offset of the first pixel row, in bytes from the start of the data.
    var pixels: Int
    var iccProfile: Range<Int>?

    /// Reads the header at `start`.
    ///
    /// - Parameters:
    ///   - pixelOffset: The offset of the pixels, as the file declares it. Pass nil for an icon; its pixels follow the
    ///     palette.
    ///   - isIcon: Whether the bitmap is in an icon. If true, the stored height is twice the height of the picture,
    ///     because the stored height includes the mask.
    init(
        _ bytes: UnsafeRawBufferPointer, at start: Int, pixelOffset: Int?, isIcon: Bool
    ) throws(WebImageError) {
        guard let length = bytes.littleEndian32(at: start), bytes.range(at: start, count: length) != nil else {
            throw Self.cutOff
        }
        var compression = 0
        var colorsUsed = 0
        if length == 12 {
            guard let width = bytes.littleEndian16(at: start + 4), let height = bytes.littleEndian16(at: start + 6),
                let bits = bytes.littleEndian16(at: start + 10)
            else { throw Self.cutOff }
            size = PixelSize(width: width, height: height)
            bitCount = bits
            paletteEntryBytes = 3
        } else {
            guard length >= 16, let width = bytes.signed32(at: start + 4), let height = bytes.signed32(at: start + 8),
                let bits = bytes.littleEndian16(at: start + 14)
            else { throw .badData("BMP", "the header has an unknown length of \(length)") }
            // `abs` cannot overflow: the height is a 32-bit number in an `Int` of 64 bits.
            size = PixelSize(width: width, height: abs(height))
            isTopDown = height < 0
            bitCount = bits
            if length >= 20 { compression = bytes.littleEndian32(at: start + 16) ?? 0 }
            if length >= 36 { colorsUsed = bytes.littleEndian32(at: start + 32) ?? 0 }
        }
        if isIcon { size.height /= 2 }
        guard size.width > 0, size.height > 0 else { throw .badData("BMP", "a picture of \(size) px has no pixels") }
        pixels = 0
        let afterHeader = try readMasks(bytes, at: start, length: length, compression: compression)
        try check(compression: compression, headerLength: length)
        placePalette(bytes, at: afterHeader, colorsUsed: colorsUsed, pixelOffset: pixelOffset)
        pixels = pixelOffset ?? palette.upperBound
        if length >= 124, bytes.has("DEBM", at: start + 56), let offset = bytes.littleEndian32(at: start + 112),
            let count = bytes.littleEndian32(at: start + 116), count > 0
        {
            iccProfile = bytes.range(at: start + offset, count: count)
        }
    }

    static let cutOff = WebImageError.badData("BMP", "the file ends too early", hint: "Fetch the file again.")

    /// Reads the channel masks. Returns the offset of the first byte after header and masks. A header of at least 52
    /// bytes contains the masks. If the header is shorter, the masks follow the header.
    private mutating func readMasks(
        _ bytes: UnsafeRawBufferPointer, at start: Int, length: Int, compression: Int
    ) throws(WebImageError) -> Int {
        let (bitFields, alphaBitFields) = (3, 6)
        let isMasked = compression == bitFields || compression == alphaBitFields
        func mask(_ index: Int) -> UInt32? { bytes.littleEndian32(at: start + 40 + 4 * index).map { UInt32($0) } }
        let hasAlphaMask = length >= 56 || compression == alphaBitFields
        var end = start + length
        if isMasked, length < 52 { end = start + 40 + (hasAlphaMask ? 16 : 12) }
        guard bitCount == 16 || bitCount == 32 else { return end }
        if isMasked, length >= 40 {
            guard let red = mask(0), let green = mask(1), let blue = mask(2),
                let alpha = hasAlphaMask ? mask(3) : 0
            else { throw Self.cutOff }
            masks = Masks(red: red, green: green, blue: blue, alpha: alpha)
        } else if bitCount == 16 {
            masks = Masks(red: 0x7C00, green: 0x3E0, blue: 0x1F)
        } else {
            // If the file has no bit fields, the colour masks are fixed. A header of at least 56 bytes still has a
            // valid alpha mask.
            let alpha = length >= 56 ? mask(3) ?? 0 : 0
            masks = Masks(red: 0xFF0000, green: 0xFF00, blue: 0xFF, alpha: alpha)
        }
        return end
    }

    private mutating func check(compression: Int, headerLength: Int) throws(WebImageError) {
        let isOS2 = headerLength < 40 || headerLength == 64
        switch (compression, bitCount) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): packing = .plain
        case (1, 8): packing = .runs8
        case (2, 4): packing = .runs4
        case (3, 16), (3, 32), (6, 16), (6, 32): if isOS2 { fallthrough }
        default: throw .badData("BMP", "compression \(compression) with \(bitCount) bits a pixel is not supported")
        }
    }

    /// Finds the palette. The palette ends at the first pixel row at the latest, so the palette can have fewer entries
    /// than the header declares. Indices without an entry become black.
    private mutating func placePalette(
        _ bytes: UnsafeRawBufferPointer, at start: Int, colorsUsed: Int, pixelOffset: Int?
    ) {
        guard bitCount <= 8 else {
            palette = start..<start
            if pixelOffset == nil { palette = start..<min(start + min(colorsUsed, 256) * 4, bytes.count) }
            return
        }
        let most = 1 << bitCount
        var count = colorsUsed > 0 ? min(colorsUsed, most) : most
        if let pixelOffset, pixelOffset > start { count = min(count, (pixelOffset - start) / paletteEntryBytes) }
        count = max(0, min(count, (bytes.count - start) / paletteEntryBytes))
        palette = start..<start + count * paletteEntryBytes
    }

    /// The size of a stored row in bytes, including the padding to a multiple of 4 bytes.
    var rowBytes: Int { (size.width * bitCount + 31) / 32 * 4 }

    /// Returns the palette as triplets of red, green and blue.
    func colors(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        stride(from: palette.lowerBound, to: palette.upperBound, by: paletteEntryBytes).flatMap {
            (entry: Int) -> [UInt8] in
            [bytes[entry + 2], bytes[entry + 1], bytes[entry]]
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func signed32(at offset: Int) -> Int? {
        littleEndian32(at: offset).map { Int(Int32(truncatingIfNeeded: $0)) }
    }
}
